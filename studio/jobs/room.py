"""How much memory a render can have: of a card's memory, what other programs hold is not to be had."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass
from typing import Final

from studio.contract import Cost, Finding, Severity
from studio.core.words import Param
from studio.server.gpu_release import WORKER
from studio.telemetry import Card, GpuReading, Holder, Sample

_GIB: Final = 1 << 30
_GRAIN: Final = 1 << 28
"""Bytes to which what others hold is rounded up: a browser's few MiB more or less are no news."""


@dataclass(frozen=True, slots=True)
class Room:
    """Bytes of the card that has least to give: all it has, and what others hold. `by`: who holds most of that."""

    total: int
    taken: int = 0
    by: Holder | None = None

    @property
    def free(self) -> int:
        """Bytes that the server has, or can have."""
        return self.total - self.taken


def room(sample: Sample, ours: Container[int] = ()) -> Room | None:
    """What the server's cards can give; None while none says how much it has.

    Processes `ours` are the server's own; so are vLLM-Omni's workers, in a container or of a server that runs here
    without us. A card that does not tell its processes counts as free.
    """
    found = [
        _room(card, reading, ours)
        for card, reading in zip(sample.cards, sample.gpus, strict=True)
        if card.total and card.serving is not False
    ]
    return min(found, key=lambda one: one.free, default=None)


def _room(card: Card, reading: GpuReading, ours: Container[int]) -> Room:
    others = [h for h in reading.holders if h.used and h.pid not in ours and not h.name.startswith(WORKER)]
    taken = -(-sum(h.used or 0 for h in others) // _GRAIN) * _GRAIN
    total = card.total or 0
    return Room(total, min(total, taken), max(others, key=lambda h: h.used or 0, default=None))


def shortage(found: Cost, there: Room) -> Finding | None:
    """A warning when a render needs more than its cards can give, by the least that past runs leave room for: the most
    is often a guess from smaller ones."""
    if found.memory is None or found.memory[0] <= there.free:
        return None
    needed, free, total = (size / _GIB for size in (found.memory[0], there.free, there.total))
    params: dict[str, Param] = {"needed": needed, "free": free, "total": total}
    if there.by is None:
        return Finding("room.short", Severity.WARNING, "memory", params)
    held = (there.by.used or 0) / _GIB
    params |= {"name": there.by.name or str(there.by.pid), "pid": there.by.pid, "held": held}
    return Finding("room.short.held", Severity.WARNING, "memory", params)
