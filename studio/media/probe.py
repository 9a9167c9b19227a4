"""What a file is: decoded truth, with what the server will measure beside it. Kind by content, never by name."""

from __future__ import annotations

import os
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Final

import av
from av.audio.stream import AudioStream
from av.container import InputContainer
from av.video.stream import VideoStream

from studio.contract.facts import AudioFacts, MediaFacts, VideoFacts
from studio.contract.plan import even
from studio.contract.shot import FPS
from studio.media import sound
from studio.media.colour import colour_of
from studio.media.container import (
    container_name,
    decoded,
    open_media,
    picture_track,
    picture_tracks,
    promised_seconds,
    rewind,
    sound_track,
)
from studio.media.deinterlace import LOOK_AT, is_interlaced
from studio.media.disk import ask
from studio.media.errors import MediaError
from studio.media.hdr import transfer_of
from studio.media.headers import header_facts
from studio.media.index import Index, read_index
from studio.media.pictures import MAX_PIXELS, image_facts, open_still, too_large
from studio.media.upright import display_turn
from studio.media.workers import Workers

TIMEOUT_S: Final = 30.0
_SLOWEST_DISK: Final = 50e6
_LARGE_BYTES: Final = 32 << 20


async def probe(workers: Workers, path: Path) -> MediaFacts:
    """`probe_file` in a worker. Raises MediaError, also when the file crashes the decoder or hangs it.

    It may take 30 s, and as long again as a slow disk (50 MB/s) needs to read the file.
    """
    size = await ask(workers, _size, path, name=path.name)
    return await workers.run(probe_file, path, timeout=TIMEOUT_S + size / _SLOWEST_DISK)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


async def glance(workers: Workers, path: Path) -> MediaFacts | None:
    """What the headers of a large file say (`exact` is False), while `probe` reads on.

    None for a file that is read through in a moment. Raises MediaError as `probe` does.
    """
    await ask(workers, _size, path, name=path.name)
    return await workers.run(glance_file, path, timeout=TIMEOUT_S)


def probe_file(path: Path) -> MediaFacts:
    """Measure a video, picture or sound file. Blocking; reads all of it. Raises MediaError with the reason."""
    path = Path(os.path.abspath(path))  # noqa: PTH100  (resolve() would give up the user's own name of it)
    with open_still(path) as image:
        if image is not None:
            return _facts(path, "image", (image.format or "").lower(), image=image_facts(image))
    with open_media(path) as box:
        stream = picture_track(box)
        index = read_index(box, stream) if stream else None
        return _clip_or_sound(path, box, stream, index, _hear(box))


def glance_file(path: Path, least: int = _LARGE_BYTES) -> MediaFacts | None:
    """`glance`, blocking; `least` is the size in bytes from which a file is large."""
    with open_still(path) as image:
        return header_facts(path) if image is None and _size(path) >= least else None


def _clip_or_sound(
    path: Path,
    box: InputContainer,
    stream: VideoStream | None,
    index: Index | None,
    heard: _Heard | None,
) -> MediaFacts:
    name = container_name(box)
    if stream is None or index is None:
        if heard is None:
            raise MediaError("media.damaged", name=path.name)
        facts = sound.audio_facts(box, heard.stream, heard.start, heard.end).model_copy(update={"start": 0.0})
        return _facts(path, "audio", name, duration=facts.duration, audio=facts)
    zero = _zero(float(index.times[0]), heard)
    video = _video_facts(path, box, stream, index, zero)
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
    stream = sound_track(box)
    span = sound.measure(box, stream) if stream is not None else None
    return _Heard(stream, *span) if stream is not None and span else None


def _zero(first_picture: float, heard: _Heard | None) -> float:
    """Where the clip begins: with its first picture, or with sound that starts clearly earlier.

    Less than a frame is a coder's delay that its container could not tell of, and no reason to show a picture longer.
    """
    if heard is None or first_picture - heard.start < 1 / FPS:
        return first_picture
    return heard.start


def _sound_of_clip(box: InputContainer, heard: _Heard, zero: float) -> AudioFacts:
    return sound.audio_facts(box, heard.stream, heard.start - zero, heard.end - zero)


def _video_facts(path: Path, box: InputContainer, stream: VideoStream, index: Index, zero: float) -> VideoFacts:
    seen = box.streams.video[0]  # by the server, cover art or not
    # Only an MP4's or MOV's index counts what is really there.
    promised = stream.frames if container_name(box) in ("mp4", "mov") else 0
    seconds, begins = float(index.duration), float(index.times[0])
    if promised and index.stored < promised - 1 and index.stored < 0.99 * promised:
        at_rate = promised * seconds / len(index)
        raise MediaError("media.cut_short", name=path.name, promised=at_rate, seconds=seconds)
    frames = _first_frames(box, stream)
    if not frames:
        raise MediaError("media.damaged", name=path.name)
    first = frames[0]
    if first.width * first.height > MAX_PIXELS:
        raise too_large(path.name, first.width, first.height)
    sar = stream.sample_aspect_ratio or 1
    turn = display_turn(first)
    width, height = first.width * float(sar), float(first.height)
    if turn.transposed:
        width, height = height, width
    colour = colour_of(box, stream, first)
    components = first.format.components
    return VideoFacts(
        codec=stream.codec_context.codec.canonical_name,
        width=first.width,
        height=first.height,
        display_width=even(width),
        display_height=even(height),
        rotation=turn.degrees,
        mirrored=turn.mirrored,
        sar=sar.as_integer_ratio(),
        fps=len(index) / seconds if seconds else 0.0,
        server_fps=float(seen.base_rate or seen.guessed_rate or 0),
        vfr=index.varies,
        frames=len(index),
        duration=seconds,
        server_duration=promised_seconds(box, seen),
        start=begins - zero,
        pix_fmt=first.format.name,
        bit_depth=max(c.bits for c in components),
        interlaced=is_interlaced(frames),
        transfer=transfer_of(first),
        full_range=colour.full_range and colour.matrix != "rgb",
        matrix=colour.matrix if colour.rule == "tag" and colour.matrix != "rgb" else None,
        alpha=any(c.is_alpha for c in components),
        edit_list=index.hidden > 0 or abs(begins - zero) > float(index.tick),
        tracks=len(picture_tracks(box)),
    )


def _first_frames(box: InputContainer, stream: VideoStream) -> list[av.VideoFrame]:
    rewind(box, stream)
    return list(islice(decoded(box, stream), LOOK_AT))
