"""This machine's cards: NVIDIA's when there are any, else AMD's. It marks the cards that the watched server uses."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import psutil

from studio.core.words import Message
from studio.telemetry.readings import Card, GpuReading
from studio.telemetry.samplers.amdgpu import AmdgpuSampler
from studio.telemetry.samplers.base import Sampler
from studio.telemetry.samplers.nvml import NvmlSampler
from studio.telemetry.visible import visible


class LocalSampler:
    """`server` is the pid of the server's main process, if it runs here."""

    local = True

    def __init__(
        self,
        server: int | None = None,
        ways: Callable[[], Sequence[Sampler]] = lambda: (NvmlSampler(), AmdgpuSampler()),
    ) -> None:
        self.trouble: Message | None = None
        self._server = server
        self._ways = ways
        self._used: Sampler | None = None

    def open(self) -> tuple[Card, ...]:
        """The first way that finds cards; else why the first of them found none."""
        self.close()
        troubles: list[Message | None] = []
        for way in self._ways():
            if cards := way.open():
                self._used, self.trouble = way, None
                return _marked(cards, self._server)
            troubles.append(way.trouble)
            way.close()
        self.trouble = next(filter(None, troubles), None)
        return ()

    def sample(self) -> tuple[GpuReading, ...] | None:
        """A reading for each card; None when the driver is gone."""
        if self._used is None:
            return None
        readings = self._used.sample()
        self.trouble = self._used.trouble
        return readings

    def close(self) -> None:
        """Let go of the driver."""
        if self._used is not None:
            self._used.close()
            self._used = None


def _marked(cards: tuple[Card, ...], server: int | None) -> tuple[Card, ...]:
    if server is None:
        return cards
    try:
        env = psutil.Process(server).environ()
    except psutil.Error:
        return cards
    uuids = visible(cards, env)
    return tuple(card.marked(None if uuids is None else card.uuid in uuids) for card in cards)
