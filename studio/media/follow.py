"""Where a part of a clip's picture goes, picture by picture: sparse optical flow (Lucas-Kanade), in a worker."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt
from av.video.frame import VideoFrame

from studio.contract.keep_change import Area, Rectangle
from studio.contract.marks import rectangle_at, shift_at
from studio.media._cv import cv2
from studio.media.sequence import Sequence
from studio.media.workers import Progress, Workers

TIMEOUT_S: Final = 600.0
EVERY: Final = 4
"""One shift is told for so many pictures: about what one latent of the model lasts."""
_EDGE: Final = 640
"""Longest edge in px at which motion is looked for."""
_POINTS, _ENOUGH, _LEAST = 200, 24, 4
_BACK_PX: Final = 1.0
"""A point counts when the way back ends within this of where it began."""
_WINDOW: Final = (21, 21)

Grey = npt.NDArray[np.uint8]
Points = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Followed:
    """`shifts`: (picture, dx, dy), how far it has gone since the first picture, in fractions of width and height.

    `lost`: the picture from which on nothing could be followed; None when it went well to the end.
    """

    shifts: tuple[tuple[int, float, float], ...]
    lost: int | None = None


async def follow(
    workers: Workers, path: Path, area: Area, time: float, pictures: range, progress: Callable[[float], None]
) -> Followed:
    """Follow what lies under an area at `time` (s, on the marks' clock) from the first of `pictures` to the last.

    Cancelling kills the worker. Raises MediaError when the clip cannot be read.
    """
    return await workers.run(_follow, path, area, time, pictures, timeout=TIMEOUT_S, progress=progress)


def _follow(progress: Progress, path: Path, area: Area, time: float, pictures: range) -> Followed:
    shifts: list[tuple[int, float, float]] = []
    with closing(Sequence(path)) as clip:
        greys = _greys(clip, pictures)
        _, before = next(greys, (0, None))
        if before is None:
            return Followed((), pictures.start)  # damaged from there on
        shown = _shown(before, area, time)
        points, gone = _features(before, shown), np.zeros(2)
        height, width = before.shape
        for number, grey in greys:
            points, step = _moved(before, grey, points)
            if len(points) < _LEAST:
                return Followed(tuple(shifts), number)
            gone += step
            if (number - pictures.start) % EVERY == 0 or number == pictures.stop - 1:
                shifts.append((number, float(gone[0] / width), float(gone[1] / height)))
            if len(points) < _ENOUGH:
                points = _features(grey, _shifted(shown, gone))
            before = grey
            progress.set((number - pictures.start + 1) / len(pictures))
    return Followed(tuple(shifts))


def _greys(clip: Sequence, pictures: range) -> Iterator[tuple[int, Grey]]:
    """The pictures with these numbers, grey, at a size at which motion is found quickly."""
    scale = min(1.0, _EDGE / max(clip.width, clip.height))
    size = round(clip.width * scale), round(clip.height * scale)
    clip.seek(pictures.start)
    while not clip.ended:
        for number, frame in clip.step():
            if number >= pictures.stop:
                return
            if number >= pictures.start:
                yield number, np.asarray(cv2.resize(_luma(clip, frame), size, interpolation=cv2.INTER_AREA), np.uint8)


def _luma(clip: Sequence, frame: VideoFrame) -> Grey:
    """(H, W) upright, square pixels."""
    if not clip.planar:
        return np.asarray(cv2.cvtColor(clip.bgra(frame), cv2.COLOR_BGRA2GRAY), np.uint8)
    return clip.raw(frame)[: clip.width * clip.height].reshape(clip.height, clip.width)


def _shown(grey: Grey, area: Area, time: float) -> Grey:
    """255 where the area lies at a time, 0 elsewhere."""
    height, width = grey.shape
    mask = np.zeros_like(grey)
    if isinstance(area, Rectangle):
        at = rectangle_at(area, time)
        left, top = max(0, round(at.x * width)), max(0, round(at.y * height))
        mask[top : max(0, round((at.y + at.height) * height)), left : max(0, round((at.x + at.width) * width))] = 255
        return mask
    dx, dy = shift_at(area, time)
    line = np.array([[round((x + dx) * width), round((y + dy) * height)] for x, y in area.points], np.int32)
    radius = max(1, round(area.radius * height))
    cv2.polylines(mask, [line], False, 255, 2 * radius)
    for x, y in (line[0], line[-1]):
        cv2.circle(mask, (int(x), int(y)), radius, 255, -1)
    return mask


def _shifted(mask: Grey, by: npt.NDArray[np.float64]) -> Grey:
    matrix = np.array([[1, 0, by[0]], [0, 1, by[1]]], np.float64)
    return np.asarray(cv2.warpAffine(mask, matrix, mask.shape[::-1]), np.uint8)


def _features(grey: Grey, mask: Grey) -> Points:
    """(n, 1, 2) corners under the mask."""
    found = cv2.goodFeaturesToTrack(grey, _POINTS, 0.01, 3, mask=mask)
    return np.zeros((0, 1, 2), np.float32) if found is None else np.asarray(found, np.float32)


def _moved(before: Grey, after: Grey, points: Points) -> tuple[Points, npt.NDArray[np.float64]]:
    """The points that were found again, and how far most of them have gone, in px (2,)."""
    if not len(points):
        return points, np.zeros(2)
    there, seen = _flow(before, after, points)
    back, seen_back = _flow(after, before, there)
    good = seen & seen_back & (np.linalg.norm(back - points, axis=2).ravel() < _BACK_PX)
    if not good.any():
        return points[:0], np.zeros(2)
    return there[good], np.median((there - points)[good][:, 0], axis=0)


def _flow(before: Grey, after: Grey, points: Points) -> tuple[Points, npt.NDArray[np.bool_]]:
    """Where the points are in the other picture (n, 1, 2), and which of them were found (n,)."""
    there, found, _ = cv2.calcOpticalFlowPyrLK(before, after, points, points.copy(), winSize=_WINDOW)
    return np.asarray(there, np.float32), np.asarray(found).ravel() > 0
