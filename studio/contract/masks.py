"""Noise masks: what marks come to on the latent grid, and as the JSON that the server takes.

A cell has the value of what lies at its middle, in time and place. Values are 0 (kept) … 1 (made anew), float32.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from studio.contract.keep_change import Area, KeepChange, Rectangle, Stroke
from studio.contract.latent_grid import EditGrid, edit_grid
from studio.contract.marks import box_at, counts_at, shift_at, value_at
from studio.contract.request import Request

Mask = npt.NDArray[np.float32]

MASK_BYTES_MAX = 8 << 20
"""A mask file (vllm-omni 0.30.0, video/generation/helpers.py)."""
_DECIMALS = 3
_FINE = 4
"""Parts of a cell, each way, in which a stroke is drawn."""


@dataclass(frozen=True, slots=True)
class EditMasks:
    """The masks of a shot; None for a lane of which nothing is kept, for then nothing of it is sent."""

    grid: EditGrid
    edit: KeepChange
    picture: Mask | None
    sound: Mask | None

    @property
    def all_kept(self) -> bool:
        """Whether the result would be the source again."""
        return all(mask is not None and not mask.any() for mask in (self.picture, self.sound))


def edit_masks(request: Request) -> EditMasks | None:
    """The masks of a shot that edits a clip, once its grid is known."""
    grid = edit_grid(request)
    if grid is None or grid.source.edit is None:
        return None
    picture, sound = picture_mask(grid.source.edit, grid), sound_mask(grid.source.edit, grid)
    return EditMasks(
        grid,
        grid.source.edit,
        None if np.all(picture == 1) else picture,
        None if np.all(sound == 1) else sound,
    )


@functools.lru_cache(maxsize=8)
def picture_mask(edit: KeepChange, grid: EditGrid) -> Mask:
    """(latents, rows, columns) of 16-px cells, read-only. The server restores what is kept cell by cell.

    Where that many numbers would not go into a mask file, a block of 32 px has one value.
    """
    lane = _levels([value_at(edit.picture, time) for time in _middles(grid)])
    mask = np.repeat(lane, grid.rows * grid.columns).reshape(-1, grid.rows, grid.columns)
    for area in edit.picture.areas:
        _lay(mask, area, grid)
    if bytes_most(mask) > MASK_BYTES_MAX:
        mask = model_mask(mask).repeat(2, axis=1).repeat(2, axis=2)
    return _read_only(mask)


@functools.lru_cache(maxsize=8)
def sound_mask(edit: KeepChange, grid: EditGrid) -> Mask:
    """(latents,) at 40 a second, both channels alike, read-only."""
    return _read_only(_levels([value_at(edit.sound, (a + b) / 2) for a, b in grid.sound_times]))


def model_mask(mask: Mask) -> Mask:
    """(latents, rows/2, columns/2): what the model makes anew. A block of 32 px is as much changed as its most changed
    cell; the parts of it that are kept are put back afterwards (vllm-omni 0.30.0, latent_mask.py)."""
    frames, rows, columns = mask.shape
    highest: Mask = mask.reshape(frames, rows // 2, 2, columns // 2, 2).max(axis=(2, 4))
    return highest


def covers(area: Area, grid: EditGrid) -> bool:
    """Whether an area takes hold of any cell of the result at all."""
    return any(hit.cells for hit in _hits(area, grid))


def mask_json(mask: Mask) -> bytes:
    """The mask as a file part, in the smallest form that says the same: one number; one for each block of 32 px; one
    for each cell of 16 px. Sound: one number; one for each latent."""
    if np.all(mask == mask.flat[0]):
        return f"{mask.flat[0]:.3g}".encode()
    if mask.ndim == 3:
        blocks = model_mask(mask)
        if np.array_equal(blocks.repeat(2, axis=1).repeat(2, axis=2), mask):
            mask = blocks
    return _nested(mask).encode()


@dataclass(frozen=True, slots=True)
class _Hit:
    """The cells of one latent that an area takes: those `inside` of a part of the picture, or all of the part."""

    latent: int
    rows: slice
    columns: slice
    inside: npt.NDArray[np.bool_] | None = None

    @property
    def cells(self) -> int:
        """How many they are."""
        down, across = self.rows.stop - self.rows.start, self.columns.stop - self.columns.start
        return int(down * across if self.inside is None else self.inside.sum())


def _lay(mask: Mask, area: Area, grid: EditGrid) -> None:
    for hit in _hits(area, grid):
        part = mask[hit.latent, hit.rows, hit.columns]
        part[... if hit.inside is None else hit.inside] = round(area.change, _DECIMALS)


def _hits(area: Area, grid: EditGrid) -> Iterator[_Hit]:
    """What an area takes of each latent in which it counts."""
    times = ((n, time) for n, time in enumerate(_middles(grid)) if counts_at(area, time))
    return _rectangle_hits(area, grid, times) if isinstance(area, Rectangle) else _stroke_hits(area, grid, times)


def _rectangle_hits(area: Rectangle, grid: EditGrid, times: Iterable[tuple[int, float]]) -> Iterator[_Hit]:
    for latent, time in times:
        x, y, width, height = box_at(area, time)
        left, top = _in_cells(grid, x, y)
        right, bottom = _in_cells(grid, x + width, y + height)
        yield _Hit(latent, _middles_within(top, bottom, grid.rows), _middles_within(left, right, grid.columns))


def _stroke_hits(area: Stroke, grid: EditGrid, times: Iterable[tuple[int, float]]) -> Iterator[_Hit]:
    ink = _ink_of(area, grid.columns / grid.window.width, grid.rows / grid.window.height)
    down, across = (n / _FINE for n in ink.inked.shape)
    for latent, time in times:
        left, top = _in_cells(grid, *shift_at(area, time))
        left, top = left + ink.left, top + ink.top
        rows, columns = _middles_within(top, top + down, grid.rows), _middles_within(left, left + across, grid.columns)
        y = ((np.arange(rows.start, rows.stop) + 0.5 - top) * _FINE).astype(int)
        x = ((np.arange(columns.start, columns.stop) + 0.5 - left) * _FINE).astype(int)
        yield _Hit(latent, rows, columns, ink.inked[np.ix_(y, x)])


@dataclass(frozen=True, slots=True)
class _Ink:
    """What a brush left, in fine parts of a cell; `left` and `top` are in cells from the picture's corner."""

    left: float
    top: float
    inked: npt.NDArray[np.bool_]


