"""The pictures of one clip by number, in the order in which they are shown, whatever order they are stored in.

They come as they are sent: progressive, HDR and BT.2020 as SDR BT.709. What is shown, measured and sent agrees.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack
from fractions import Fraction
from itertools import chain
from pathlib import Path
from typing import Final

import av
import numpy as np
import numpy.typing as npt
from av.packet import Packet
from av.video.frame import VideoFrame
from av.video.stream import VideoStream

from studio.media.colour import Colour, Picture, colour_of
from studio.media.container import open_media, picture_decoder, picture_track
from studio.media.deinterlace import LOOK_AT, Deinterlacer, is_interlaced
from studio.media.errors import MediaError
from studio.media.hdr import is_wide, transfer_of
from studio.media.index import is_disposable, packets, read_index
from studio.media.picture_filter import PictureFilter
from studio.media.upright import display_turn, square_size

# One more than cores: at the end of a seek the last pictures come out one by one, and no core may wait for them.
_THREADS: Final = min(4, (os.cpu_count() or 1) + 1)


class Sequence:
    """A cursor over the pictures of a clip: `seek` puts it, `step` decodes the next packet.

    `position` is the number of the next picture that can come out; `ended` says that none is left. Pictures before
    `wanted_from` are decoded only to get there and do not come out. `lost` are numbers of pictures that the file
    promises and that cannot be decoded. `width` × `height` are as shown: upright, square pixels. Blocking, not
    thread-safe.
    Raises MediaError when the file is no clip.
    """

    def __init__(self, path: Path, ground: str | None = None) -> None:
        """`ground` lies under what is transparent, as "#rrggbb"; black unless given."""
        self.path = path
        self._ground = ground or "#000000"
        self._open()
        try:
            index = read_index(self.container, self.stream)
            if index is None:
                raise MediaError("media.damaged", name=path.name)
            self.index = index
            self._numbers = {int(ticks): n for n, ticks in enumerate(self.index.pts)}
            self.lost: set[int] = set()
            self._deinterlacer: Deinterlacer | None = None
            self._to_sdr: PictureFilter | None = None
            self._looked_at: list[tuple[int, VideoFrame]] = []
            self.ended = False
            self.seek(0)
            looked_at = self._first_pictures()
            first = looked_at[0][1]
            if is_interlaced(frame for _, frame in looked_at):
                self._deinterlacer = Deinterlacer()
            self.colour = colour_of(self.container, self.stream, first)
            if is_wide(transfer_of(first), self.colour.matrix):
                ground = self._ground if _has_alpha(first) else None
                self._to_sdr = PictureFilter(self.colour, transfer_of(first), ground=ground)
                self.colour = Colour("bt709", False, self.colour.rule)
            self.planar = _fits_planar(first if self._to_sdr is None else self._to_sdr(first))
            self._turn = display_turn(first)
            self._square = square_size(self.stream, first)
            self.width, self.height = self._square[::-1] if self._turn.transposed else self._square
            self._planes = np.empty(self.width * self.height * 3 // 2, np.uint8)
            if self._deinterlacer is not None or self.ended:
                self.seek(0)
            else:
                # They come out first: decoding them twice would take longer than all else that opening does.
                self._looked_at, self.position = looked_at, looked_at[0][0]
        except BaseException:
            self.close()
            raise

    def __len__(self) -> int:
        return len(self.index)

    @property
    def times(self) -> npt.NDArray[np.float64]:
        """(frames,) float64: when each picture is shown, in seconds from the start of the file."""
        start = (self.container.start_time or 0) / av.time_base
        return self.index.times - start

    @property
    def duration(self) -> Fraction:
        """Seconds from the first picture shown to the end of the last one."""
        return self.index.duration

    def seek(self, n: int, *, skip: bool = False) -> None:
        """Put the cursor at the key frame of picture n.

        With `skip`, pictures before n that no other needs are left out, which reaches n sooner.
        """
        ticks = self.index.key_before(n)
        first = self._go_to(ticks)
        if ticks is not None and (first is None or first.pts is None or first.pts > ticks):
            # The file's own index is coarse and put the cursor too late.
            first = self._go_to(None)
        self._pending = first
        self._looked_at = []
        self.position = 0 if self.index.counted or first is None else self.index.first_from(first.pts)
        self.wanted_from = n if skip and not self.index.counted else self.position
        self._aim = n
        self.ended = False
        if self._deinterlacer is not None:
            self._deinterlacer = Deinterlacer()

    def reaches(self, n: int) -> bool:
        """Whether going on from here comes to picture n with no more decoding than after a seek."""
        if self.ended or not max(self.position, self.wanted_from) <= n:
            return False
        return n == self._aim or self.position >= self.index.first_from(self.index.key_before(n))

    def hurry(self, n: int) -> None:
        """Go on to picture n, which the cursor `reaches`, leaving out what it does not need."""
        if not self.index.counted:
            self.wanted_from = max(self.wanted_from, n)

    def step(self) -> list[tuple[int, VideoFrame]]:
        """Decode one packet: the pictures that came out, with their numbers. After the last one, `ended` is set."""
        if self._looked_at:
            shown, self._looked_at = self._looked_at, []
            self.position = shown[-1][0] + 1
            return self._sent([(n, frame) for n, frame in shown if n >= self.wanted_from])
        packet = self._pending or next(self._packets, None)
        self._pending = None
        if packet is not None and self._can_skip(packet):
            return []
        try:
            decoded = [f for f in self._decoder.decode(packet) if isinstance(f, VideoFrame)]
        except av.FFmpegError:
            # That picture is lost; the decoder goes on with the next one.
            decoded = []
        if self._deinterlacer is not None:
            rest = self._deinterlacer.rest() if packet is None else []
            decoded = [*chain.from_iterable(map(self._deinterlacer, decoded)), *rest]
        shown = [(n, frame) for frame in decoded if (n := self._number(frame)) is not None and n >= self.wanted_from]
        if packet is None:
            self._note_lost(len(self))
            self.ended = True
        return self._sent(shown)

    def raw(self, frame: VideoFrame) -> Picture:
        """Upright, square pixels, flat uint8: planar 4:2:0 as decoded when `planar`, else B, G, R, A.

        Planar pictures share one buffer: it holds until the next call.
        """
        if not self.planar:
            return self.bgra(frame).reshape(-1)
        at = 0
        for plane in frame.reformat(*self._square, "yuv420p", threads=1).planes:
            pixels = np.frombuffer(memoryview(plane), np.uint8).reshape(-1, plane.line_size)[
                : plane.height, : plane.width
            ]
            shown = self._turn.apply(pixels)
            self._planes[at : at + shown.size].reshape(shown.shape)[:] = shown
            at += shown.size
        return self._planes

    def bgra(self, frame: VideoFrame) -> Picture:
        """Upright (height, width, 4) uint8 B, G, R, A with square pixels, opaque."""
        picture = self.colour.bgra(frame, *self._square)
        if _has_alpha(frame):
            opacity = picture[..., 3:].astype(np.uint16)
            under = np.frombuffer(bytes.fromhex(self._ground[1:]), np.uint8)[::-1].astype(np.uint16)
            picture[..., :3] = (picture[..., :3] * opacity + under * (255 - opacity) + 127) // 255
        picture[..., 3] = 255
        return np.ascontiguousarray(self._turn.apply(picture))

    def shrink(self, width: int, height: int) -> None:
        """Give pictures this size, as shown, from now on (even numbers)."""
        self.width, self.height = width, height
        self._square = (height, width) if self._turn.transposed else (width, height)
        self._planes = np.empty(width * height * 3 // 2, np.uint8)

    def close(self) -> None:
        """Close the file."""
        self._files.close()

    def _open(self) -> None:
        self._files = ExitStack()
        self.container = self._files.enter_context(open_media(self.path))
        stream = picture_track(self.container)
        if stream is None:
            self.close()
            raise MediaError("media.no_picture", name=self.path.name)
        self.stream = stream
        self._decoder = picture_decoder(stream)
        self._decoder.thread_type = "AUTO"
        self._decoder.thread_count = _THREADS
        self._packets: Iterator[Packet[VideoStream]] = packets(self.container, self.stream)

    def _go_to(self, ticks: int | None) -> Packet[VideoStream] | None:
        """Put the demuxer at the key frame at `ticks`, or at the start; the first packet from there."""
        if ticks is not None:
            try:
                self.container.seek(ticks, stream=self.stream, backward=True)
                self._decoder.flush_buffers()
                self._packets = packets(self.container, self.stream)
                return next(self._packets, None)
            except av.FFmpegError:
                # Not every container can seek.
                pass
        self.close()
        self._open()
        return next(self._packets, None)

    def _first_pictures(self) -> list[tuple[int, VideoFrame]]:
        found: list[tuple[int, VideoFrame]] = []
        while not self.ended and len(found) < LOOK_AT:
            found += self.step()
        if not found:
            raise MediaError("media.damaged", name=self.path.name)
        return found

    def _sent(self, shown: list[tuple[int, VideoFrame]]) -> list[tuple[int, VideoFrame]]:
        return shown if self._to_sdr is None else [(n, self._to_sdr(frame)) for n, frame in shown]

    def _can_skip(self, packet: Packet[VideoStream]) -> bool:
        if self._deinterlacer is not None:
            return False  # each picture needs the one before it
        number = self._numbers.get(packet.pts) if packet.pts is not None else None
        return number is not None and number < self.wanted_from and is_disposable(packet, self.stream)

    def _number(self, frame: VideoFrame) -> int | None:
        """The frame's number; the cursor moves behind it. None for pictures that are not shown."""
        n = self.position if self.index.counted else self._numbers.get(frame.pts) if frame.pts is not None else None
        if n is None or not self.position <= n < len(self):
            return None
        self._note_lost(n)
        self.position = n + 1
        return n

    def _note_lost(self, until: int) -> None:
        self.lost.update(range(max(self.position, self.wanted_from), until))


def _has_alpha(frame: VideoFrame) -> bool:
    return any(component.is_alpha for component in frame.format.components)


def _fits_planar(frame: VideoFrame) -> bool:
    """Whether 8-bit planar 4:2:0 keeps all of the colour: then a kept picture is 1.5 bytes a pixel, not 4."""
    kind = frame.format
    halved = kind.chroma_width(4) == 2 and kind.chroma_height(4) == 2 and not kind.is_rgb
    return halved and not _has_alpha(frame) and frame.width % 2 == 0 and frame.height % 2 == 0
