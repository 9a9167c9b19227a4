"""A clip made ready: upright, square pixels, progressive, SDR BT.709 8-bit, constant 24 fps by time, H.264 + AAC MP4.

Frames are chosen by time before anything is scaled: out frame k is what was on screen at k/24 s of the trimmed range.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import chain
from pathlib import Path
from typing import Final

import av
import numpy as np
from av.audio.stream import AudioStream
from av.container import InputContainer
from av.filter import Graph
from av.video.frame import PictureType
from av.video.stream import VideoStream
from pydantic import BaseModel, ConfigDict

from studio.contract.facts import MediaFacts, VideoFacts
from studio.contract.plan import Planned
from studio.contract.shot import FPS, Reference
from studio.media.colour import Colour, colour_of
from studio.media.container import decoded, open_media, picture_track, rewind, seek
from studio.media.errors import MediaError
from studio.media.hdr import write_table
from studio.media.index import Index, Numbers, is_disposable, read_index
from studio.media.picture_filter import PictureFilter
from studio.media.sound import RATE, Samples, decode_sound

LIMIT_BYTES: Final = 50 << 20
"""A reference clip's upload (vllm-omni 0.30.0, video/generation/helpers.py)."""

SOUND_MIN_S: Final = 2.0
_AAC_FRAME: Final = 1024
_SOUND_BITS: Final = 160_000
_SEEK_EARLIER_S: Final = 0.5


class FrameCount(BaseModel):
    """Where the frames went: of `shown` source frames in the range some were dropped, some sent more than once."""

    model_config = ConfigDict(frozen=True)

    shown: int = 0
    sent: int = 0
    dropped: int = 0
    doubled: int = 0
    sound_seconds: float = 0.0


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
        index = read_index(box, stream)
        if index is None:
            raise MediaError("media.damaged", name=facts.path.name)
        zero = float(index.times[0]) - video.start
        at = zero + planned.start + np.arange(planned.frames) / FPS
        picks = index.picks(at)
        sound = _sound(box, reference, facts, planned, zero)
        table = part.with_suffix(".cube") if video.transfer != "sdr" or video.matrix == "bt2020" else None
        try:
            if table is not None:
                write_table(table, video.transfer)
            chosen = _chosen(box, stream, video, index, picks)
            size = (planned.width, planned.height)
            pictures = _filtered(
                box, stream, chosen, lambda colour: PictureFilter(video, reference.crop, *size, colour, table)
            )
            with _Writer(part, planned, sound) as writer:
                for k, picture in enumerate(pictures):
                    writer.write(picture)
                    report((k + 1) / planned.frames)
        finally:
            if table is not None:
                table.unlink(missing_ok=True)
    used = len(np.unique(picks))
    shown = int(picks[-1] - picks[0]) + 1
    return FrameCount(
        shown=shown,
        sent=planned.frames,
        dropped=shown - used,
        doubled=planned.frames - used,
        sound_seconds=0.0 if sound is None else sound.shape[1] / RATE,
    )


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
    return _deinterlaced(frames, stream) if video.interlaced else frames


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
    for packet in box.demux(stream):
        if needed is not None and packet.size and packet.pts not in needed and is_disposable(packet, stream):
            continue
        try:
            yield from (frame for frame in stream.decode(packet) if frame.time is not None)
        except av.InvalidDataError:
            continue


def _deinterlaced(frames: Iterator[av.VideoFrame], stream: VideoStream) -> Iterator[av.VideoFrame]:
    graph: Graph | None = None
    for frame in frames:
        if graph is None:
            graph = Graph()
            source = graph.add_buffer(template=stream, time_base=frame.time_base)
            graph.link_nodes(source, graph.add("bwdif", "mode=send_frame:deint=interlaced"), graph.add("buffersink"))
            graph.configure()
        graph.vpush(frame)
        yield from _pulled(graph)
    if graph is not None:
        graph.vpush(None)
        yield from _pulled(graph)


def _pulled(graph: Graph) -> Iterator[av.VideoFrame]:
    while True:
        try:
            yield graph.vpull()
        except (av.BlockingIOError, av.EOFError):
            return


