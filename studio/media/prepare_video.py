"""A clip made ready: upright, square pixels, progressive, SDR BT.709 8-bit, constant 24 fps by time, H.264 + AAC MP4.

Frames are chosen by time before anything is scaled: out frame k is what was on screen at k/24 s of the trimmed range.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from itertools import chain
from pathlib import Path
from typing import Final

import av
import numpy as np
from av.container import InputContainer
from av.video.stream import VideoStream
from pydantic import BaseModel, ConfigDict

from studio.contract.facts import MediaFacts, VideoFacts
from studio.contract.plan import SOUND_MIN_S, Planned
from studio.contract.shot import FPS, Crop, Reference
from studio.media.ahead import ahead
from studio.media.clip_writer import AAC_FRAME, ClipWriter
from studio.media.colour import Colour, colour_of
from studio.media.container import decoded, open_media, picture_decoder, picture_track, rewind, seek, sound_track
from studio.media.deinterlace import Deinterlacer
from studio.media.errors import MediaError
from studio.media.hdr import is_wide
from studio.media.index import Index, Numbers, is_disposable, read_index
from studio.media.picture_filter import PictureFilter, Step
from studio.media.sound import RATE, Samples, decode_sound

_SEEK_EARLIER_S: Final = 0.5
_WAITING: Final = 4  # pictures
_LARGE_PIXELS: Final = 1920 * 1088


class FrameCount(BaseModel):
    """Where the frames went: of `shown` source frames in the range some were dropped, some sent more than once."""

    model_config = ConfigDict(frozen=True)

    shown: int = 0
    sent: int = 0
    dropped: int = 0
    doubled: int = 0


def make_clip(
    report: Callable[[float], None], facts: MediaFacts, reference: Reference, planned: Planned, part: Path
) -> FrameCount:
    """Write the prepared clip to `part`; `report` hears the fraction done. Blocking. Raises MediaError, OSError."""
    video = facts.video
    with open_media(facts.path) as box:
        stream = picture_track(box)
        if stream is None or video is None:
            raise MediaError("media.no_picture", name=facts.path.name)
        stream.thread_type = "AUTO"
        stream.codec_context.thread_count = _decoder_threads(video)
        index = read_index(box, stream)
        if index is None:
            raise MediaError("media.damaged", name=facts.path.name)
        zero = float(index.times[0]) - video.start
        at = zero + planned.start + np.arange(planned.frames) / FPS
        picks = index.picks(at)
        pictures = _filtered(
            box,
            stream,
            _chosen(box, stream, video, index, picks),
            lambda colour: _sending_filter(video, reference, planned, colour),
        )
        writer = ClipWriter(part, planned, lambda: _sound(facts.path, planned, zero))
        with writer, closing(ahead(pictures, _WAITING)) as ready:
            writer.write(ready, lambda n: report(n / planned.frames))
    used = len(np.unique(picks))
    shown = int(picks[-1] - picks[0]) + 1
    return FrameCount(
        shown=shown,
        sent=planned.frames,
        dropped=shown - used,
        doubled=planned.frames - used,
    )


def _decoder_threads(video: VideoFacts) -> int:
    """As many as there are cores for large pictures; else one less, for the encoder has as much to do."""
    cores = os.cpu_count() or 1
    return cores if video.width * video.height > _LARGE_PIXELS else max(1, cores - 1)


def _chosen(
    box: InputContainer, stream: VideoStream, video: VideoFacts, index: Index, picks: Numbers
) -> Iterator[tuple[av.VideoFrame, int]]:
    """The picked frames in order, each with how many times it is sent; the one before stands in for a lost one."""
    numbers, counts = np.unique(picks, return_counts=True)
    wanted = [*zip(index.times[numbers], counts, strict=True)]
    slack = float(index.tick) / 2
    held: av.VideoFrame | None = None
    n = 0
    for frame in _frames(box, stream, video, index, numbers):
        while n < len(wanted) and held is not None and frame.time > wanted[n][0] + slack:
            yield held, int(wanted[n][1])
            n += 1
        if n == len(wanted):
            return
        held = frame
    if held is None:
        raise MediaError("media.damaged", name=Path(box.name).name)
    for _, count in wanted[n:]:
        yield held, int(count)


def _frames(
    box: InputContainer, stream: VideoStream, video: VideoFacts, index: Index, numbers: Numbers
) -> Iterator[av.VideoFrame]:
    """Progressive frames from the first picked one (or a little before) on."""
    if index.counted:
        frames = _counted(box, stream, index)
    else:
        needed = None if video.interlaced else frozenset(index.pts[numbers].tolist())
        frames = _from(box, stream, float(index.times[numbers[0]]), needed)
    return Deinterlacer().all_of(frames) if video.interlaced else frames


def _counted(box: InputContainer, stream: VideoStream, index: Index) -> Iterator[av.VideoFrame]:
    """All frames from the start, with the times that the index gives them."""
    rewind(box, stream)
    for pts, frame in zip(index.pts, decoded(box, stream), strict=False):
        frame.pts, frame.time_base = int(pts), index.tick
        yield frame


def _from(
    box: InputContainer, stream: VideoStream, first_time: float, needed: frozenset[int] | None
) -> Iterator[av.VideoFrame]:
    """Frames from the one at `first_time` seconds, or from an earlier one."""
    seek(box, stream, first_time - _SEEK_EARLIER_S)
    frames = _timed(box, stream, needed)
    first = next(frames, None)
    if first is not None and first.time <= first_time + 1e-6:
        return chain([first], frames)
    rewind(box, stream)
    return _timed(box, stream, needed)


def _timed(box: InputContainer, stream: VideoStream, needed: frozenset[int] | None) -> Iterator[av.VideoFrame]:
    """Decoded frames that have a time. Pictures that nobody needs, neither we nor another picture, are not decoded."""
    decoder = picture_decoder(stream)
    for packet in box.demux(stream):
        if needed is not None and packet.size and packet.pts not in needed and is_disposable(packet, stream):
            continue
        try:
            yield from (frame for frame in decoder.decode(packet) if frame.time is not None)
        except av.InvalidDataError:
            continue


def _filtered(
    box: InputContainer,
    stream: VideoStream,
    chosen: Iterator[tuple[av.VideoFrame, int]],
    make: Callable[[Colour], PictureFilter],
) -> Generator[av.VideoFrame, None, None]:
    """Each chosen frame, filtered once, as many times as it is sent."""
    picture_filter: PictureFilter | None = None
    for frame, count in chosen:
        if picture_filter is None:
            picture_filter = make(colour_of(box, stream, frame))
        picture = picture_filter(frame)
        for _ in range(count):
            yield picture


def _sending_filter(video: VideoFacts, reference: Reference, planned: Planned, colour: Colour) -> PictureFilter:
    """What makes the pictures of a clip ready to be sent: upright, cropped, opaque, of the planned size, SDR."""
    crop = reference.crop

    def before(frame: av.VideoFrame) -> list[Step]:
        turned = video.rotation in (90, 270)
        size = (frame.height, frame.width) if turned else (frame.width, frame.height)
        return [*_upright(video), *([("crop", _crop_args(crop, *size))] if crop is not None else [])]

    wide = video.transfer if is_wide(video.transfer, video.matrix) else None
    ground = reference.ground if video.alpha else None
    return PictureFilter(colour, wide, ground=ground, size=(planned.width, planned.height), before=before)


def _upright(video: VideoFacts) -> list[Step]:
    steps = [("hflip", "")] if video.mirrored else []
    match video.rotation:
        case 90:
            steps.append(("transpose", "clock"))
        case 180:
            steps += [("hflip", ""), ("vflip", "")]
        case 270:
            steps.append(("transpose", "cclock"))
    return steps


def _crop_args(crop: Crop, width: int, height: int) -> str:
    w, h = max(2, round(width * crop.width)), max(2, round(height * crop.height))
    return f"{w}:{h}:{round(width * crop.x)}:{round(height * crop.y)}:exact=1"


def _sound(path: Path, planned: Planned, zero: float) -> Samples:
    """The planned sound track, cut to whole AAC frames so that it decodes to what the file says."""
    with open_media(path) as box:
        stream = sound_track(box)
        assert stream is not None, "it was heard by the probe"
        samples = decode_sound(box, stream, zero + planned.start, planned.sound_seconds)
    whole = samples.shape[1] // AAC_FRAME * AAC_FRAME
    # Only a track of 2.00 to 2.02 s keeps its torn last frame: without it the server would find it too short.
    return samples[:, :whole] if whole >= SOUND_MIN_S * RATE else samples
