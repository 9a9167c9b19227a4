"""When each picture of a clip is shown, read from its packets without decoding.

So frame n is known before anything is decoded: groups of pictures of any length, B-frames, variable rate, edit lists.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import av
import numpy as np
import numpy.typing as npt
from av.container import InputContainer
from av.packet import Packet
from av.video.stream import VideoStream


@dataclass(frozen=True, slots=True)
class Index:
    """Times in ticks of the stream: `pts` of the pictures as shown, ascending; `keys` of the key frames."""

    pts: npt.NDArray[np.int64]
    keys: npt.NDArray[np.int64]
    last_duration: int
    """Ticks for which the last picture stays."""
    counted: bool = False
    """The file has no usable times: pictures are numbered by decoding from the start, which is the only way in."""

    def key_before(self, n: int) -> int | None:
        """Ticks of the key frame from which frame n can be decoded; None: from the start of the file."""
        at = int(np.searchsorted(self.keys, self.pts[n], side="right")) - 1
        return None if self.counted or at < 0 else int(self.keys[at])

    def first_from(self, ticks: int | None) -> int:
        """The number of the first picture shown at or after `ticks`."""
        return 0 if ticks is None else int(np.searchsorted(self.pts, ticks))


def read_index(container: InputContainer, stream: VideoStream) -> Index | None:
    """The index from one pass over the packets; None when they carry no times."""
    shown: list[tuple[int, int]] = []
    keys: list[int] = []
    for packet in packets(container, stream):
        if not packet.size:
            continue
        if packet.pts is None:
            return None
        if packet.is_keyframe:
            keys.append(packet.pts)
        if not packet.is_discard and not _is_hidden(packet, stream):
            shown.append((packet.pts, packet.duration or 0))
    shown.sort()
    pts = np.unique(np.array([ticks for ticks, _ in shown], np.int64))
    typical = int(np.median(np.diff(pts))) if len(pts) > 1 else 0
    return Index(pts, np.unique(np.array(keys, np.int64)), (shown[-1][1] if shown else 0) or typical)


def count_index(container: InputContainer, stream: VideoStream) -> Index:
    """The index of a file without times: all of it is decoded and counted, at the stream's average rate."""
    frames = 0
    for packet in packets(container, stream):
        try:
            frames += len(packet.decode())
        except av.FFmpegError:
            continue
    rate = stream.average_rate or stream.guessed_rate or 25
    step = max(1, round(1 / (rate * (stream.time_base or 1))))
    return Index(np.arange(frames, dtype=np.int64) * step, np.zeros(0, np.int64), step, counted=True)


def packets(container: InputContainer, stream: VideoStream) -> Iterator[Packet[VideoStream]]:
    """The stream's packets from here to the end of the file, or to where it breaks off."""
    try:
        yield from container.demux(stream)
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


def _is_hidden(packet: Packet[VideoStream], stream: VideoStream) -> bool:
    """A VP8 packet may hold a picture that is only referred to (RFC 6386, 9.1: show_frame)."""
    return stream.codec_context.name == "vp8" and not memoryview(packet)[0] >> 4 & 1
