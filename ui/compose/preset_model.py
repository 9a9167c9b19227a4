"""Templates and the user's own presets beside the shot on the table: applied, kept, shared, and what they cost."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from studio.contract import ContractError, Cost, PastRun, Request, Shot, Task, cost, edits, follow_main
from studio.core.notices import Notice, Notices
from studio.core.tasks import TaskScope
from studio.core.words import Message
from studio.presets import (
    Preset,
    PresetLibrary,
    apply,
    preset_of,
    read_preset,
    templates,
    without_parts,
    write_preset,
)
from ui.compose.loop import loop_runs
from ui.compose.surroundings import Past, Surroundings

if TYPE_CHECKING:
    from ui.compose.viewmodel import ComposeModel


class PresetModel(QObject):
    """What the gallery shows and does. The disk is touched in threads."""

    changed = Signal()
    """The user's own presets, or which ones shots begin with, are others."""
    costs_changed = Signal()
    """`known_costs` is new."""
    applied = Signal()
    """A preset with a prompt was put on the shot."""

    def __init__(self, model: ComposeModel, notices: Notices, around: Surroundings) -> None:
        super().__init__(model)
        self._model, self._notices, self._around = model, notices, around
        self._library = PresetLibrary()
        self._scope = TaskScope("presets", lambda error, _task: notices.error(error))
        self._settings = around.settings
        self.own: tuple[Preset, ...] = ()
        self.known_costs: Mapping[str, Cost | None] = {}
        """By id of the preset, what the shot would cost with it when that was last worked out."""
        self._load()

    @property
    def all(self) -> tuple[Preset, ...]:
        """The built-in templates, then the user's own."""
        return (*templates(), *self.own)

    def is_own(self, preset: Preset) -> bool:
        """Whether the user made it."""
        return any(preset.id == own.id for own in self.own)

    # On the shot.

    def apply(self, preset: Preset) -> None:
        """Put a preset on the shot, as one step of undo."""
        self._model.edit(lambda shot: apply(preset, shot), "edit.preset")
        if "prompt" in preset.sets:
            self.applied.emit()

    def switch_to(self, task: Task) -> None:
        """Choose a mode. A shot that is still empty begins as its mode's own preset says."""
        shot, preset = self._model.shot, self.default_for(task)
        if preset is not None and not shot.references and not shot.prompt.strip():
            self._model.edit(apply(preset, edits.set_task(shot, task)), "edit.task")
        else:
            self._model.set_task(task)

    def fresh(self) -> Shot:
        """A new shot, as the preset of its mode says."""
        shot = Shot()
        preset = self.default_for(shot.task)
        return apply(preset, shot) if preset is not None else shot

    def default_for(self, task: Task) -> Preset | None:
        """The preset that new shots of a mode begin with."""
        chosen = self._settings.present.compose.presets.get(task) if self._settings else None
        return next((preset for preset in self.all if preset.id == chosen), None)

    def set_default(self, task: Task, preset: Preset | None) -> None:
        """Let new shots of a mode begin with a preset, or with nothing."""
        if self._settings is None:
            return
        present = self._settings.present.compose
        chosen = {mode: preset_id for mode, preset_id in present.presets.items() if mode != task}
        if preset is not None:
            chosen[task] = preset.id
        self._settings.update(compose=present.model_copy(update={"presets": chosen}))
        self.changed.emit()

    def lacking(self, preset: Preset) -> int:
        """How many references that a preset needs are not in the tray."""
        there = [r.kind for r in self._model.shot.references if not r.set_aside]
        return sum(max(0, preset.needs.count(kind) - there.count(kind)) for kind in set(preset.needs))

    def fitting(self) -> list[Preset]:
        """All presets, best first: those of the mode whose needs the tray meets, own ones before built-in ones."""
        shot = self._model.shot
        sent = [r.kind for r in shot.sent()]

        def misfit(preset: Preset) -> tuple[bool, int, int, bool]:
            unused = sum(max(0, sent.count(kind) - preset.needs.count(kind)) for kind in set(sent))
            return preset.task != shot.task, self.lacking(preset), unused, not self.is_own(preset)

        return sorted(self.all, key=misfit)

    def count_costs(self) -> None:
        """Work out, off the loop, what the shot would cost with each preset."""
        self._scope.start(self._count(), name="costs")

    # The user's own.

    def keep(self, title: str, parts: Iterable[str]) -> None:
        """Keep these parts of the shot as a new preset."""
        preset = preset_of(self._model.shot, title, parts)
        self._scope.start(self._change(lambda: self._library.add(preset)), name="keep")

    def replace(self, preset: Preset, parts: Iterable[str]) -> None:
        """Let a preset of the user's own set what the shot now is, in these parts."""
        self._save(preset_of(self._model.shot, preset.title, parts, like=preset))

    def revise(self, preset: Preset, title: str, parts: Iterable[str]) -> None:
        """Rename a preset of the user's own, and leave out what is not among `parts`."""
        self._save(without_parts(preset, preset.parts - set(parts)).but(title=title))

    def delete(self, preset: Preset) -> None:
        """Delete a preset of the user's own."""
        self._scope.start(self._change(lambda: self._library.delete(preset.id)), name="delete")

    def export(self, preset: Preset, path: Path) -> None:
        """Write a preset to a file that can be shared."""
        self._scope.start(asyncio.to_thread(write_preset, preset, path), name="export")

    def take_in(self, files: Sequence[Path]) -> None:
        """Add presets from files that somebody shared."""
        for path in files:
            self._scope.start(self._change(partial(self._take_in, path)), name="import")

    def _take_in(self, path: Path) -> object:
        return self._library.add(read_preset(path))

    def read_past(self, then: Callable[[Past], object]) -> None:
        """Fetch the shots of earlier renders; `then` gets them, newest first."""
        self._scope.start(self._read_past(then), name="past")

    async def aclose(self) -> None:
        """Let what is being written be written."""
        await self._scope.aclose()

    # How it comes about.

    def _load(self) -> None:
        if loop_runs():
            self._scope.start(self._read(tell=True), name="load")
        else:
            QTimer.singleShot(50, self, self._load)

    def _save(self, preset: Preset) -> None:
        self._scope.start(self._change(lambda: self._library.save(preset)), name="save")

    async def _change(self, act: Callable[[], object]) -> None:
        await asyncio.to_thread(act)
        await self._read(tell=False)
        await self._count()

    async def _read_past(self, then: Callable[[Past], object]) -> None:
        then(await self._around.past())

    async def _count(self) -> None:
        history = self._model.estimate.history
        self.known_costs = await asyncio.to_thread(_costs, self._model.request, self.all, history)
        self.costs_changed.emit()

    async def _read(self, *, tell: bool) -> None:
        own, troubles = await asyncio.to_thread(self._library.load)
        self.own = tuple(own)
        for trouble in troubles if tell else ():
            self._notices.post(Notice("warn", Message(trouble.code, trouble.params)))
        self.changed.emit()


def _costs(request: Request, presets: Sequence[Preset], history: Sequence[PastRun]) -> dict[str, Cost | None]:
    found: dict[str, Cost | None] = {}
    for preset in presets:
        shot = apply(preset, request.shot)
        settled = follow_main(Request(shot, request.limits, request.facts))
        try:
            found[preset.id] = cost(Request(settled, request.limits, request.facts), history)
        except ContractError:
            found[preset.id] = None
    return found
