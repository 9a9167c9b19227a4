"""Pictures of a file, upright, one after the other in the order they are shown. Blocking: runs in a worker."""

from __future__ import annotations

import errno
import os
import queue
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt
from av.video.frame import VideoFrame
from av.video.reformatter import ColorRange

from studio.media._cv import cv2
from studio.media.colour import Colour
from studio.media.frame_store import Shared
from studio.media.sequence import Sequence
from studio.media.stills import read_still
from studio.media.upright import UPRIGHT, Turn, display_turn, square_size

S = TypeVar("S")
T = TypeVar("T")
Bytes = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]

AHEAD = 4
"""Pictures that wait for the other clip; 4 MB each at 1344×768."""
STILL_FPS = 24.0
JITTER = 0.3
"""A clip whose steps stay this near to their mean (relative) has a constant rate; 1 ms time bases jitter by 2 %."""

_LIMITED_LUMA = {"yuv420p", "yuv422p", "yuv444p", "nv12"}
_STILL_COLOUR = Colour("rgb", True, "tag")


@dataclass(frozen=True, slots=True)
class Picture:
    """One picture as a person sees it, and its luma as it was coded."""

    bgra: Bytes
    """(H, W, 4) B, G, R, full range, and 255."""
    luma: Bytes
    """(H, W) 8 bit, limited range: what ffmpeg's psnr and ssim filters call Y."""

    @property
    def rgb(self) -> Bytes:
        """(H, W, 3) R, G, B, full range."""
        return np.ascontiguousarray(self.bgra[..., 2::-1])


@dataclass(frozen=True, slots=True)
class Timeline:
    """When each picture of a file is shown, and how large."""

    times: Floats
    """(n,) seconds after the first picture, in the order shown."""
    fps: float
    """Average rate; 24 for a still."""
    constant: bool
    """Whether every picture stays about equally long."""
    start: float
    """Seconds on the file's own clock when the first picture is shown."""
    size: tuple[int, int]
    """Width and height as shown: upright, square pixels."""

    @property
    def aspect(self) -> float:
        """Width over height."""
        return self.size[0] / self.size[1]


class Decoded(NamedTuple):
    """A clip that a viewer has decoded: where its pictures lie, and when each is shown."""

    shared: Shared
    line: Timeline


def read_timeline(path: Path) -> Timeline:
    """Times of all pictures, from one pass over the packets. Raises MediaError when there is no picture."""
    still = read_still(path)
    if still is not None:
        return timeline(np.zeros(1), (still.shape[1], still.shape[0]))
    with closing(Sequence(path)) as clip:
        return timeline(clip.times, (clip.width, clip.height))


def timeline(times: Floats, size: tuple[int, int]) -> Timeline:
    """Of pictures shown at `times`, (n,) seconds on the file's own clock, at `size` (width, height)."""
    steps = np.diff(times)
    fps = float(1 / steps.mean()) if len(steps) else STILL_FPS
    constant = bool(np.all(np.abs(steps * fps - 1) < JITTER))
    return Timeline(times - times[0], fps, constant, float(times[0]), size)


@dataclass(frozen=True, slots=True)
class Coded:
    """One decoded picture, with what it takes to show it."""

    frame: VideoFrame
    colour: Colour
    turn: Turn
    square: tuple[int, int]
    """Width and height as stored, with square pixels."""
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False, compare=False)

    def picture(self, size: tuple[int, int]) -> Picture:
        """Brought to `size` (width, height) by area averaging. From any thread."""
        # A frame has one converter of its own, and a repeated frame may be wanted twice at once.
        with self._lock:
            return Picture(averaged(self.bgra(), size), averaged(self.luma(), size))

    def bgra(self) -> Bytes:
        """(H, W, 4) full range, upright, square pixels."""
        return self.turn.apply(self.colour.bgra(self.frame, *self.square))

    def luma(self) -> Bytes:
        """(H, W) as coded, limited range, upright."""
        return self.turn.apply(_luma(self.frame))


