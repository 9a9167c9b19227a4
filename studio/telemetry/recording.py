"""Everything that was seen of one render on one clock: memory and load of each card, the host, steps, stages.

Seconds count from when the job was accepted by the server. A recording grows while a job runs, and is read back from
its file (`recorder.replay`) when it is over.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from studio.core.words import Message
from studio.telemetry.readings import Sample
from studio.telemetry.series import Series

MIB: Final = 1 << 20
_ABSURD: Final = 4
"""Times its total: more than that a card cannot have said in earnest."""
_MOST_WATTS, _MOST_DEGREES = 5000.0, 200.0
_MOST_STEPS: Final = 20_000


@dataclass(slots=True)
class Track:
    """One card (or the host, which only has memory) over time: MiB, percent, watts, degrees Celsius."""

    label: str
    name: str = ""
    total: float | None = None
    """MiB."""
    unified: bool = False
    serving: bool | None = None
    used: Series = field(default_factory=Series)
    load: Series = field(default_factory=Series)
    power: Series = field(default_factory=Series)
    heat: Series = field(default_factory=Series)

    def add(self, t: float, used: float | None, load: float | None, power: float | None, heat: float | None) -> None:
        """One reading; what is out of all reason is a gap and not the end of the scale."""
        self.used.add(t, _within(used, _ABSURD * self.total if self.total else 1e9))
        self.load.add(t, _within(load, 100.0))
        self.power.add(t, _within(power, _MOST_WATTS))
        self.heat.add(t, _within(heat, _MOST_DEGREES))


@dataclass(frozen=True, slots=True)
class StepMark:
    """Step `step` of `steps` was seen done at `t`; `seconds` it took by the server's own clock, when that is known."""

    t: float
    step: int
    steps: int
    seconds: float | None = None


class Recording:
    """`began` is the wall time of second 0."""

    def __init__(self, began: float) -> None:
        self.began = began
        self.tracks: dict[str, Track] = {}
        self.host = Track("host")
        self.steps: list[StepMark] = []
        self.stages: list[tuple[float, str]] = []
        """(seconds, name of the phase that begins)."""
        self.trouble: Message | None = None
        """Why there is no memory to see."""
        self.alerts: list[tuple[float, Message]] = []
        self.end = 0.0
        """Seconds of the newest entry."""

    def add_sample(self, sample: Sample) -> None:
        """Take in one look at the cards."""
        t = self._advance(sample.at - self.began)
        self.trouble = sample.trouble
        for card, reading in zip(sample.cards, sample.gpus, strict=True):
            track = self.tracks.get(card.label)
            if track is None:
                track = self.tracks[card.label] = Track(card.label, card.name)
            track.total = card.total / MIB if card.total else track.total
            track.unified, track.serving = card.unified, card.serving
            used = None if reading.used is None else reading.used / MIB
            track.add(t, used, reading.utilisation, reading.power, reading.temperature)
        if sample.host is not None:
            self.host.total = sample.host.total / MIB
            self.host.used.add(t, sample.host.used / MIB)

    def add_step(self, t: float, step: int, steps: int, seconds: float | None = None) -> StepMark:
        """A denoise step is done. Without `seconds` its time is that since the step before, if that was seen."""
        before = self.steps[-1] if self.steps else None
        t = self._heard(t, before.t if before is not None else 0.0)
        if seconds is None and before is not None and step == before.step + 1:
            seconds = t - before.t
        mark = StepMark(t, step, steps, seconds if step else None)
        if len(self.steps) < _MOST_STEPS:
            self.steps.append(mark)
        return mark

    def add_stage(self, t: float, name: str) -> None:
        """Another phase begins."""
        if not self.stages or self.stages[-1][1] != name:
            self.stages.append((self._heard(t, self.stages[-1][0] if self.stages else 0.0), name))

    def start_of(self, stage: str) -> float | None:
        """When a phase began."""
        return next((t for t, name in self.stages if name == stage), None)

    @property
    def peak(self) -> tuple[Track, float, float] | None:
        """The card that came nearest to full, when (s), and how much it held (MiB)."""
        found = [(track, *track.used.peak) for track in self.tracks.values() if track.used.peak]
        return max(found, key=lambda entry: entry[2] / (entry[0].total or entry[2] or 1), default=None)

    @property
    def is_empty(self) -> bool:
        """Whether neither cards nor steps were seen."""
        return not self.tracks and not self.steps

    def _heard(self, t: float, before: float) -> float:
        """When something of the log was true: it may be heard after newer looks at the cards, but in its own order."""
        t = max(t, before)
        self.end = max(self.end, t)
        return t

    def _advance(self, t: float) -> float:
        # Wall time may be set back while a job runs: the axis goes on.
        self.end = max(self.end, t)
        return self.end


def _within(value: float | None, most: float) -> float | None:
    return value if value is not None and 0 <= value <= most else None
