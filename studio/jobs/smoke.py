"""Whether a shape works at all: a quick render of it, and what earlier renders on the same server say.

A short, smaller job that passed proves nothing of a longer one: memory and attention grow with the rows of a step.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from studio.contract import Limits, Shot, rungs
from studio.core.words import Message

STEPS: Final = 4
"""Denoise steps of a smoke: the peak of memory is reached in the first."""


def smoke_shape(shot: Shot, limits: Limits) -> Shot:
    """The same references at full length and the same canvas, with few steps and the shortest output."""
    shortest = rungs(limits)[0]
    return shot.but(
        frames=min(shot.frames, shortest),
        steps=min(shot.steps, STEPS),
        follow=shot.follow - {"frames"},
        long_video=None,
    )


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is known of `rows` on a server. `works`: a render of at least as many went through; `fails`: one of at most
    as many ran out of memory; `unknown`: only smaller ones went through, up to `most_known` rows (0: none)."""

    outcome: Literal["works", "fails", "unknown"]
    rows: int
    most_known: int
    least_failed: int | None

    @property
    def exceeds(self) -> bool:
        """Whether it is more than what is known to work, where something is known."""
        return self.outcome == "fails" or (self.outcome == "unknown" and self.most_known > 0)

    @property
    def message(self) -> Message:
        """The same as a sentence to be."""
        params = {"rows": self.rows, "known": self.most_known, "failed": self.least_failed}
        return Message(f"smoke.{self.outcome}", params)