def coded(path: Path) -> Generator[tuple[int, Coded]]:
    """All pictures of a file with their numbers, in the order shown. Lost ones are left out. Raises MediaError."""
    still = read_still(path)
    if still is not None:
        frame = VideoFrame.from_ndarray(np.ascontiguousarray(still[..., 2::-1]), format="rgb24")
        yield 0, Coded(frame, _STILL_COLOUR, UPRIGHT, (frame.width, frame.height))
        return
    with closing(Sequence(path)) as clip:
        turn: Turn | None = None
        while not clip.ended:
            for number, frame in clip.step():
                turn = turn or display_turn(frame)
                yield number, Coded(frame, clip.colour, turn, square_size(clip.stream, frame))


def stored(shared: Shared) -> Generator[tuple[int, Coded]]:
    """The same from a whole store of the viewer's, which needs no decoding. Raises OSError when it is gone."""
    size = shared.layout.width, shared.layout.height
    with closing(shared.open()) as store:
        for number in range(shared.layout.slots):
            frame = store.frame(number)
            if frame is None:
                raise OSError(errno.ESTALE, os.strerror(errno.ESTALE))
            yield number, Coded(frame, shared.layout.colour, UPRIGHT, size)


def on_clock(path: Path, numbers: Indices, size: tuple[int, int]) -> Generator[Picture]:
    """The pictures with these numbers (rising, may repeat) at `size`, decoded and converted ahead on a thread.

    A lost picture is shown as a player does, by the one before it. Ends early when the file does.
    """
    return _on_clock(_converted(coded(path), size), numbers)


def coded_on_clock(path: Path, numbers: Indices, shared: Shared | None = None) -> Generator[Coded]:
    """The same as they were coded, decoded ahead on a thread, or read from a store of them."""
    return _on_clock(coded(path) if shared is None else stored(shared), numbers)


def _converted(decoded: Generator[tuple[int, Coded]], size: tuple[int, int]) -> Generator[tuple[int, Picture]]:
    with closing(decoded):
        for number, picture in decoded:
            yield number, picture.picture(size)


def _on_clock(numbered: Generator[tuple[int, T]], numbers: Indices) -> Generator[T]:
    with closing(read_ahead(numbered)) as decoded:
        shown: tuple[int, T] | None = None
        coming = next(decoded, None)
        for number in numbers:
            while coming is not None and (coming[0] <= number or shown is None):
                shown, coming = coming, next(decoded, None)
            if shown is None or (coming is None and shown[0] < number):
                return
            yield shown[1]


def read_ahead(items: Generator[T], depth: int = AHEAD) -> Generator[T]:
    """The same items, made on a thread up to `depth` ahead. Closing the generator ends the thread."""
    ready: queue.Queue[tuple[T | None, BaseException | None]] = queue.Queue(depth)
    stopped = threading.Event()

    def hand_over(item: T | None, error: BaseException | None) -> None:
        while not stopped.is_set():
            try:
                return ready.put((item, error), timeout=0.1)
            except queue.Full:
                continue

    def make() -> None:
        try:
            for item in items:
                hand_over(item, None)
                if stopped.is_set():
                    break
            hand_over(None, None)
        except BaseException as error:
            hand_over(None, error)
        finally:
            items.close()

    thread = threading.Thread(target=make, daemon=True)
    thread.start()
    try:
        while True:
            item, error = ready.get()
            if error is not None:
                raise error
            if item is None:
                return
            yield item
    finally:
        stopped.set()
        thread.join()


def in_step(work: Callable[[S], T], items: Iterable[S], threads: int) -> Generator[T]:
    """`work` of every item, in their order, on so many threads."""
    with ThreadPoolExecutor(threads) as pool:
        waiting: deque[Future[T]] = deque()
        for item in items:
            waiting.append(pool.submit(work, item))
            if len(waiting) > threads:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def averaged(picture: Bytes, size: tuple[int, int]) -> Bytes:
    """The picture at `size` (width, height), each pixel the mean of what it covers; itself when it has that size."""
    if picture.shape[1::-1] == size:
        return picture
    return np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), np.uint8)


def _luma(frame: VideoFrame) -> Bytes:
    if frame.format.name not in _LIMITED_LUMA or frame.color_range == ColorRange.JPEG:
        frame = frame.reformat(format="yuv420p", dst_color_range=ColorRange.MPEG, threads=1)
    plane = frame.planes[0]
    # No copy: the frame lives as long as what looks at it, and the decoder takes another one.
    rows = np.frombuffer(memoryview(plane), np.uint8).reshape(-1, plane.line_size)
    return rows[: frame.height, : frame.width]
