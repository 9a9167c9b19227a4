"""What a sampler reads: cards, what each shows now, host memory. Bytes; None means "not reported", never zero."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from studio.core.words import Message


@dataclass(frozen=True, slots=True)
class Card:
    """A card, as far as it does not change. `index` is the driver's own (PCI order), whatever a server calls it.

    `mig`: the number of the instance where a card is split. `unified`: it shares the machine's memory, `total` is that.
    `hot`: degrees Celsius at which it slows itself down. `serving`: whether the watched server uses it, if known.
    """

    index: int
    name: str
    uuid: str = ""
    pci: str = ""
    total: int | None = None
    mig: int | None = None
    unified: bool = False
    hot: float | None = None
    serving: bool | None = None

    @property
    def label(self) -> str:
        """Names it among the cards of its machine: "0", or "0:1" for an instance of a split card."""
        return str(self.index) if self.mig is None else f"{self.index}:{self.mig}"

    def marked(self, serving: bool | None) -> Card:
        """The same card, told whether the server uses it."""
        return replace(self, serving=serving)


@dataclass(frozen=True, slots=True)
class Holder:
    """A process that holds a card's memory; `used` in bytes when the driver says."""

    pid: int
    name: str
    used: int | None


@dataclass(frozen=True, slots=True)
class GpuReading:
    """A card now: bytes used, percent busy, watts, degrees Celsius, MHz of its cores. `throttled`: slowed by heat."""

    used: int | None = None
    utilisation: float | None = None
    power: float | None = None
    temperature: float | None = None
    clock: float | None = None
    throttled: bool | None = None
    holders: tuple[Holder, ...] = ()


@dataclass(frozen=True, slots=True)
class HostReading:
    """Main memory of this machine, in bytes."""

    used: int
    total: int


@dataclass(frozen=True, slots=True)
class Sample:
    """One look. `at` is wall time, `gpus` runs beside `cards`; `trouble` says why there are none."""

    at: float
    cards: tuple[Card, ...] = ()
    gpus: tuple[GpuReading, ...] = ()
    host: HostReading | None = None
    trouble: Message | None = field(default=None, compare=False)

    @property
    def fullest(self) -> tuple[int, int] | None:
        """Bytes used and total of the card that is fullest by share; None while no card reports both."""
        known = [
            (reading.used, card.total)
            for card, reading in zip(self.cards, self.gpus, strict=True)
            if reading.used is not None and card.total
        ]
        return max(known, key=lambda pair: pair[0] / pair[1], default=None)
