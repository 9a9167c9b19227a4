"""Of an edited clip: how far the part that was kept and the part that was made anew are from the source, each alone.

Which part is which is read from the recipe beside the result: its marks, on the latent grid (studio.contract.masks).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict, ValidationError

from studio.compare.compositing import Frame, fitted
from studio.compare.decode import Bytes, averaged, on_clock, read_timeline
from studio.compare.recipe import is_source, read_recipe
from studio.contract import FPS, MediaFacts, Request, Shot, load_limits
from studio.contract.latent_grid import EditGrid
from studio.contract.masks import Mask, edit_masks, picture_mask
from studio.media._cv import cv2
from studio.media.probe import probe
from studio.media.workers import Progress, Workers

TIMEOUT_S: Final = 1800.0
_SAME_S: Final = 1e-4


@dataclass(frozen=True, slots=True, eq=False)
class EditedClip:
    """The source and the result of an edit. `cells` (latents, rows, columns): 0 kept … 1 made anew.

    `first`: when the source's first picture is shown, in seconds on the clock of marks.
    """

    source: Path
    result: Path
    grid: EditGrid
    cells: Mask
    first: float = 0.0

    def mask(self, frame: int) -> npt.NDArray[np.float32]:
        """(rows, columns) of a frame of the result; the last one's for frames beyond it."""
        at = self.grid.latent_at(self.grid.start + frame / FPS)
        return np.asarray(self.cells[min(at, len(self.cells) - 1)])

    @property
    def kept_share(self) -> float:
        """How much of the picture, over all its time, was kept."""
        return float((self.cells == 0).mean())


class KeptParts(BaseModel):
    """Mean difference (0…255, over R, G and B) of each frame of the result to the picture of the source that it was
    made from; None where there is no such part."""

    model_config = ConfigDict(frozen=True)

    kept: tuple[float | None, ...]
    changed: tuple[float | None, ...]
    kept_share: float

    @property
    def kept_mean(self) -> float | None:
        """Of the part that was kept, over all frames that have one."""
        return _mean(self.kept)

    @property
    def changed_mean(self) -> float | None:
        """Of the part that was made anew."""
        return _mean(self.changed)

    def as_json(self) -> dict[str, float | None]:
        """What `h3studio compare --json` prints of it; a mean is None where there is no such part."""
        means = (self.kept_mean, self.changed_mean)
        kept, changed = (None if mean is None else round(mean, 4) for mean in means)
        return {"kept_mean": kept, "changed_mean": changed, "kept_share": round(self.kept_share, 4)}


def begins_at(source: Path, result: Path) -> float | None:
    """Which second of the source the result's first frame was made from; None when it is no edit of it. Blocking."""
    shot = _edit_of(source, result)
    edited = shot.source() if shot is not None else None
    return edited.start if edited is not None else None


async def edited_clip(workers: Workers, source: Path, result: Path) -> EditedClip | None:
    """What was kept, when `result` has a recipe that edits `source`; else None. Raises what `probe` raises."""
    shot = await asyncio.to_thread(_edit_of, source, result)
    if shot is None:
        return None
    facts = await probe(workers, source)
    return await asyncio.to_thread(_clip, shot, facts, source, result)


async def kept_parts(workers: Workers, clip: EditedClip, progress: Callable[[float], None] | None = None) -> KeptParts:
    """Measure both parts of every frame, in a worker; cancelling kills it. Raises MediaError."""
    return await workers.run(_measure, clip, timeout=TIMEOUT_S, progress=progress or _unheard)


