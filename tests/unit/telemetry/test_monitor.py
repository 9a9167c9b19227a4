"""Sources are read while somebody watches them, by one thread each, and left alone otherwise."""

from __future__ import annotations

import threading

from studio.core.words import Message
from studio.telemetry import Card, GpuReading, Monitor, Sample, Source
from tests.helpers.waiting import until

HERE = Source(local=True)


class Scripted:
    """A sampler that does what it is told, and counts."""

    local = True

    def __init__(self, *, cards: int = 1) -> None:
        self.trouble: Message | None = None if cards else Message("gpu.none")
        self.cards = cards
        self.opened = self.looked = self.closed = 0
        self.gone = False

    def open(self) -> tuple[Card, ...]:
        self.opened += 1
        return tuple(Card(index, "H200", total=100) for index in range(self.cards))

    def sample(self) -> tuple[GpuReading, ...] | None:
        self.looked += 1
        return None if self.gone else (GpuReading(self.looked),) * self.cards

    def close(self) -> None:
        self.closed += 1


def threads() -> int:
    return sum(thread.name == "telemetry" for thread in threading.enumerate())


async def test_nothing_is_read_until_somebody_looks_and_after_the_last_has_gone() -> None:
    sampler, heard = Scripted(), list[Sample]()
    monitor = Monitor(lambda _: sampler)
    assert threads() == 0
    first = monitor.watch(HERE, heard.append, rate=10)
    second = monitor.watch(HERE, lambda _: None)
    await until(lambda: len(heard) >= 3, "samples")
    assert threads() == monitor.threads == 1 and sampler.opened == 1
    assert heard[0].gpus == (GpuReading(1),) and heard[0].host is not None
    first()
    assert monitor.threads == 1, "the other still looks"
    second()
    second()
    await until(lambda: threads() == 0, "the thread's end")
    assert sampler.closed and monitor.threads == 0
    await monitor.aclose()


async def test_every_sample_comes_on_the_loop_that_asked() -> None:
    seen: list[threading.Thread] = []
    monitor = Monitor(lambda _: Scripted())
    monitor.watch(HERE, lambda _: seen.append(threading.current_thread()), rate=10)
    await until(lambda: seen, "a sample")
    await monitor.aclose()
    assert set(seen) == {threading.main_thread()} and threads() == 0


async def test_a_machine_without_cards_is_not_asked_over_and_over() -> None:
    sampler, heard = Scripted(cards=0), list[Sample]()
    monitor = Monitor(lambda _: sampler)
    monitor.watch(HERE, heard.append, rate=10)
    await until(lambda: len(heard) >= 6, "samples")
    await monitor.aclose()
    assert (sampler.opened, sampler.looked) == (1, 0), "looked for again after seconds, then after longer"
    assert heard[-1].gpus == () and heard[-1].trouble == Message("gpu.none")


async def test_a_driver_that_goes_away_stops_the_readings_and_not_the_program() -> None:
    sampler, heard = Scripted(), list[Sample]()
    monitor = Monitor(lambda _: sampler)
    monitor.watch(HERE, heard.append, rate=10)
    await until(lambda: heard, "a sample")
    sampler.gone = True
    await until(lambda: not heard[-1].gpus, "no readings")
    assert sampler.closed == 1
    await monitor.aclose()


async def test_where_nothing_can_be_read_that_is_said() -> None:
    heard = list[Sample]()
    monitor = Monitor()
    monitor.watch(Source(), heard.append)
    await until(lambda: heard, "a sample")
    await monitor.aclose()
    assert heard[0].cards == () and heard[0].host is None and heard[0].fullest is None
    assert heard[0].trouble is not None and "cannot read" in heard[0].trouble.text()
