"""The menu of a card: what is done less often than by its buttons."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtGui import QActionGroup
from PySide6.QtWidgets import QMenu

from studio.contract import Reference, Role
from studio.core.words import tr
from ui.compose.viewmodel import ComposeModel
from ui.theme.icons import icon

_SHORT_EDGES = (540, 768, None)


def fill_card_menu(
    menu: QMenu, model: ComposeModel, reference: Reference, title: str, locate: Callable[[], None]
) -> None:
    """Put in what can be done with this reference now; `locate` asks for a file that is somewhere else."""
    if reference.kind == "video":
        _add_short_edges(menu, model, reference)
    if reference.kind == "image" and model.shot.task == "fl2va":
        _add_roles(menu, model, reference, ("first", tr("First frame")), ("last", tr("Last frame")))
    if reference.kind == "audio":
        _add_driving(menu, model, reference)
    menu.addSeparator()
    menu.addAction(tr("Move {name} up (Alt+↑)", name=title), partial(model.move_by, reference.id, -1))
    menu.addAction(tr("Move {name} down (Alt+↓)", name=title), partial(model.move_by, reference.id, 1))
    menu.addAction(tr("Locate the file…"), locate).setIcon(icon("folder"))
    if reference.set_aside:
        menu.addAction(tr("Bring back"), partial(model.set_aside, reference.id, False))
    else:
        menu.addAction(tr("Set aside"), partial(model.set_aside, reference.id, True))
    menu.addAction(tr("Remove {name}", name=title), partial(model.remove, reference.id)).setIcon(icon("remove"))


def _add_short_edges(menu: QMenu, model: ComposeModel, reference: Reference) -> None:
    menu.addSection(tr("Prepared short edge"))
    group = QActionGroup(menu)
    for edge in _SHORT_EDGES:
        text = tr("{edge} px", edge=edge) if edge else tr("As in the file")
        action = menu.addAction(text, partial(model.set_short_edge, reference.id, edge))
        action.setCheckable(True)
        action.setChecked(reference.preparation.short_edge == edge)
        group.addAction(action)


def _add_roles(menu: QMenu, model: ComposeModel, reference: Reference, *roles: tuple[Role, str]) -> None:
    group = QActionGroup(menu)
    for role, text in roles:
        action = menu.addAction(text, partial(model.set_role, reference.id, role))
        action.setCheckable(True)
        action.setChecked(reference.role == role)
        group.addAction(action)


def _add_driving(menu: QMenu, model: ComposeModel, reference: Reference) -> None:
    drives = reference.role == "driving"
    text = tr("Use as an ordinary reference") if drives else tr("Use as the sound of the result")
    act = model.release_driving_sound if drives else partial(model.set_role, reference.id, "driving")
    menu.addAction(text, act).setIcon(icon("audio"))
