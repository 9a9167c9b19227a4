"""Whether B shows the same things in the same places, moving the same way, whatever they look like."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from studio.compare.decode import Bytes
from studio.media._cv import cv2

Floats = npt.NDArray[np.floating]

SAMPLED = 32
"""At most so many places in time are looked at, evenly spread."""
STILL = 0.08
"""Flow under this many pixels (of 128 across) is noise of the estimate."""
FLAT = 1.5
"""A picture whose detail deviates by less than this (of 255) has no structure to compare."""


def motion_kept(a: Bytes, b: Bytes) -> float:
    """How much of A's motion B has: 1 all of it, 0 none (frozen, or moving otherwise).

    `a`, `b`: (n, h, w) small luma of the compared pairs. Optical flow between neighbouring frames of each, then
    2 sum(flow A · flow B) / sum(|flow A|² + |flow B|²) over pixels and time. 1 when nothing moves in either.
    """
    if len(a) < 2:
        return 1.0
    engine = cv2.DISOpticalFlow.create(cv2.DISOPTICAL_FLOW_PRESET_FAST)
    engine.setFinestScale(1)
    shared = total = 0.0
    for k in _spread(len(a) - 1):
        flow_a, flow_b = (_flow(engine, clip[k], clip[k + 1]) for clip in (a, b))
        shared += 2 * float((flow_a * flow_b).sum())
        total += float((flow_a**2).sum() + (flow_b**2).sum())
    return min(1.0, max(0.0, shared / total)) if total else 1.0


def relatedness(a: Bytes, b: Bytes) -> float:
    """Correlation (0…1) of the detail of both clips, or of where their edges are, whichever is more.

    `a`, `b`: (n, h, w) small luma of the compared pairs. Edges survive inversion and relighting.
    """
    found = np.array([_related(a[k], b[k]) for k in _spread(len(a))])
    return float(np.clip(found.mean(axis=0).max(), 0, 1))


def _flow(engine: cv2.DISOpticalFlow, first: Bytes, second: Bytes) -> Floats:
    if not cv2.norm(first, second, cv2.NORM_L1):
        return np.zeros((*first.shape, 2), np.float32)
    flow = np.asarray(engine.calc(first, second, None), np.float32)  # type: ignore[call-overload]
    flow[np.linalg.norm(flow, axis=2) < STILL] = 0
    return flow


def _related(a: Bytes, b: Bytes) -> tuple[float, float]:
    detail_a, detail_b = _detail(a), _detail(b)
    flat_a, flat_b = detail_a.std() < FLAT, detail_b.std() < FLAT
    if flat_a or flat_b:
        same = float(flat_a and flat_b)
        return same, same
    return abs(_correlation(detail_a, detail_b)), _correlation(_edges(detail_a), _edges(detail_b))


def _detail(luma: Bytes) -> Floats:
    """What is left without the broad light and shade, which unrelated pictures share (sky above, ground below)."""
    fine = np.asarray(cv2.GaussianBlur(luma.astype(np.float32), (0, 0), 1.0), np.float32)
    return fine - np.asarray(cv2.GaussianBlur(fine, (0, 0), 6.0), np.float32)


def _edges(detail: Floats) -> Floats:
    down, across = np.gradient(detail)
    edges: Floats = np.hypot(down, across)
    return edges


def _correlation(a: Floats, b: Floats) -> float:
    a, b = a - a.mean(), b - b.mean()
    length = float(np.linalg.norm(a) * np.linalg.norm(b))
    return float((a * b).sum()) / length if length else 0.0


def _spread(n: int) -> npt.NDArray[np.int64]:
    return np.unique(np.linspace(0, n - 1, min(n, SAMPLED)).astype(np.int64))