@functools.lru_cache(maxsize=32)
def _ink_of(stroke: Stroke, across: float, down: float) -> _Ink:
    """A stroke stamped dot by dot; the whole picture is `across` × `down` cells."""
    points = np.array(stroke.points) * (across, down)
    radius = stroke.radius * down
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


def _dotted(points: npt.NDArray[np.float64], apart: float) -> npt.NDArray[np.float64]:
    """Points along a path, at most `apart` from each other and not many more than that needs."""
    along = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(points, axis=0).T))])
    at = np.linspace(0.0, along[-1], int(np.ceil(along[-1] / apart)) + 1)
    return np.stack([np.interp(at, along, points[:, 0]), np.interp(at, along, points[:, 1])], axis=1)


def _in_cells(grid: EditGrid, x: float, y: float) -> tuple[float, float]:
    """A place of the upright picture, counted in cells of the canvas."""
    window = grid.window
    return (x - window.x) / window.width * grid.columns, (y - window.y) / window.height * grid.rows


def _middles_within(low: float, high: float, count: int) -> slice:
    """The cells of which the middle lies from `low` to `high`, in cells."""
    first = max(0, min(count, math.ceil(low - 0.5 - 1e-6)))
    return slice(first, max(first, min(count, math.ceil(high - 0.5 - 1e-6))))


def _middles(grid: EditGrid) -> list[float]:
    return [(a + b) / 2 for a, b in grid.picture_times]


def _levels(values: list[float]) -> Mask:
    return np.round(values, _DECIMALS).astype(np.float32)


def _read_only(mask: Mask) -> Mask:
    mask.flags.writeable = False
    return mask


def _nested(mask: Mask) -> str:
    """JSON of a mask, by the words for its thousand levels: far quicker than number by number."""
    words = _words()[np.rint(mask * 10**_DECIMALS).astype(np.int16)]

    def listed(part: npt.NDArray[np.object_]) -> str:
        return "[" + ",".join(part if part.ndim == 1 else map(listed, part)) + "]"

    return listed(words)


@functools.cache
def _words() -> npt.NDArray[np.object_]:
    """How each level is written: 0, 0.001, …, 1."""
    return np.array([f"{level / 10**_DECIMALS:g}" for level in range(10**_DECIMALS + 1)], np.object_)


def bytes_most(mask: Mask) -> int:
    """No JSON of a mask is longer than this many bytes."""
    brackets = 2 * math.prod(mask.shape[:-1]) + 2
    if (most := mask.size * len("0.123,") + brackets) <= MASK_BYTES_MAX:
        return most
    longest = len("0.123,") if np.any((mask != 0) & (mask != 1)) else len("0,")
    return mask.size * longest + brackets
