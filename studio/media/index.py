"""When each picture of a clip is shown: from its packets where they tell, from decoding where they do not.

So frame n is known before anything is decoded: groups of pictures of any length, B-frames, variable rate, edit lists.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import av
import numpy as np
import numpy.typing as npt
from av.container import InputContainer
from av.packet import Packet
from av.video.stream import VideoStream

from studio.media.container import decoded, rewind

Seconds = npt.NDArray[np.float64]
Numbers = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Index:
    """The pictures of a stream in the order in which they are shown. All times on the container's own clock."""

    pts: Numbers
    """(frames,) when each picture is shown, in ticks, rising; never empty."""
    end: Fraction
    """When the last picture ends, in seconds."""
    tick: Fraction
    """Seconds of one tick: the stream's time base."""
    keys: Numbers
    """When the key frames are shown, in ticks, rising."""
    stored: int
    """Pictures in the file, with those that an edit list hides."""
    hidden: int = 0
    counted: bool = False
    """Packets do not tell the times: pictures are numbered by decoding from the start, which is the only way in."""

    def __len__(self) -> int:
        return len(self.pts)

    @property
    def times(self) -> Seconds:
        """(frames,) when each picture is shown, in seconds."""
        return np.asarray(self.pts * float(self.tick), np.float64)

    @property
    def duration(self) -> Fraction:
        """Seconds from the first picture shown to the end of the last one."""
        return self.end - int(self.pts[0]) * self.tick

    @property
    def varies(self) -> bool:
        """Whether a picture is shown for another time than the average one; rounding to ticks does not count."""
        if len(self) < 3:
            return False
        steps = np.diff(self.pts)
        return bool(np.abs(steps - steps.mean()).max() > 2 + 0.1 * steps.mean())

    def picks(self, at: Seconds) -> Numbers:
        """(n,) numbers of the pictures on screen at the moments `at` (rising); the first one before it is shown."""
        # A time base may be coarse (1 ms in Matroska): half a tick early is on time.
        slack = min(0.51 * float(self.tick), 0.001) + 1e-9
        return np.maximum(np.searchsorted(self.times, at + slack, side="right") - 1, 0).astype(np.int64)

    def key_before(self, n: int) -> int | None:
        """Ticks of the key frame from which picture n can be decoded; None: from the start of the file."""
        at = int(np.searchsorted(self.keys, self.pts[n], side="right")) - 1
        return None if self.counted or at < 0 else int(self.keys[at])

    def first_from(self, ticks: int | None) -> int:
        """The number of the first picture shown at or after `ticks`."""
        return 0 if ticks is None else int(np.searchsorted(self.pts, ticks))


def read_index(box: InputContainer, stream: VideoStream) -> Index | None:
    """The index from one pass over the packets (or, without times there, over the pictures); None without a picture.

    Leaves the reading position anywhere.
    """
    shown: list[tuple[int, int]] = []
    keys: list[int] = []
    stored = hidden = 0
    for packet in packets(box, stream):
        if not packet.size or packet.is_corrupt:
            continue
        if packet.pts is None:
            return _counted(box, stream)
        stored += 1
        hidden += packet.is_discard
        if packet.is_keyframe:
            keys.append(packet.pts)
        if not packet.is_discard and not _is_never_shown(packet, stream):
            shown.append((packet.pts, packet.duration or 0))
    return _index(stream, shown, keys, stored, hidden) if shown else None


def packets(box: InputContainer, stream: VideoStream) -> Iterator[Packet[VideoStream]]:
    """The stream's packets from here to the end of the file, or to where it breaks off."""
    try:
        yield from box.demux(stream)
    except av.FFmpegError:
        return


def is_disposable(packet: Packet[VideoStream], stream: VideoStream) -> bool:
    """Whether no other picture needs this one: flagged so, or H.264 in MP4 with nal_ref_idc 0 in its first slice."""
    if packet.is_disposable:
        return True
    extra = stream.codec_context.extradata or b""
    if stream.codec_context.name != "h264" or extra[:1] != b"\x01" or len(extra) < 5:
        return False
    length = (extra[4] & 3) + 1
    data = bytes(memoryview(packet)[:4096])
    at = 0
    while at + length < len(data):
        header = data[at + length]
        if 1 <= header & 31 <= 5:
            return header >> 5 & 3 == 0
        at += length + int.from_bytes(data[at : at + length], "big")
    return False


def _is_never_shown(packet: Packet[VideoStream], stream: VideoStream) -> bool:
    """A VP8 packet may hold a picture that is only referred to (RFC 6386, 9.1: show_frame)."""
    return stream.codec_context.name == "vp8" and not memoryview(packet)[0] >> 4 & 1


def _counted(box: InputContainer, stream: VideoStream) -> Index | None:
    """All of it decoded; pictures without a time come at the stream's average rate."""
    rewind(box, stream)
    found = [(frame.pts, frame.duration or 0) for frame in decoded(box, stream)]
    timed = [(pts, duration) for pts, duration in found if pts is not None]
    if len({pts for pts, _ in timed}) < len(found):
        rate = stream.average_rate or stream.guessed_rate or Fraction(25)
        step = max(1, round(1 / (rate * (stream.time_base or Fraction(1)))))
        timed = [(n * step, step) for n in range(len(found))]
    return _index(stream, timed, [], len(timed), 0, counted=True) if timed else None


def _index(
    stream: VideoStream,
    shown: list[tuple[int, int]],
    keys: list[int],
    stored: int,
    hidden: int,
    *,
    counted: bool = False,
) -> Index:
    shown.sort()
    # Of two pictures at one moment only the later one is seen.
    pts = np.unique(np.array([ticks for ticks, _ in shown], np.int64))
    tick = stream.time_base or Fraction(1)
    end = (int(pts[-1]) + _last_step(pts, shown[-1][1])) * tick
    return Index(pts, end, tick, np.unique(np.array(keys, np.int64)), stored, hidden, counted)


def _last_step(pts: Numbers, promised: int) -> Fraction:
    """Ticks for which the last picture is shown: as its packet says, or like all others where that is rounded."""
    if len(pts) < 2:
        return Fraction(promised)
    usual = Fraction(int(pts[-1] - pts[0]), len(pts) - 1)
    steady = np.abs(np.diff(pts) - float(usual)).max() < 1
    return usual if not promised or (steady and abs(promised - usual) <= 1) else Fraction(promised)
