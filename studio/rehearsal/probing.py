"""Facts of an uploaded clip or sound as the server's `ffprobe` calls give them (vllm-omni 0.30.0, reference_video.py).

Sizes are the stored ones (no rotation, no sample aspect ratio), the rate is `r_frame_rate`, the duration is the first
video stream's, else the container's, else frames over rate.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import av
from av.audio.stream import AudioStream
from av.container import InputContainer
from av.video.stream import VideoStream

_SHOW_VIDEO = (
    "stream=codec_type,codec_name,width,height,r_frame_rate,nb_read_frames,nb_frames,duration,"
    "sample_aspect_ratio:format=format_name,size,duration"
)
_SHOW_AUDIO = "stream=codec_type,codec_name,duration:format=format_name,size,duration"


class ProbeError(Exception):
    """The sentence the server's job would carry."""


@dataclass(frozen=True, slots=True)
class ClipFacts:
    """Pixels, frames a second, seconds, bytes; codec names of all sound streams."""

    width: int
    height: int
    fps: float
    duration: float
    formats: tuple[str, ...]
    codec: str
    audio_codecs: tuple[str, ...]
    size: int


@dataclass(frozen=True, slots=True)
class SoundFacts:
    """Seconds, container names, codec, bytes of a standalone sound."""

    duration: float
    formats: tuple[str, ...]
    codec: str
    size: int


def _open(path: Path, entries: str) -> InputContainer:
    try:
        return av.open(str(path))
    except av.FFmpegError as error:
        command = ["ffprobe", "-v", "error", "-show_entries", entries, "-of", "json", str(path)]
        raise ProbeError(f"Command '{command}' returned non-zero exit status 1.") from error


def _stream_seconds(stream: VideoStream | AudioStream, container: InputContainer) -> float | None:
    if stream.duration is not None and stream.time_base is not None:
        return float(stream.duration * stream.time_base)
    return container.duration / av.time_base if container.duration is not None else None


def _counted(container: InputContainer, stream: VideoStream) -> int:
    try:
        return sum(1 for _ in container.decode(stream))
    except av.FFmpegError:
        return 0


def _mp3_seconds(container: InputContainer, stream: AudioStream) -> float:
    """All frames, encoder padding included: newer libraries subtract it, the server's ffprobe 5.1 does not."""
    frames = sum(1 for packet in container.demux(stream) if packet.size)
    return frames * stream.codec_context.frame_size / stream.rate


def probe_clip(path: Path) -> ClipFacts:
    """Facts of a reference clip. Raises ProbeError with the server's words."""
    with _open(path, _SHOW_VIDEO) as container:
        if not container.streams.video:
            raise ProbeError(f"media has no video stream: {path}")
        stream = container.streams.video[0]
        if not stream.base_rate:
            raise ProbeError(f"cannot determine video FPS: {path}")
        fps = float(stream.base_rate)
        duration = _stream_seconds(stream, container)
        if duration is None:
            duration = (stream.frames or _counted(container, stream)) / fps
        return ClipFacts(
            width=stream.width,
            height=stream.height,
            fps=fps,
            duration=duration,
            formats=tuple(container.format.name.split(",")),
            codec=stream.codec_context.codec.canonical_name,
            audio_codecs=tuple(s.codec_context.codec.canonical_name for s in container.streams.audio),
            size=path.stat().st_size,
        )


def probe_sound(path: Path) -> SoundFacts:
    """Facts of a standalone sound. Raises ProbeError with the server's words."""
    with _open(path, _SHOW_AUDIO) as container:
        if not container.streams.audio:
            raise ProbeError(f"media has no audio stream: {path}")
        stream = container.streams.audio[0]
        duration = _stream_seconds(stream, container)
        if container.format.name == "mp3":
            duration = _mp3_seconds(container, stream)
        if duration is None:
            raise ProbeError(f"cannot determine audio duration: {path}")
        codec = stream.codec_context.codec.canonical_name
        return SoundFacts(duration, tuple(container.format.name.split(",")), codec, path.stat().st_size)


def decoded_seconds(path: Path, start: float = 0.0, limit: float | None = None) -> float:
    """Seconds of sound that really decode, from `start`, at most `limit`."""
    with av.open(str(path)) as container:
        stream = container.streams.audio[0]
        samples, rate = 0, stream.rate or 1
        try:
            for frame in container.decode(stream):
                samples, rate = samples + frame.samples, frame.sample_rate
        except av.FFmpegError:
            pass  # what decoded up to the damage counts, as in the server's own conversion
    seconds = max(0.0, samples / rate - start)
    return seconds if limit is None else min(seconds, limit)
