"""Stretches of a condition along time."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt


def runs(flags: npt.NDArray[np.bool_]) -> list[tuple[int, int]]:
    """(start, length) of every run of True in (n,) flags."""
    edges = np.flatnonzero(np.diff(np.concatenate(([0], flags.astype(np.int8), [0]))))
    return [(int(start), int(end - start)) for start, end in zip(edges[::2], edges[1::2], strict=True)]
