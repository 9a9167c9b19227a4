"""Pictures of a file, upright, one after the other in the order they are shown. Blocking: runs in a worker."""

from __future__ import annotations

import queue
import threading
from collections.abc import Generator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np
import numpy.typing as npt
from av.video.frame import VideoFrame
from av.video.reformatter import ColorRange

from studio.media._cv import cv2
from studio.media.colour import Colour
from studio.media.sequence import Sequence
from studio.media.stills import read_still
from studio.media.upright import UPRIGHT, Turn, display_turn, square_size

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

    rgb: Bytes
    """(H, W, 3) full range."""
    luma: Bytes
    """(H, W) 8 bit, limited range: what ffmpeg's psnr and ssim filters call Y."""


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


def read_timeline(path: Path) -> Timeline:
    """Times of all pictures, from one pass over the packets. Raises MediaError when there is no picture."""
    still = read_still(path)
    if still is not None:
        return Timeline(np.zeros(1), STILL_FPS, True, 0.0, (still.shape[1], still.shape[0]))
    with closing(Sequence(path)) as clip:
        times, size = clip.times, (clip.width, clip.height)
    steps = np.diff(times)
    fps = float(1 / steps.mean()) if len(steps) else STILL_FPS
    constant = bool(np.all(np.abs(steps * fps - 1) < JITTER))
    return Timeline(times - times[0], fps, constant, float(times[0]), size)


def pictures(path: Path, size: tuple[int, int]) -> Generator[tuple[int, Picture]]:
    """All pictures with their numbers, brought to `size` (width, height) by area averaging. Lost ones are left out."""
    still = read_still(path)
    if still is not None:
        frame = VideoFrame.from_ndarray(np.ascontiguousarray(still[..., 2::-1]), format="rgb24")
        yield 0, _converted(frame, _STILL_COLOUR, UPRIGHT, (frame.width, frame.height), size)
        return
    with closing(Sequence(path)) as clip:
        turn: Turn | None = None
        while not clip.ended:
            for number, frame in clip.step():
                turn = turn or display_turn(frame)
                yield number, _converted(frame, clip.colour, turn, square_size(clip.stream, frame), size)


def on_clock(path: Path, numbers: Indices, size: tuple[int, int]) -> Generator[Picture]:
    """The pictures with these numbers (rising, may repeat), decoded ahead on a thread.

    A lost picture is shown as a player does, by the one before it. Ends early when the file does.
    """
    with closing(read_ahead(pictures(path, size))) as decoded:
        shown: tuple[int, Picture] | None = None
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


def averaged(picture: Bytes, size: tuple[int, int]) -> Bytes:
    """The picture at `size` (width, height), each pixel the mean of what it covers; itself when it has that size."""
    if picture.shape[1::-1] == size:
        return picture
    return np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), np.uint8)


def _converted(
    frame: VideoFrame, colour: Colour, turn: Turn, square: tuple[int, int], size: tuple[int, int]
) -> Picture:
    rgb, luma = turn.apply(colour.rgb(frame, *square)), turn.apply(_luma(frame))
    return Picture(averaged(rgb, size), averaged(luma, size))


def _luma(frame: VideoFrame) -> Bytes:
    if frame.format.name not in _LIMITED_LUMA or frame.color_range == ColorRange.JPEG:
        frame = frame.reformat(format="yuv420p", dst_color_range=ColorRange.MPEG, threads=1)
    plane = frame.planes[0]
    rows = np.frombuffer(memoryview(plane), np.uint8).reshape(-1, plane.line_size)
    # A copy, so that the decoder gets its frame back.
    return np.array(rows[: frame.height, : frame.width])
