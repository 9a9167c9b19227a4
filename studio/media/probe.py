"""What a file is: decoded truth, with what the server will measure beside it. Kind by content, never by name."""

from __future__ import annotations

import asyncio
import math
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final, cast

import av
import numpy as np
from av.audio.stream import AudioStream
from av.container import InputContainer
from av.sidedata.sidedata import SideData
from av.video.stream import VideoStream

from studio.contract.facts import AudioFacts, MediaFacts, Transfer, VideoFacts
from studio.contract.plan import even
from studio.contract.shot import FPS
from studio.media import sound
from studio.media.colour import colour_of
from studio.media.container import container_name, decoded, open_media, picture_track, rewind
from studio.media.errors import MediaError
from studio.media.pictures import MAX_PIXELS, image_facts, open_still, too_large
from studio.media.timeline import Timeline, read_timeline
from studio.media.workers import Workers

TIMEOUT_S: Final = 30.0
_SLOWEST_DISK: Final = 50e6
_LOOK_AT: Final = 6
_TRANSFERS: Final[dict[int, Transfer]] = {16: "pq", 18: "hlg"}


async def probe(workers: Workers, path: Path) -> MediaFacts:
    """`probe_file` in a worker. Raises MediaError, also when the file crashes the decoder or hangs it.

    It may take 30 s, and as long again as a slow disk (50 MB/s) needs to read the file.
    """
    size = await asyncio.to_thread(_size, path)
    return await workers.run(probe_file, path, timeout=TIMEOUT_S + size / _SLOWEST_DISK)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def probe_file(path: Path) -> MediaFacts:
    """Measure a video, picture or sound file. Blocking; reads all of it. Raises MediaError with the reason."""
    path = Path(os.path.abspath(path))  # noqa: PTH100  (resolve() would give up the user's own name of it)
    with open_still(path) as image:
        if image is not None:
            return _facts(path, "image", (image.format or "").lower(), image=image_facts(image))
    with open_media(path) as box:
        stream = picture_track(box)
        timeline = read_timeline(box, stream) if stream else None
        heard = _hear(box)
        name = container_name(box)
        if stream is None or timeline is None:
            if heard is None:
                raise MediaError("media.damaged", name=path.name)
            facts = sound.audio_facts(box, heard.stream, heard.start, heard.end).model_copy(update={"start": 0.0})
            return _facts(path, "audio", name, duration=facts.duration, audio=facts)
        zero = _zero(float(timeline.times[0]), heard)
        video = _video_facts(path, box, stream, timeline, zero)
        audio = None if heard is None else _sound_of_clip(box, heard, zero)
        return _facts(path, "video", name, duration=video.start + video.duration, video=video, audio=audio)


def _facts(path: Path, kind: str, container: str, **known: object) -> MediaFacts:
    stat = path.stat()
    return MediaFacts.model_validate(
        {
            "path": path,
            "kind": kind,
            "container": container,
            "size_bytes": stat.st_size,
            "mtime_ns": stat.st_mtime_ns,
            **known,
        }
    )


@dataclass(frozen=True, slots=True)
class _Heard:
    stream: AudioStream
    start: float
    end: float


def _hear(box: InputContainer) -> _Heard | None:
    if not box.streams.audio:
        return None
    stream = box.streams.audio[0]
    span = sound.measure(box, stream)
    return _Heard(stream, *span) if span else None


def _zero(first_picture: float, heard: _Heard | None) -> float:
    """Where the clip begins: with its first picture, or with sound that starts clearly earlier.

    Less than a frame is a coder's delay that its container could not tell of, and no reason to show a picture longer.
    """
    if heard is None or first_picture - heard.start < 1 / FPS:
        return first_picture
    return heard.start


def _sound_of_clip(box: InputContainer, heard: _Heard, zero: float) -> AudioFacts:
    return sound.audio_facts(box, heard.stream, heard.start - zero, heard.end - zero)


def _video_facts(path: Path, box: InputContainer, stream: VideoStream, timeline: Timeline, zero: float) -> VideoFacts:
    # Only an MP4's or MOV's index counts what is really there.
    promised = stream.frames if container_name(box) in ("mp4", "mov") else 0
    seconds = timeline.end - float(timeline.times[0])
    if promised and timeline.stored < promised - 1 and timeline.stored < 0.99 * promised:
        at_rate = promised * seconds / len(timeline.times)
        raise MediaError("media.cut_short", name=path.name, promised=at_rate, seconds=seconds)
    frames = _first_frames(box, stream)
    if not frames:
        raise MediaError("media.damaged", name=path.name)
    first = frames[0]
    if first.width * first.height > MAX_PIXELS:
        raise too_large(path.name, first.width, first.height)
    sar = stream.sample_aspect_ratio or 1
    rotation, mirrored = _turn(first)
    width, height = first.width * float(sar), float(first.height)
    if rotation in (90, 270):
        width, height = height, width
    tick = float(stream.time_base or 0)
    colour = colour_of(box, stream, first)
    components = first.format.components
    return VideoFacts(
        codec=stream.codec_context.codec.canonical_name,
        width=first.width,
        height=first.height,
        display_width=even(width),
        display_height=even(height),
        rotation=rotation,
        mirrored=mirrored,
        sar=sar.as_integer_ratio(),
        fps=len(timeline.times) / seconds if seconds else 0.0,
        server_fps=float(stream.base_rate or stream.guessed_rate or 0),
        vfr=timeline.varies(tick),
        frames=len(timeline.times),
        duration=seconds,
        server_duration=stream.duration * tick if stream.duration else (box.duration or 0) / av.time_base,
        start=float(timeline.times[0]) - zero,
        pix_fmt=first.format.name,
        bit_depth=max(c.bits for c in components),
        interlaced=any(f.interlaced_frame for f in frames),
        transfer=_TRANSFERS.get(first.color_trc, "sdr"),
        full_range=colour.full_range and colour.matrix != "rgb",
        matrix=colour.matrix if colour.rule == "tag" and colour.matrix != "rgb" else None,
        alpha=any(c.is_alpha for c in components),
        edit_list=timeline.hidden > 0 or abs(float(timeline.times[0]) - zero) > tick,
    )


def _first_frames(box: InputContainer, stream: VideoStream) -> list[av.VideoFrame]:
    rewind(box, stream)
    frames: list[av.VideoFrame] = []
    for frame in decoded(box, stream):
        frames.append(frame)
        if len(frames) == _LOOK_AT:
            break
    return frames


def _turn(frame: av.VideoFrame) -> tuple[int, bool]:
    """Degrees clockwise, and whether the picture is mirrored left to right before that (ISO 14496-12 matrix)."""
    data = cast("SideData | None", frame.side_data.get("DISPLAYMATRIX"))
    if data is None:
        return 0, False
    a, b, _, c, d = np.frombuffer(bytes(data), dtype="<i4")[:5].astype(np.float64)
    mirrored = a * d - b * c < 0
    angle = math.degrees(math.atan2(-b, -a) if mirrored else math.atan2(b, a))
    return round(angle / 90) * 90 % 360, bool(mirrored)
