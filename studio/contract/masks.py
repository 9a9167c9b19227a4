"""Noise masks: what marks come to on the latent grid, and as the JSON that the server takes.

A cell has the value of what lies at its middle, in time and place. Values are 0 (kept) … 1 (made anew), float32.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from studio.contract.grid import AUDIO_LATENT_HZ, audio_latents
from studio.contract.keep_change import Area, KeepChange, PictureMarks, SoundMarks, Span
from studio.contract.latent_grid import EditGrid, edit_grid
from studio.contract.mask_cells import Numbers, Same, latent_times, taken_by
from studio.contract.request import Request

Mask = npt.NDArray[np.float32]

MASK_BYTES_MAX = 8 << 20
"""A mask file (vllm-omni 0.30.0, video/generation/helpers.py)."""
_DECIMALS = 3


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
        return all(mask is not None and not mask.any() for mask in (self.sound, self.picture))

    def changes_all_from(self, latent: int) -> bool:
        """Whether nothing of the picture is kept from a latent on."""
        return self.picture is None or bool(np.all(_lowest(Same(self.picture))[latent:] == 1))


def edit_masks(request: Request) -> EditMasks | None:
    """The masks of a shot that edits a clip, once its grid is known."""
    grid = edit_grid(request)
    if grid is None or grid.source.edit is None:
        return None
    picture, sound = picture_mask(grid.source.edit, grid), sound_mask(grid.source.edit, grid)
    return EditMasks(
        grid,
        grid.source.edit,
        None if _lowest(Same(picture)).min() == 1 else picture,
        None if np.all(sound == 1) else sound,
    )


def picture_mask(edit: KeepChange, grid: EditGrid) -> Mask:
    """(latents, rows, columns) of 16-px cells, read-only. The server restores what is kept cell by cell.

    Where that many numbers would not go into a mask file, a block of 32 px has one value.
    """
    return _picture_mask(Same(edit.picture), grid)


def sound_mask(edit: KeepChange, grid: EditGrid) -> Mask:
    """(latents,) at 40 a second, both channels alike, read-only."""
    return _sound_mask(Same(edit.sound), grid)


@functools.lru_cache(maxsize=8)
def _picture_mask(marks: Same[PictureMarks], grid: EditGrid) -> Mask:
    lane = _levels(marks.value, latent_times(grid.start, grid.frames))
    mask = np.empty((len(lane), grid.rows, grid.columns), np.float32)
    mask[:] = lane[:, np.newaxis, np.newaxis]
    for area in marks.value.areas:
        for taken in taken_by(Same(area), grid):
            part = mask[taken.latents, taken.rows, taken.columns]
            part[... if taken.inside is None else (slice(None), taken.inside)] = round(area.change, _DECIMALS)
    if bytes_most(mask) > MASK_BYTES_MAX:
        mask = model_mask(mask).repeat(2, axis=1).repeat(2, axis=2)
    return _read_only(mask)


@functools.lru_cache(maxsize=8)
def _sound_mask(marks: Same[SoundMarks], grid: EditGrid) -> Mask:
    return _read_only(_levels(marks.value, sound_times(grid)))


@functools.lru_cache(maxsize=8)
def _lowest(mask: Same[Mask]) -> Mask:
    """(latents,) the smallest value in each latent of the picture."""
    lowest: Mask = mask.value.min(axis=(1, 2))
    return lowest


def model_mask(mask: Mask) -> Mask:
    """(latents, rows/2, columns/2): what the model makes anew. A block of 32 px is as much changed as its most changed
    cell; the parts of it that are kept are put back afterwards (vllm-omni 0.30.0, latent_mask.py)."""
    rows = np.maximum(mask[:, ::2], mask[:, 1::2])
    highest: Mask = np.maximum(rows[..., ::2], rows[..., 1::2])
    return highest


def covers(area: Area, grid: EditGrid) -> bool:
    """Whether an area takes hold of any cell of the result at all."""
    return any(taken.any for taken in taken_by(Same(area), grid))


def reaches(span: Span, times: Numbers) -> bool:
    """Whether a span takes hold at any of these times (s, rising)."""
    return bool(_weights(span, times)[1].any())


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


def sound_times(grid: EditGrid) -> Numbers:
    """(latents,) the middle of each latent of the sound, in seconds of the source."""
    return grid.start + (np.arange(audio_latents(grid.frames)) + 0.5) / AUDIO_LATENT_HZ


def _levels(lane: SoundMarks, times: Numbers) -> Mask:
    """What a lane says at each of these times (s, rising); areas of the picture are left out."""
    values = np.full(len(times), float(lane.rest))
    for span in lane.spans:
        part, weights = _weights(span, times)
        values[part] += (span.change - values[part]) * weights
    return np.round(values, _DECIMALS).astype(np.float32)


def _weights(span: Span, times: Numbers) -> tuple[slice, Numbers]:
    """Which of the times (s, rising) lie in a span, and how much of it there is at each (`marks.weight_at`)."""
    first, end = np.searchsorted(times, (span.start, span.end)).tolist()
    inside = times[first:end]
    weights = np.ones(len(inside))
    if span.fade_in:
        weights = np.minimum(weights, (inside - span.start) / span.fade_in)
    if span.fade_out:
        weights = np.minimum(weights, (span.end - inside) / span.fade_out)
    return slice(first, end), weights


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