def parts_shown(a: Frame, b: Frame, clip: EditedClip, frame: int, gain: int) -> Frame:
    """(H, W, 4) of A's size: what was kept as its difference to A times `gain` (black: nothing changed), what was made
    anew as B, a line between them; what of A was not sent is left dark."""
    height, width = a.shape[:2]
    left, top, right, bottom = _window(clip.grid, width, height)
    part_a = np.ascontiguousarray(a[top:bottom, left:right])
    part_b = fitted(b, part_a)
    anew = clip.mask(frame) > 0
    size = part_a.shape[1], part_a.shape[0]
    there = cv2.resize(anew.astype(np.uint8), size, interpolation=cv2.INTER_NEAREST)
    apart = cv2.convertScaleAbs(cv2.absdiff(part_a, part_b), alpha=gain)
    made = np.where(there[..., None] > 0, part_b, apart).astype(np.uint8)
    edge = cv2.morphologyEx(there, cv2.MORPH_GRADIENT, np.ones((3, 3), np.uint8)) > 0
    made[edge] = 255
    shown: Frame = (a * 0.15).astype(np.uint8)
    shown[top:bottom, left:right] = made
    shown[..., 3] = 255
    return shown


def _edit_of(source: Path, result: Path) -> Shot | None:
    recipe = read_recipe(result)
    if recipe is None or not is_source(source, recipe):
        return None
    try:
        shot = Shot.model_validate(recipe["shot"])
    except ValidationError:
        return None  # of a later version, or by another hand: then there is nothing to tell
    edited = shot.source()
    return shot if edited is not None and (edited.path == source or _same(edited.path, source)) else None


def _clip(shot: Shot, facts: MediaFacts, source: Path, result: Path) -> EditedClip | None:
    edited = shot.source()
    if edited is None:
        return None
    masks = edit_masks(Request(shot, load_limits(), {edited.id: facts}))
    if masks is None:
        return None
    first = facts.video.start if facts.video else 0.0
    return EditedClip(source, result, masks.grid, picture_mask(masks.edit, masks.grid), first)


def _measure(progress: Progress, clip: EditedClip) -> KeptParts:
    line_a, line_b = read_timeline(clip.source), read_timeline(clip.result)
    grid, count = clip.grid, min(len(line_b.times), clip.grid.frames)
    moments = grid.start - clip.first + np.arange(count) / FPS
    numbers_a = np.maximum(0, np.searchsorted(line_a.times, moments + _SAME_S, side="right") - 1)
    kept: list[float | None] = []
    changed: list[float | None] = []
    with (
        closing(on_clock(clip.source, numbers_a, line_a.size)) as side_a,
        closing(on_clock(clip.result, np.arange(count), line_b.size)) as side_b,
    ):
        for n, (a, b) in enumerate(zip(side_a, side_b, strict=False)):
            apart, anew = _by_cell(a.bgra, b.bgra, grid), clip.mask(n) > 0
            kept.append(float(apart[~anew].mean()) if not anew.all() else None)
            changed.append(float(apart[anew].mean()) if anew.any() else None)
            progress.set((n + 1) / count)
    return KeptParts(kept=tuple(kept), changed=tuple(changed), kept_share=clip.kept_share)


def _by_cell(a: Bytes, b: Bytes, grid: EditGrid) -> npt.NDArray[np.float32]:
    """(rows, columns) mean difference of R, G and B in each cell, at B's size."""
    height, width = a.shape[:2]
    left, top, right, bottom = _window(grid, width, height)
    shown = averaged(np.ascontiguousarray(a[top:bottom, left:right]), (b.shape[1], b.shape[0]))
    apart = cv2.absdiff(shown, b)[..., :3].mean(axis=2, dtype=np.float32)
    return np.asarray(cv2.resize(apart, (grid.columns, grid.rows), interpolation=cv2.INTER_AREA), np.float32)


def _window(grid: EditGrid, width: int, height: int) -> tuple[int, int, int, int]:
    """Left, top, right and bottom in px of the part that was sent."""
    part = grid.window
    left, top = round(part.x * width), round(part.y * height)
    return left, top, round((part.x + part.width) * width), round((part.y + part.height) * height)


def _same(a: Path, b: Path) -> bool:
    try:
        return a.samefile(b)
    except OSError:
        return False


def _mean(values: tuple[float | None, ...]) -> float | None:
    there = [value for value in values if value is not None]
    return sum(there) / len(there) if there else None


def _unheard(_fraction: float) -> None:
    """Nobody asked how far it is."""
