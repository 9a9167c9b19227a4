"""Reads cards while somebody watches them: one thread a watched source, none when nobody looks."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

import psutil

from studio.telemetry.readings import Card, GpuReading, HostReading, Sample
from studio.telemetry.samplers import LocalSampler, NoSampler, NvidiaSmiSampler, RehearsalSampler, Sampler

log = logging.getLogger(__name__)
SLOWEST, FASTEST = 0.2, 10.0
"""Looks a second."""
_AGAIN_FIRST, _AGAIN_LAST = 5.0, 60.0
"""Seconds until a source without cards is opened again."""
_PATIENCE = 3.0

Heard = Callable[[Sample], object]


@dataclass(frozen=True, slots=True)
class Source:
    """Where to read: the rehearsal server at `url`, this machine (marking what the process `pid` uses), another machine
    behind `remote` (an argv such as `ssh gpu-box`), or nowhere."""

    url: str | None = None
    local: bool = False
    pid: int | None = None
    remote: tuple[str, ...] = ()

    def sampler(self) -> Sampler:
        """A sampler for it."""
        if self.url is not None:
            return RehearsalSampler(self.url)
        if self.remote:
            return NvidiaSmiSampler(self.remote)
        return LocalSampler(self.pid) if self.local else NoSampler()


class Monitor:
    """Hands samples to whoever watches a source, on the event loop that asked."""

    def __init__(self, sampler: Callable[[Source], Sampler] = Source.sampler) -> None:
        self._sampler = sampler
        self._readers: dict[Source, _Reader] = {}

    def watch(self, source: Source, heard: Heard, *, rate: float = 1.0) -> Callable[[], None]:
        """Call `heard(sample)` about `rate` times a second (0.2–10) until the returned function is called.

        Several may watch a source: it is read at the fastest rate that is asked for, and all hear every sample.
        """
        reader = self._readers.get(source)
        if reader is None:
            reader = self._readers[source] = _Reader(self._sampler(source), asyncio.get_running_loop())
        key = object()
        reader.watchers[key] = heard, min(FASTEST, max(SLOWEST, rate))
        reader.wake()

        def unwatch() -> None:
            reader.watchers.pop(key, None)
            if not reader.watchers and self._readers.get(source) is reader:
                del self._readers[source]
                reader.stop()

        return unwatch

    @property
    def threads(self) -> int:
        """How many sources are being read."""
        return len(self._readers)

    async def aclose(self) -> None:
        """Stop reading and wait for the threads."""
        readers, self._readers = tuple(self._readers.values()), {}
        for reader in readers:
            reader.watchers.clear()
            reader.stop()
        for reader in readers:
            await asyncio.to_thread(reader.join)


class _Reader:
    """The thread of one source."""

    def __init__(self, sampler: Sampler, loop: asyncio.AbstractEventLoop) -> None:
        self.watchers: dict[object, tuple[Heard, float]] = {}
        self._sampler = sampler
        self._loop = loop
        self._stopped = False
        self._wakeup = threading.Event()
        self._thread = threading.Thread(target=self._run, name="telemetry", daemon=True)

    def wake(self) -> None:
        """Begin, or take up another rate at once."""
        if not self._thread.is_alive() and not self._stopped:
            self._thread.start()
        self._wakeup.set()

    def stop(self) -> None:
        """Have the thread end after its present look."""
        self._stopped = True
        self._wakeup.set()

    def join(self) -> None:
        """Wait for its end. Blocking: a look may take a second, and one at a broken driver for ever: that is left."""
        if self._thread.ident is not None:
            self._thread.join(_PATIENCE)

    def _run(self) -> None:
        cards: tuple[Card, ...] = ()
        again, pause = 0.0, _AGAIN_FIRST
        try:
            while not self._stopped:
                began = time.monotonic()
                self._wakeup.clear()
                if not cards and began >= again:
                    cards = self._sampler.open()
                    again, pause = time.monotonic() + pause, min(_AGAIN_LAST, pause * 2)
                readings: tuple[GpuReading, ...] | None = self._sampler.sample() if cards else ()
                if readings is None:
                    self._sampler.close()
                    cards, readings, again, pause = (), (), began + _AGAIN_FIRST, _AGAIN_FIRST
                self._tell(cards, readings)
                self._wakeup.wait(max(0.0, began + 1 / self._rate() - time.monotonic()))
        finally:
            self._sampler.close()

    def _tell(self, cards: tuple[Card, ...], readings: tuple[GpuReading, ...]) -> None:
        sample = Sample(time.time(), cards, readings, _host() if self._sampler.local else None, self._sampler.trouble)
        with contextlib.suppress(RuntimeError):  # the loop was closed meanwhile
            self._loop.call_soon_threadsafe(self._emit, sample)

    def _emit(self, sample: Sample) -> None:
        for heard, _ in tuple(self.watchers.values()):
            heard(sample)

    def _rate(self) -> float:
        return max((rate for _, rate in tuple(self.watchers.values())), default=1.0)


def _host() -> HostReading:
    memory = psutil.virtual_memory()
    return HostReading(memory.total - memory.available, memory.total)
