"""Pictures of a file, upright, one after the other in the order they are shown. Blocking: runs in a worker."""

from __future__ import annotations

import threading
from collections.abc import Generator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt
from av.video.frame import VideoFrame
from av.video.reformatter import ColorRange

from studio.compare.planes import PlaneConverter, Planes
from studio.media._cv import cv2
from studio.media.ahead import ahead
from studio.media.colour import Colour, pixels
from studio.media.frame_store import Shared
from studio.media.sequence import Sequence
from studio.media.stills import read_still
from studio.media.upright import UPRIGHT, Turn, display_turn, square_size

T = TypeVar("T")
Bytes = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]

AHEAD = 4
"""Pictures that wait for the other clip; 1.5 MB each at 1344×768, 4 MB converted."""
STILL_FPS = 24.0
JITTER = 0.3
"""A clip whose steps stay this near to their mean (relative) has a constant rate; 1 ms time bases jitter by 2 %."""

_LIMITED_LUMA = {"yuv420p", "yuv422p", "yuv444p", "nv12"}
_STILL_COLOUR = Colour("rgb", True, "tag")


@dataclass(frozen=True, slots=True)
class Picture:
    """One picture as a person sees it."""

    bgra: Bytes
    """(H, W, 4) B, G, R, full range, and 255."""

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
    with closing(PictureFile(path)) as file:
        return file.line


def timeline(times: Floats, size: tuple[int, int]) -> Timeline:
    """Of pictures shown at `times`, (n,) seconds on the file's own clock, at `size` (width, height)."""
    steps = np.diff(times)
    fps = float(1 / steps.mean()) if len(steps) else STILL_FPS
    constant = bool(np.all(np.abs(steps * fps - 1) < JITTER))
    return Timeline(times - times[0], fps, constant, float(times[0]), size)


@dataclass(frozen=True, slots=True)
class Coded:
    """One decoded picture, with what it takes to show it. All of it from any thread."""

    frame: VideoFrame
    colour: Colour
    turn: Turn
    square: tuple[int, int]
    """Width and height as stored, with square pixels."""
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False, compare=False)
    """A frame has one converter of its own, and a repeated frame may be wanted twice at once."""

    def picture(self, size: tuple[int, int]) -> Picture:
        """Brought to `size` (width, height) by area averaging."""
        with self._lock:
            return Picture(averaged(self.turn.apply(self.colour.bgra(self.frame, *self.square)), size))

    def planes(self, size: tuple[int, int], convert: PlaneConverter) -> Planes:
        """What is measured of it, at `size` (width, height) by area averaging. `convert`: one of this thread."""
        with self._lock:
            gbr = convert(self.colour, self.frame, *self.square)
            return Planes(tuple(averaged(self.turn.apply(plane), size) for plane in gbr), averaged(self.luma(), size))

    def luma(self) -> Bytes:
        """(H, W) as coded, limited range, upright."""
        return self.turn.apply(_luma(self.frame))


class PictureFile:
    """A clip or a still, opened once. Raises MediaError when there is no picture."""

    def __init__(self, path: Path) -> None:
        self._still = read_still(path)
        self._clip = Sequence(path) if self._still is None else None
        self._begun = False
        if self._clip is not None:
            self.line = timeline(self._clip.times, (self._clip.width, self._clip.height))
        elif self._still is not None:
            self.line = timeline(np.zeros(1), (self._still.shape[1], self._still.shape[0]))

    def pictures(self) -> Generator[tuple[int, Coded]]:
        """All of them with their numbers, in the order shown, from the start each time. Lost ones are left out."""
        if self._still is not None:
            frame = VideoFrame.from_ndarray(np.ascontiguousarray(self._still[..., 2::-1]), format="rgb24")
            yield 0, Coded(frame, _STILL_COLOUR, UPRIGHT, (frame.width, frame.height))
        if (clip := self._clip) is None:
            return
        if self._begun:
            clip.seek(0)
        self._begun = True
        turn: Turn | None = None
        while not clip.ended:
            for number, frame in clip.step():
                turn = turn or display_turn(frame)
                yield number, Coded(frame, clip.colour, turn, square_size(clip.stream, frame))

    def close(self) -> None:
        """Close the file."""
        if self._clip is not None:
            self._clip.close()


def on_clock(path: Path, numbers: Indices, size: tuple[int, int]) -> Generator[Picture]:
    """The pictures with these numbers (rising, may repeat) at `size`, decoded and converted ahead on a thread.

    A lost picture is shown as a player does, by the one before it. Ends early when the file does.
    """
    with closing(PictureFile(path)) as file, closing(ahead(_converted(file, size), AHEAD)) as pictures:
        yield from on_numbers(pictures, numbers)


def _converted(file: PictureFile, size: tuple[int, int]) -> Generator[tuple[int, Picture], None, None]:
    for number, picture in file.pictures():
        yield number, picture.picture(size)


def on_numbers(numbered: Generator[tuple[int, T]], numbers: Indices) -> Generator[T]:
    """Of pictures that come with their numbers, those with these; for one that does not come, the one before it."""
    shown: tuple[int, T] | None = None
    coming = next(numbered, None)
    for number in numbers:
        while coming is not None and (coming[0] <= number or shown is None):
            shown, coming = coming, next(numbered, None)
        if shown is None or (coming is None and shown[0] < number):
            return
        yield shown[1]


def averaged(picture: Bytes, size: tuple[int, int]) -> Bytes:
    """The picture at `size` (width, height), each pixel the mean of what it covers; itself when it has that size."""
    if picture.shape[1::-1] == size:
        return picture
    return np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), np.uint8)


def _luma(frame: VideoFrame) -> Bytes:
    if frame.format.name not in _LIMITED_LUMA or frame.color_range == ColorRange.JPEG:
        frame = frame.reformat(format="yuv420p", dst_color_range=ColorRange.MPEG, threads=1)
    return pixels(frame.planes[0])
