"""Whether a finished render is whole: every picture and every sample decoded, before the file gets its final name."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Final

import av
import numpy as np
from av.audio.frame import AudioFrame
from av.audio.stream import AudioStream
from av.container import InputContainer
from av.packet import Packet
from av.stream import Stream
from av.video.frame import VideoFrame
from av.video.stream import VideoStream
from pydantic import BaseModel, ConfigDict

from studio.core.files import sha256
from studio.media import frames_sentences as _sentences  # noqa: F401  (registers the texts of the codes below)
from studio.media.colour import is_rehearsal
from studio.media.container import open_media, picture_track, sound_track
from studio.media.errors import MediaError
from studio.media.workers import Progress, Workers

SILENCE: Final = 10 ** (-80 / 20)
"""A sound whose highest sample (of 1.0) stays under this, -80 dBFS, is silent."""

_TIMEOUT_S: Final = 600.0
_SPARSE: Final = 8  # luma is looked at in every 8th column and row
_CUT_SHORT_S: Final = 0.25  # containers that do not count their pictures are believed to this


class Verified(BaseModel):
    """What was decoded. Sizes in pixels as stored, times in seconds, rates per second."""

    model_config = ConfigDict(frozen=True)

    frames: int
    width: int
    height: int
    fps: float
    video_seconds: float
    audio_rate: int | None = None
    audio_channels: int | None = None
    audio_seconds: float | None = None
    sound_silent: bool = True
    """No sound track, or one that never rises above -80 dBFS."""
    mean_luma: float
    """Mean brightness of all pictures, 0 (black) … 255 (white)."""
    rehearsal: bool
    """Made by the rehearsal server: container tag `comment=H3 Studio rehearsal`."""
    sha256: str
    size_bytes: int


def verify_file(progress: Progress | None, path: Path) -> Verified:
    """Decode all of `path`; blocking, for a worker.

    Raises MediaError `video.damaged` with the number of pictures reached, `video.sound_damaged` with the seconds
    reached, or what opening raises.
    """
    with open_media(path) as container:
        video = picture_track(container)
        if video is None:
            raise MediaError("media.no_picture", name=path.name)
        check = _Check(container, video, path.name, progress)
        check.run()
        return Verified(
            frames=check.frames,
            width=check.video.codec_context.width,
            height=check.video.codec_context.height,
            fps=float(check.frames / check.video_seconds) if check.video_seconds > 0 else 0.0,
            video_seconds=float(check.video_seconds),
            audio_rate=check.audio.codec_context.sample_rate if check.audio else None,
            audio_channels=check.audio.codec_context.channels if check.audio else None,
            audio_seconds=check.audio_seconds if check.audio else None,
            sound_silent=check.peak < SILENCE,
            mean_luma=check.luma_sum / check.frames,
            rehearsal=is_rehearsal(container),
            sha256=sha256(path),
            size_bytes=path.stat().st_size,
        )


async def verify(workers: Workers, path: Path, progress: Callable[[float], None] | None = None) -> Verified:
    """`verify_file` in a worker."""
    if progress is None:
        return await workers.run(verify_file, None, path, timeout=_TIMEOUT_S)
    return await workers.run(verify_file, path, timeout=_TIMEOUT_S, progress=progress)


class _Check:
    """One pass over all packets of the picture and the first sound."""

    def __init__(self, container: InputContainer, video: VideoStream, name: str, progress: Progress | None) -> None:
        self._container, self._name, self._progress = container, name, progress
        self.video = video
        self.audio: AudioStream | None = sound_track(container)
        self.frames = 0
        self.luma_sum = 0.0
        self.peak = 0.0
        self._samples = 0
        self._discarded = 0
        self._span = (0, 0)
        video.thread_type = "AUTO"
        for stream in (video, self.audio):
            if stream is not None:
                # A picture that is patched up is a damaged picture.
                stream.codec_context.options = {"err_detect": "explode"}

    def run(self) -> None:
        try:
            for packet in self._container.demux(*filter(None, (self.video, self.audio))):
                self._take(packet)
        except av.FFmpegError as error:
            raise self._damaged(error) from error
        self._check_complete()

    @property
    def video_seconds(self) -> Fraction:
        """From the first picture shown to the end of the last one."""
        first, end = self._span
        return (end - first) * (self.video.time_base or Fraction(1))

    @property
    def audio_seconds(self) -> float:
        """Seconds of sound that are played: decoded, less the padding of the last block."""
        assert self.audio is not None
        decoded = self._samples / self.audio.codec_context.sample_rate
        return min(decoded, _seconds(self.audio) or decoded)

    def _take(self, packet: Packet[Stream]) -> None:
        self._discarded += packet.is_discard and packet.stream is self.video
        try:
            decoded = packet.decode()
        except av.FFmpegError as error:
            raise self._damaged(error, sound=packet.stream is self.audio) from error
        for frame in decoded:
            if isinstance(frame, VideoFrame):
                self._see(frame)
            elif isinstance(frame, AudioFrame):
                self._hear(frame)

    def _see(self, frame: VideoFrame) -> None:
        if frame.is_corrupt:
            raise self._damaged(None)
        luma = frame.to_ndarray(format="gray")[::_SPARSE, ::_SPARSE]
        self.luma_sum += float(luma.mean())
        self.frames += 1
        if frame.pts is not None:
            first = frame.pts if self.frames == 1 else self._span[0]
            self._span = (first, max(self._span[1], frame.pts + (frame.duration or 0)))
        if self._progress is not None and self.video.frames:
            self._progress.set(self.frames / self.video.frames)

    def _hear(self, frame: AudioFrame) -> None:
        samples = frame.to_ndarray()
        scale = 1.0 if samples.dtype.kind == "f" else float(1 << (8 * samples.dtype.itemsize - 1))
        self.peak = max(self.peak, float(np.abs(samples.astype(np.float32)).max(initial=0.0)) / scale)
        self._samples += frame.samples

    def _check_complete(self) -> None:
        promised = self.video.frames - self._discarded
        if self.frames == 0 or self.frames < promised:
            raise self._damaged(None)
        seconds = _seconds(self.video) or (self._container.duration or 0) / av.time_base
        if self.video.frames == 0 and self.video_seconds < seconds - _CUT_SHORT_S:
            raise self._damaged(None)
        if self.audio is not None and self.audio_seconds < (_seconds(self.audio) or 0.0) - _CUT_SHORT_S:
            raise self._damaged(None, sound=True)

    def _damaged(self, error: Exception | None, *, sound: bool = False) -> MediaError:
        detail = str(error or "")
        if sound and self.audio is not None:
            return MediaError(
                "video.sound_damaged",
                name=self._name,
                seconds=self.audio_seconds,
                promised=_seconds(self.audio) or 0.0,
                detail=detail,
            )
        rate = float(self.video.average_rate or 0)
        promised = self.video.frames or round((_seconds(self.video) or 0.0) * rate)
        return MediaError("video.damaged", name=self._name, frame=self.frames, promised=promised, detail=detail)


def _seconds(stream: VideoStream | AudioStream) -> float | None:
    """What the container says of the stream's length."""
    return stream.duration * float(stream.time_base or 1) if stream.duration else None
