"""Renders that are asked for beside the plain one: with several seeds, as a smoke of the shape, as a pair of drafts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QObject, Signal

from studio.contract import Reference, Shot, check, edits
from studio.jobs.seeds import with_seeds
from studio.jobs.smoke import smoke_shape

if TYPE_CHECKING:
    from studio.jobs.job import Purpose
    from ui.compose.viewmodel import ComposeModel

DRAFT_STEPS: Final = 8
"""Denoise steps of a draft: enough to see what a reference does, not enough to keep."""


@dataclass(frozen=True, slots=True)
class Wish:
    """Shots to render, in this order. Two drafts are a pair: they are compared once both are there."""

    shots: tuple[Shot, ...]
    purpose: Purpose = "render"


class RenderWishes(QObject):
    """Turns *Render* into what was really asked for. Every wish passes the same checks as a render does."""

    wished = Signal(object)
    """A Wish."""
    changed = Signal()
    """`seeds` is another number."""

    def __init__(self, model: ComposeModel) -> None:
        super().__init__(model)
        self._model = model
        self.seeds = 1
        """How many renders, each with a seed of its own, *Render* starts."""
        self._next: Purpose = "render"
        self._without: str | None = None
        model.render_requested.connect(self._on_allowed)
        model.blocked.connect(self._on_blocked)

    def set_seeds(self, count: int) -> None:
        """Render that many seeds from now on."""
        if count != self.seeds:
            self.seeds = count
            self.changed.emit()

    def smoke(self) -> None:
        """Ask for a quick render of the shape: the same references, few steps, the shortest output."""
        self._ask("smoke")

    def drafts_without(self, ref_id: str) -> None:
        """Ask for two drafts with one seed, the second one without a reference."""
        self._without = ref_id
        self._ask("draft")

    def smoke_shot(self) -> Shot:
        """What a smoke renders."""
        return smoke_shape(self._model.shot, self._model.limits)

    def draft_pair(self, ref_id: str) -> tuple[Shot, Shot]:
        """The shot at draft steps, and the same without one reference; nothing else differs."""
        shot = self._model.shot
        draft = shot.but(steps=min(shot.steps, DRAFT_STEPS), follow=frozenset(), quality=None)
        return draft, edits.set_aside(draft, ref_id)

    def removable(self) -> list[Reference]:
        """The references without which the shot can still be rendered."""
        request = self._model.request
        if any(finding.is_error for finding in self._model.findings):
            return []
        return [
            reference
            for reference in request.shot.sent()
            if not any(f.is_error for f in check(replace(request, shot=self.draft_pair(reference.id)[1])))
        ]

    def _ask(self, purpose: Purpose) -> None:
        self._next = purpose
        self._model.request_render()

    def _on_blocked(self, _finding: object) -> None:
        self._next, self._without = "render", None

    def _on_allowed(self, shot: Shot) -> None:
        purpose, without = self._next, self._without
        self._next, self._without = "render", None
        if purpose == "smoke":
            self.wished.emit(Wish((self.smoke_shot(),), "smoke"))
        elif purpose == "draft" and without is not None:
            self.wished.emit(Wish(self.draft_pair(without), "draft"))
        else:
            self.wished.emit(Wish(tuple(with_seeds(shot, self.seeds))))
