"""Keeping parts of a source: what is made anew is laid into it cell by cell of the latent grid."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

Picture = npt.NDArray[np.uint8]
Sound = npt.NDArray[np.float32]
Mask = npt.NDArray[np.float32]
Patch = tuple[slice, slice]

CELL = 16  # pixels
LATENT_SAMPLES = 800  # of 32 kHz
_PIECE = (1, 4, 4, 4, 4)  # frames of the five latents of 17 frames


def blended(source: Iterator[Picture], made: Iterator[Picture], mask: Mask) -> Iterator[Picture]:
    """Pictures of `source`, and those of `made` where `mask` (latents, height/16, width/16) changes them."""
    changes, at = _Changes(mask), _latents_of_frames(mask.shape[0])
    return (changes.lay(kept, new, at[n]) for n, (kept, new) in enumerate(zip(source, made, strict=True)))


class _Changes:
    """The mask in pixels, one latent at a time."""

    def __init__(self, mask: Mask) -> None:
        self._mask = mask
        self._latent = -1
        self._pixels: Mask = mask[0]
        self._patches: list[Patch] | None = None

    def lay(self, kept: Picture, made: Picture, latent: int) -> Picture:
        """One picture of `latent`: what is kept, with what is made anew in it."""
        if latent != self._latent:
            self._begin(latent, kept.shape)
        if self._patches is not None:
            out = kept.copy()
            for patch in self._patches:
                out[patch] = made[patch]
            return out
        mixed: Picture = (kept + self._pixels * (made.astype(np.float32) - kept)).round().astype(np.uint8)
        return mixed

    def _begin(self, latent: int, shape: tuple[int, ...]) -> None:
        cells, self._latent = self._mask[latent], latent
        if np.isin(cells, (0, 1)).all():
            self._patches = _patches(cells)
        else:
            self._patches = None
            self._pixels = cells.repeat(CELL, axis=0).repeat(CELL, axis=1)[: shape[0], : shape[1], None]


def _patches(cells: Mask) -> list[Patch]:
    """The rectangles of pixels in which cells of 0 and 1 are 1: rows that are alike in one piece."""
    patches: list[Patch] = []
    top = 0
    for _, alike in itertools.groupby(cells, key=lambda row: row.tobytes()):
        rows = list(alike)
        edges = np.flatnonzero(np.diff(rows[0], prepend=0, append=0)).tolist()
        down = slice(top * CELL, (top + len(rows)) * CELL)
        patches += [(down, slice(a * CELL, b * CELL)) for a, b in zip(edges[::2], edges[1::2], strict=True)]
        top += len(rows)
    return patches


def blended_sound(source: Sound, made: Sound, mask: Mask, source_seconds: float, rate: int) -> Sound:
    """(2, n) sound of which `mask` (2, latents) says what is made anew. Beyond the source's end all of it is."""
    weights = mask.repeat(LATENT_SAMPLES, axis=1)
    missing = max(0, made.shape[1] - weights.shape[1])
    weights = np.pad(weights, ((0, 0), (0, missing)), mode="edge")[:, : made.shape[1]]
    weights[:, int(source_seconds * rate) :] = 1.0
    mixed: Sound = source + weights * (made - source)
    return mixed


def _latents_of_frames(latents: int) -> list[int]:
    """The latent that each frame belongs to."""
    lengths = [_PIECE[n % len(_PIECE)] for n in range(latents)]
    return [n for n, length in enumerate(lengths) for _ in range(length)]