def _filtered(
    box: InputContainer,
    stream: VideoStream,
    chosen: Iterator[tuple[av.VideoFrame, int]],
    make: Callable[[Colour], PictureFilter],
) -> Iterator[av.VideoFrame]:
    """Each chosen frame, filtered once, as many times as it is sent."""
    picture_filter: PictureFilter | None = None
    for frame, count in chosen:
        if picture_filter is None:
            picture_filter = make(colour_of(box, stream, frame))
        picture = picture_filter(frame)
        for _ in range(count):
            yield picture


def _sound(
    box: InputContainer, reference: Reference, facts: MediaFacts, planned: Planned, zero: float
) -> Samples | None:
    """The kept sound track, cut to whole AAC frames so that it decodes to what the file says; None without one."""
    if facts.audio is None or not reference.keep_sound or planned.sound_seconds <= 0:
        return None
    left = facts.audio.start + facts.audio.duration - planned.start
    samples = decode_sound(box, box.streams.audio[0], zero + planned.start, min(planned.seconds, left))
    whole = samples.shape[1] // _AAC_FRAME * _AAC_FRAME
    least = int(SOUND_MIN_S * RATE)
    if samples.shape[1] < least:
        return None
    # Only a track of 2.00 to 2.02 s keeps its torn last frame: without it the server would find it too short.
    return samples[:, :whole] if whole >= least else samples


class _Writer:
    """The MP4: H.264 at 24 fps and, with `sound`, AAC, interleaved, index in front."""

    def __init__(self, part: Path, planned: Planned, sound: Samples | None) -> None:
        self._box = av.open(str(part), "w", format="mp4", container_options={"movflags": "+faststart"})
        self._video = self._box.add_stream("libx264", rate=FPS)
        self._video.width, self._video.height, self._video.pix_fmt = planned.width, planned.height, "yuv420p"
        self._video.options = {"preset": "veryfast", "crf": "18", **_capped(planned.seconds)}
        context = self._video.codec_context
        context.time_base = Fraction(1, FPS)
        context.color_primaries, context.color_trc, context.colorspace, context.color_range = 1, 1, 1, 1
        self._sound = sound
        self._audio: AudioStream | None = None
        if sound is not None:
            self._audio = self._box.add_stream("aac", rate=RATE, layout="stereo", bit_rate=_SOUND_BITS)
        self._frames = self._samples = 0

    def __enter__(self) -> _Writer:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self._write_sound(None)
            self._box.mux(self._video.encode(None))
            if self._audio is not None:
                self._box.mux(self._audio.encode(None))
        self._box.close()

    def write(self, picture: av.VideoFrame) -> None:
        """Add one picture and the sound up to its end."""
        picture.pts, picture.time_base = self._frames, Fraction(1, FPS)
        # Else the source's picture types would be forced on the encoder.
        picture.pict_type = PictureType.NONE
        self._box.mux(self._video.encode(picture))
        self._frames += 1
        self._write_sound(self._frames * RATE // FPS)

    def _write_sound(self, until: int | None) -> None:
        if self._sound is None or self._audio is None:
            return
        end = self._sound.shape[1] if until is None else min(until, self._sound.shape[1])
        while self._samples < end and (until is None or self._samples + _AAC_FRAME <= end):
            block = np.ascontiguousarray(self._sound[:, self._samples : self._samples + _AAC_FRAME])
            frame = av.AudioFrame.from_ndarray(block, format="fltp", layout="stereo")
            frame.sample_rate, frame.pts, frame.time_base = RATE, self._samples, Fraction(1, RATE)
            self._box.mux(self._audio.encode(frame))
            self._samples += block.shape[1]


def _capped(seconds: float) -> dict[str, str]:
    """Encoder options that keep the file under the limit whatever the picture: quality gives way, size does not."""
    bits = 0.95 * LIMIT_BYTES * 8 - _SOUND_BITS * seconds
    rate = int(bits / (seconds + 1))
    return {"maxrate": str(min(rate, 100_000_000)), "bufsize": str(min(rate, 100_000_000))}
