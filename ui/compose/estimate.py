"""What the shot on the table costs on its server: rows, time and memory, and what would save most of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QObject, QTimer, Signal

from studio.contract import (
    ContractError,
    Cost,
    Finding,
    PastRun,
    Range,
    Request,
    Saving,
    Shot,
    cost,
    follow_main,
    mends,
    rows,
    work,
)

if TYPE_CHECKING:
    from studio.jobs.room import Room
    from ui.compose.viewmodel import ComposeModel

_RUNS_MOST: Final = 200


class Estimate(QObject):
    """Follows the model's shot. `cost` is None while the request is one that the contract refuses outright."""

    changed = Signal()

    def __init__(self, model: ComposeModel) -> None:
        super().__init__(model)
        self._model = model
        self.history: tuple[PastRun, ...] = ()
        self.room: Room | None = None
        """What the cards of the server can give, when it is known."""
        self.cost: Cost | None = None
        # Once a turn of the loop, however many edits it holds.
        self._soon = QTimer(self, interval=0, singleShot=True)
        self._soon.timeout.connect(self._work_out)
        model.findings_changed.connect(self._soon.start)
        self._soon.start()

    def use_history(self, runs: Sequence[PastRun]) -> None:
        """What this server did before, newest first."""
        self.history = tuple(runs[:_RUNS_MOST])
        self._soon.start()

    def use_room(self, room: Room | None) -> None:
        """How much memory the cards of the server can give."""
        if room != self.room:
            self.room = room
            self._soon.start()

    @property
    def shortage(self) -> Finding | None:
        """A warning when the render may need more memory than there is."""
        if self.cost is None or self.room is None:
            return None
        from studio.jobs.room import shortage  # brings what reads cards: not before one was read

        return shortage(self.cost, self.room)

    def save(self, saving: Saving) -> None:
        """Do what a saving's button says."""
        model = self._model
        model.edit(mends.apply(model.shot, saving.mend, model.request), "edit.mend")

    def together(self, shots: Sequence[Shot]) -> tuple[int, Range | None] | None:
        """Rows × updates of several renders, and how long they take one after another; None when one is refused."""
        found = [self._cost_of(shot) for shot in shots]
        known = [one for one in found if one is not None]
        if len(known) < len(found):
            return None
        times = [one.seconds for one in known if one.seconds is not None]
        work = sum(one.rows.padded * one.updates for one in known)
        if len(times) < len(known):
            return work, None
        return work, Range(sum(time.least for time in times), sum(time.most for time in times))

    def _work_out(self) -> None:
        self.cost = self._cost_of(self._model.shot)
        self.changed.emit()

    def _cost_of(self, shot: Shot) -> Cost | None:
        request = replace(self._model.request, shot=shot)
        try:
            found = cost(request, self.history)
            savings = [_settled(request, found, saving) for saving in found.savings]
        except ContractError:
            return None
        return replace(found, savings=tuple(sorted(savings, key=lambda saving: -saving.share)))


def _settled(request: Request, before: Cost, saving: Saving) -> Saving:
    """What a saving comes to once length and canvas have followed: without its clip a result may be shorter, too."""
    shot = mends.apply(request.shot, saving.mend, request)
    after = rows(replace(request, shot=follow_main(replace(request, shot=shot))))
    share = 1 - work(after.padded) / work(before.rows.padded)
    return Saving(saving.mend, before.rows.total - after.total, share)
