"""Keeping parts of a source: what is made anew is laid into it cell by cell of the latent grid."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

Picture = npt.NDArray[np.uint8]
Sound = npt.NDArray[np.float32]
Mask = npt.NDArray[np.float32]

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
        self._changed: npt.NDArray[np.bool_] | None = None

    def lay(self, kept: Picture, made: Picture, latent: int) -> Picture:
        """One picture of `latent`: what is kept, with what is made anew in it."""
        if latent != self._latent:
            self._begin(latent, kept.shape)
        if self._changed is not None:
            out = kept.copy()
            np.copyto(out, made, where=self._changed)
            return out
        mixed: Picture = (kept + self._pixels * (made.astype(np.float32) - kept)).round().astype(np.uint8)
        return mixed

    def _begin(self, latent: int, shape: tuple[int, ...]) -> None:
        cells, self._latent = self._mask[latent], latent
        pixels = cells.repeat(CELL, axis=0).repeat(CELL, axis=1)[: shape[0], : shape[1], None]
        hard = bool(np.isin(cells, (0, 1)).all())
        self._pixels = pixels
        # Spread over the channels, for copying where a mask says so is ten times as quick without broadcasting.
        self._changed = np.repeat(pixels == 1, shape[2], axis=2) if hard else None


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
