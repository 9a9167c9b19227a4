"""Which colour matrix a clip's pictures have, and pictures → BGRA by it. One rule for viewing and measuring.

A tag in the file decides. Without one, files from the server are BT.601 limited (vllm-omni 0.30.0, media_utils.py:
RGB → YUV by swscale's default, nothing tagged); others go by size, as players do: BT.709 when wider than 1279
or higher than 576.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Final, Literal

import numpy as np
import numpy.typing as npt
from av.container import InputContainer
from av.video.frame import VideoFrame
from av.video.plane import VideoPlane
from av.video.reformatter import ColorRange, Colorspace, Interpolation
from av.video.stream import VideoStream

Picture = npt.NDArray[np.uint8]
Matrix = Literal["bt601", "bt709", "bt2020", "smpte240m", "rgb"]
Rule = Literal["tag", "server", "size"]

REHEARSAL_COMMENT: Final = "H3 Studio rehearsal"
"""Container tag `comment` of every file that the rehearsal server makes."""

# FFmpeg's AVColorSpace (ISO/IEC 23091-2 MatrixCoefficients).
_TAGS: Final[dict[int, Matrix]] = {
    0: "rgb",
    1: "bt709",
    5: "bt601",
    6: "bt601",
    7: "smpte240m",
    9: "bt2020",
    10: "bt2020",
}
_SWSCALE: Final[dict[Matrix, Colorspace]] = {
    "bt601": Colorspace.ITU601,
    "bt709": Colorspace.ITU709,
    "bt2020": Colorspace.BT2020,
    "smpte240m": Colorspace.SMPTE240M,
    "rgb": Colorspace.ITU709,
}
_SERVER_TAGS: Final = {"major_brand", "minor_version", "compatible_brands", "encoder"}


@dataclass(frozen=True, slots=True)
class Colour:
    """How the numbers of a picture become colours, and which rule said so."""

    matrix: Matrix
    full_range: bool
    rule: Rule

    def bgra(self, frame: VideoFrame, width: int | None = None, height: int | None = None) -> Picture:
        """The picture as (height, width, 4) uint8 B, G, R, A, full range; scaled when a size is given."""
        return self._converted(frame, "bgra", width, height)

    def rgb(self, frame: VideoFrame, width: int | None = None, height: int | None = None) -> Picture:
        """The picture as (height, width, 3) uint8 R, G, B, full range; scaled when a size is given."""
        return self._converted(frame, "rgb24", width, height)

    def _converted(self, frame: VideoFrame, layout: str, width: int | None, height: int | None) -> Picture:
        space = _SWSCALE[self.matrix]
        converted = frame.reformat(
            width,
            height,
            layout,
            # swscale's fast way to 4 bytes a pixel leaves the last columns unwritten at widths that 8 does not divide.
            interpolation=Interpolation.BILINEAR | (Interpolation.ACCURATE_RND if frame.width % 8 else 0),
            src_colorspace=space,
            dst_colorspace=space,
            src_color_range=ColorRange.JPEG if self.full_range else ColorRange.MPEG,
            dst_color_range=ColorRange.JPEG,
            threads=1,
        )
        return np.asarray(converted.to_ndarray(), dtype=np.uint8)


def pixels(plane: VideoPlane) -> Picture:
    """(height, width) uint8: an 8-bit plane of a frame, without a copy. It keeps the frame."""
    return np.frombuffer(memoryview(plane), np.uint8).reshape(-1, plane.line_size)[: plane.height, : plane.width]


def colour_of(container: InputContainer, stream: VideoStream, frame: VideoFrame) -> Colour:
    """The rule for one clip, from any decoded frame of it."""
    tagged = "rgb" if frame.format.is_rgb else _TAGS.get(frame.colorspace)
    full = tagged == "rgb" or frame.color_range == ColorRange.JPEG or frame.format.name.startswith("yuvj")
    if tagged is not None:
        return Colour(tagged, full, "tag")
    if from_server(container, stream):
        return Colour("bt601", False, "server")
    return Colour("bt709" if frame.width >= 1280 or frame.height > 576 else "bt601", full, "size")


def is_rehearsal(container: InputContainer) -> bool:
    """Whether the rehearsal server made this file."""
    return container.metadata.get("comment") == REHEARSAL_COMMENT


def from_server(container: InputContainer, stream: VideoStream) -> bool:
    """Whether this file is a result of a server, rehearsed or real.

    Real ones carry no mark: H.264 at 24 fps on a canvas of multiples of 32, AAC 32 kHz stereo, no tag but the muxer's.
    """
    if is_rehearsal(container):
        return True
    sounds = container.streams.audio
    return (
        stream.codec_context.name == "h264"
        and stream.average_rate == Fraction(24)
        and stream.codec_context.width % 32 == 0
        and stream.codec_context.height % 32 == 0
        and set(container.metadata) <= _SERVER_TAGS
        and len(sounds) == 1
        and sounds[0].codec_context is not None
        and sounds[0].codec_context.name == "aac"
        and sounds[0].codec_context.sample_rate == 32_000
        and sounds[0].codec_context.channels == 2
    )
