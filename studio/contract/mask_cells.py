"""Which cells of the latent grid an area of the picture takes, latent by latent.

A cell is taken when the area lies over its middle, at the time in the middle of the latent.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from studio.contract.keep_change import Area, Rectangle, Stroke
from studio.contract.latent_grid import EditGrid, frames_of_latents
from studio.contract.shot import FPS

Numbers = npt.NDArray[np.float64]
Inked = npt.NDArray[np.bool_]
T = TypeVar("T")

_FINE = 4
"""Parts of a cell, each way, in which a stroke is drawn."""


class Same(Generic[T]):
    """A value as the key of a cache, by identity: marks can hold 100,000 numbers, too many to hash at each look."""

    __slots__ = ("value",)

    def __init__(self, value: T) -> None:
        self.value = value

    def __hash__(self) -> int:
        return id(self.value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and other.value is self.value


@dataclass(frozen=True, slots=True)
class Taken:
    """Cells of some latents in a row: those `inside` of a part of the picture, or all of the part."""

    latents: slice
    rows: slice
    columns: slice
    inside: Inked | None = None

    @property
    def any(self) -> bool:
        """Whether it is a cell at all."""
        part = self.rows.stop > self.rows.start and self.columns.stop > self.columns.start
        return part and (self.inside is None or bool(self.inside.any()))


@functools.lru_cache(maxsize=256)
def taken_by(area: Same[Area], grid: EditGrid) -> tuple[Taken, ...]:
    """What an area takes of each latent in which it counts."""
    times = latent_times(grid.start, grid.frames)
    first = 0 if area.value.start is None else int(np.searchsorted(times, area.value.start))
    end = len(times) if area.value.end is None else int(np.searchsorted(times, area.value.end))
    if first >= end:
        return ()
    find = _by_rectangle if isinstance(area.value, Rectangle) else _by_stroke
    return tuple(find(area.value, grid, times[first:end], first))  # type: ignore[arg-type]


@functools.lru_cache(maxsize=32)
def latent_times(start: float, frames: int) -> Numbers:
    """(latents,) the middle of each latent of the picture, in seconds of the source."""
    middles: Numbers = np.array(frames_of_latents(frames)).mean(axis=1)
    return start + middles / FPS


def _by_rectangle(area: Rectangle, grid: EditGrid, times: Numbers, first: int) -> Iterator[Taken]:
    at = [key.time for key in area.keys]
    x, y, width, height = (
        np.interp(times, at, [getattr(key, name) for key in area.keys]) for name in ("x", "y", "width", "height")
    )
    left, top = _in_cells(grid, x, y)
    right, bottom = _in_cells(grid, x + width, y + height)
    edges = np.stack([*_middles_within(top, bottom, grid.rows), *_middles_within(left, right, grid.columns)], axis=1)
    for begin, end in _runs(edges):
        up, down, near, far = edges[begin].tolist()
        yield Taken(slice(first + begin, first + end), slice(up, down), slice(near, far))


def _by_stroke(area: Stroke, grid: EditGrid, times: Numbers, first: int) -> Iterator[Taken]:
    ink = _ink_of(area.points, area.radius, grid.columns / grid.window.width, grid.rows / grid.window.height)
    high, wide = (n / _FINE for n in ink.inked.shape)
    at = [key.time for key in area.keys]
    dx, dy = (np.interp(times, at, [getattr(k, name) for k in area.keys]) if at else 0 * times for name in ("dx", "dy"))
    left, top = (low + edge for low, edge in zip(_in_cells(grid, dx, dy), (ink.left, ink.top), strict=True))
    places = np.stack([top, left], axis=1)
    rows, columns = _middles_within(top, top + high, grid.rows), _middles_within(left, left + wide, grid.columns)
    for begin, end in _runs(places):
        down, across = (slice(int(low[begin]), int(high[begin])) for low, high in (rows, columns))
        y, x = (
            int((cell + 0.5 - low) * _FINE) for cell, low in ((down.start, top[begin]), (across.start, left[begin]))
        )
        middles = ink.inked[y::_FINE, x::_FINE][: down.stop - down.start, : across.stop - across.start]
        yield Taken(slice(first + begin, first + end), down, across, middles)


def _runs(rows: npt.NDArray[Any]) -> Iterator[tuple[int, int]]:
    """(first, after the last) of the runs of equal rows."""
    bounds = [0, *(np.flatnonzero(np.any(np.diff(rows, axis=0) != 0, axis=1)) + 1).tolist(), len(rows)]
    return pairwise(bounds)


def _in_cells(grid: EditGrid, x: Numbers, y: Numbers) -> tuple[Numbers, Numbers]:
    """Places of the upright picture, counted in cells of the canvas."""
    window = grid.window
    return (x - window.x) / window.width * grid.columns, (y - window.y) / window.height * grid.rows


def _middles_within(low: Numbers, high: Numbers, count: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The cells of which the middle lies from `low` to `high`, in cells: the first, and the one after the last."""
    first, end = (np.clip(np.ceil(edge - 0.5 - 1e-6), 0, count).astype(np.int64) for edge in (low, high))
    return first, np.maximum(first, end)


@dataclass(frozen=True, slots=True)
class _Ink:
    """What a brush left, in fine parts of a cell; `left` and `top` are in cells from the picture's corner."""

    left: float
    top: float
    inked: Inked


@functools.lru_cache(maxsize=64)
def _ink_of(points_drawn: tuple[tuple[float, float], ...], radius_drawn: float, across: float, down: float) -> _Ink:
    """A stroke stamped dot by dot; the whole picture is `across` × `down` cells."""
    points, radius = np.array(points_drawn) * (across, down), radius_drawn * down
    left, top = points.min(axis=0) - radius
    size = np.ceil((points.max(axis=0) + radius - (left, top)) * _FINE).astype(int) + 1
    inked = np.zeros(size[::-1], np.bool_)
    reach = int(np.ceil(radius * _FINE))
    y, x = np.mgrid[-reach : reach + 1, -reach : reach + 1]
    dot = x**2 + y**2 <= (radius * _FINE) ** 2
    for px, py in np.rint((_dotted(points, radius / 4) - (left, top)) * _FINE).astype(int).tolist():
        rows, columns = slice(max(0, py - reach), py + reach + 1), slice(max(0, px - reach), px + reach + 1)
        part = inked[rows, columns]
        part |= dot[rows.start - py + reach :, columns.start - px + reach :][: part.shape[0], : part.shape[1]]
    return _Ink(float(left), float(top), inked)


def _dotted(points: Numbers, apart: float) -> Numbers:
    """Points along a path, at most `apart` from each other and not many more than that needs."""
    along = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(points, axis=0).T))])
    at = np.linspace(0.0, along[-1], int(np.ceil(along[-1] / apart)) + 1)
    return np.stack([np.interp(at, along, points[:, 0]), np.interp(at, along, points[:, 1])], axis=1)
