"""The stages of one attempt at a job as spans of wall time, from the store's changes and the phases seen here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

from studio.core.words import say
from studio.jobs import Job, JobState

_BEFORE: Final = frozenset({"draft", "failed", "cancelled", "lost"})
_PHASES: Final = frozenset({"prepare", "denoise", "decode", "mux", "saved"})
WAITS: Final = frozenset({"waiting", "queued"})
"""Stages in which nothing is done for the job."""


@dataclass(frozen=True, slots=True)
class Stage:
    """`name` is a job state or, while it ran on the server, a phase; times are wall seconds since the epoch."""

    name: str
    start: float
    end: float

    @property
    def seconds(self) -> float:
        """How long it took (wall time; a clock that was set back gives 0)."""
        return max(0.0, self.end - self.start)

    def text(self) -> str:
        """Its name in the current language."""
        code = f"phase.{self.name}" if self.name in _PHASES else f"state.{self.name}"
        return say(code)


def stages(
    job: Job, changes: Sequence[Mapping[str, Any]], phases: Sequence[tuple[str, float]], now: float
) -> list[Stage]:
    """The stages of the job's last attempt, in order. The one that goes on ends `now`."""
    marks = [(str(change["to"]), float(change["at"])) for change in _last_attempt(changes)]
    found: list[Stage] = []
    for (name, start), (_, end) in pairwise([*marks, ("", now)]):
        if JobState(name).finished:
            break
        found += _running(start, end, phases) if name == JobState.RUNNING else [Stage(name, start, max(start, end))]
    return found


def ended(changes: Sequence[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """The change that ended the job, if it has ended."""
    return changes[-1] if changes and JobState(changes[-1]["to"]).finished else None


def _last_attempt(changes: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
    begins = [index for index, change in enumerate(changes) if change["from"] in _BEFORE and change["to"] == "checking"]
    return changes[begins[-1] :] if begins else changes


def _running(start: float, end: float, phases: Sequence[tuple[str, float]]) -> list[Stage]:
    inside = [(name, max(start, since)) for name, since in phases if name in _PHASES and since < end]
    if not inside:
        return [Stage("running", start, max(start, end))]
    bounds = [start, *(since for _, since in inside[1:]), max(start, end)]
    return [Stage(name, bounds[i], max(bounds[i], bounds[i + 1])) for i, (name, _) in enumerate(inside)]
