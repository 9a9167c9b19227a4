"""The one interface of all samplers. No method raises: what cannot be read is None, and `trouble` says why."""

from __future__ import annotations

from typing import Protocol

from studio.core.words import Message
from studio.telemetry.readings import Card, GpuReading


class Sampler(Protocol):
    """Blocking, used from one thread. `local`: it reads this machine, so that host memory belongs beside it."""

    local: bool
    trouble: Message | None

    def open(self) -> tuple[Card, ...]:
        """Find the cards; empty when there are none to read now. May be called again after `close`."""

    def sample(self) -> tuple[GpuReading, ...] | None:
        """A reading for each card of `open`, in that order; None when the source is gone and must be opened anew."""

    def close(self) -> None:
        """Let go of the source."""


class NoSampler:
    """For a server whose machine we cannot read: nothing is reported."""

    local = False

    def __init__(self) -> None:
        self.trouble: Message | None = Message("gpu.elsewhere")

    def open(self) -> tuple[Card, ...]:
        return ()

    def sample(self) -> tuple[GpuReading, ...] | None:
        return ()

    def close(self) -> None:
        """Nothing is held."""
