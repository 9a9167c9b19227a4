"""What is known of a media file, as plain values. `studio.media` measures it, the rules read it.

Beside the truth (decoded timestamps) stands what the *server* will measure, since its checks go by that
(vllm-omni 0.30.0, reference_video.py: first video stream's duration, else the container's; stored size; r_frame_rate).
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict

Transfer = Literal["sdr", "pq", "hlg"]


class Facts(BaseModel):
    """Base: immutable plain data."""

    model_config = ConfigDict(frozen=True)


class VideoFacts(Facts):
    """The largest track of moving pictures (of equally large ones the first).

    Sizes in pixels, rates in frames a second, times in seconds.
    """

    codec: str
    width: int
    """Stored width, before rotation and pixel aspect."""
    height: int
    display_width: int
    """Width as shown: rotated, square pixels, even."""
    display_height: int
    rotation: int = 0
    """Degrees clockwise that a player turns the stored picture: 0, 90, 180 or 270."""
    mirrored: bool = False
    sar: tuple[int, int] = (1, 1)
    fps: float
    """Average true rate: frames over duration."""
    server_fps: float
    """`r_frame_rate`, which the server checks."""
    vfr: bool = False
    frames: int
    duration: float
    """From the first picture shown to the end of the last one."""
    server_duration: float
    start: float = 0.0
    """When the first picture is shown, relative to the start of the file."""
    pix_fmt: str = "yuv420p"
    bit_depth: int = 8
    interlaced: bool = False
    transfer: Transfer = "sdr"
    full_range: bool = False
    matrix: str | None = None
    """Colour matrix by tag: "bt709", "bt601", "bt2020"; None when untagged."""
    alpha: bool = False
    edit_list: bool = False
    tracks: int = 1
    """Picture tracks in the file. The server looks at the first one, whatever its size."""


class AudioFacts(Facts):
    """A sound stream: the standalone sound, or a clip's first sound track."""

    codec: str
    sample_rate: int
    channels: int
    duration: float
    server_duration: float
    start: float = 0.0
    tracks: int = 1


class ImageFacts(Facts):
    """A still picture. `width` × `height` as stored, `display_…` after EXIF orientation."""

    format: str
    width: int
    height: int
    display_width: int
    display_height: int
    orientation: int = 1
    mode: str = "RGB"
    bit_depth: int = 8
    alpha: bool = False
    frames: int = 1
    icc: bool = False


class MediaFacts(Facts):
    """All that is known of one file. `exact` tells decoded truth from a quick look at the headers."""

    path: Path
    kind: Literal["image", "video", "audio"]
    container: str
    size_bytes: int
    mtime_ns: int
    duration: float | None = None
    video: VideoFacts | None = None
    audio: AudioFacts | None = None
    image: ImageFacts | None = None
    exact: bool = True

    @property
    def shown_size(self) -> tuple[int, int] | None:
        """Width and height as a person sees them; None for sound."""
        picture = self.video or self.image
        return (picture.display_width, picture.display_height) if picture else None


class Unreadable(Facts):
    """A file that could not be probed: the code and parameters of the sentence that says why."""

    path: Path
    code: str
    params: dict[str, str | int | float | bool | None] = {}
