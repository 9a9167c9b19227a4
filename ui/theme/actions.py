"""The one registry of actions and keys: main window, workspaces and the F1 sheet all read it.

Scope "window": the key works anywhere in the window. Scope "picture": only while a picture (or the timeline and curves
that belong to it) has the focus, so that a letter typed into a text field stays a letter.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QWidget

from studio.core.words import language_changed, mark, tr
from ui.theme.icons import icon

Scope = Literal["window", "picture"]


@dataclass(frozen=True, slots=True)
class ActionSpec:
    """An action: a stable id ("compare.step_forward"), its English text, its keys (the first one is shown)."""

    id: str
    text: str
    keys: tuple[str, ...] = ()
    scope: Scope = "window"
    icon: str | None = None

    @property
    def group(self) -> str:
        """What comes before the dot: the heading on the F1 sheet."""
        return self.id.partition(".")[0]


GROUPS = {
    "go": mark("Workspaces"),
    "shot": mark("Shot"),
    "edit": mark("Edit"),
    "app": mark("Program"),
    "play": mark("Playback"),
    "view": mark("Picture"),
    "compare": mark("Comparison"),
}


def _picture(id_: str, text: str, *keys: str, icon: str | None = None) -> ActionSpec:
    return ActionSpec(id_, text, keys, "picture", icon)


_ALL = (
    ActionSpec("go.compose", mark("Compose"), ("Ctrl+Shift+1",), icon="compose"),
    ActionSpec("go.queue", mark("Queue"), ("Ctrl+Shift+2",), icon="queue"),
    ActionSpec("go.compare", mark("Compare"), ("Ctrl+Shift+3",), icon="compare"),
    ActionSpec("go.server", mark("Server"), ("Ctrl+Shift+5",), icon="server"),
    ActionSpec("shot.new", mark("New shot"), ("Ctrl+N",), icon="add"),
    ActionSpec("shot.open", mark("Open a shot…"), ("Ctrl+O",), icon="folder"),
    ActionSpec("shot.save", mark("Save the shot"), ("Ctrl+S",)),
    ActionSpec("shot.save_as", mark("Save the shot as…"), ("Ctrl+Shift+S",)),
    ActionSpec("shot.add_media", mark("Add references…"), ("Ctrl+Shift+A",), icon="add"),
    ActionSpec("shot.render", mark("Render"), ("Ctrl+Return", "Ctrl+Enter"), icon="play"),
    ActionSpec("edit.undo", mark("Undo"), ("Ctrl+Z",), icon="undo"),
    ActionSpec("edit.redo", mark("Redo"), ("Ctrl+Shift+Z", "Ctrl+Y"), icon="redo"),
    ActionSpec("app.keys", mark("Keys"), ("F1",), icon="keyboard"),
    ActionSpec("app.quit", mark("Quit"), ("Ctrl+Q",)),
    _picture("play.toggle", mark("Play or pause"), "Space", icon="play"),
    _picture("play.backward", mark("Play backward; again for faster"), "J"),
    _picture("play.pause", mark("Pause"), "K", icon="pause"),
    _picture("play.forward", mark("Play forward; again for faster"), "L"),
    _picture("play.step_back", mark("One frame back"), "Left", ",", icon="step-back"),
    _picture("play.step_forward", mark("One frame forward"), "Right", ".", icon="step-forward"),
    _picture("play.block_back", mark("17 frames back"), "Shift+Left"),
    _picture("play.block_forward", mark("17 frames forward"), "Shift+Right"),
    _picture("play.first", mark("First frame"), "Home", icon="first"),
    _picture("play.last", mark("Last frame"), "End", icon="last"),
    _picture("play.loop_in", mark("Loop from here"), "I"),
    _picture("play.loop_out", mark("Loop to here"), "O"),
    _picture("play.loop", mark("Loop the range"), "/", icon="loop"),
    _picture("view.zoom", mark("100 % or fit"), "Z", icon="fit"),
    _picture("compare.side", mark("Side by side"), "1"),
    _picture("compare.wipe", mark("Wipe"), "2"),
    _picture("compare.difference", mark("Difference"), "3"),
    _picture("compare.overlay", mark("Overlay"), "4"),
    _picture("compare.flicker", mark("Flicker"), "5"),
    _picture("compare.stacked", mark("Stacked"), "6"),
    _picture("compare.gain_up", mark("More gain"), "Ctrl+Up"),
    _picture("compare.gain_down", mark("Less gain"), "Ctrl+Down"),
    _picture("compare.toggle", mark("Show A or B alone"), "T"),
    _picture("compare.offset_back", mark("B one frame earlier"), "["),
    _picture("compare.offset_forward", mark("B one frame later"), "]"),
    _picture("compare.offset_zero", mark("No offset"), "\\"),
    _picture("compare.worst", mark("Frame that differs most"), "W"),
    ActionSpec("compare.open", mark("Open two clips…"), icon="folder"),
    ActionSpec("compare.swap", mark("Swap A and B"), icon="swap"),
    ActionSpec("compare.export", mark("Export…"), icon="download"),
)

ACTIONS: dict[str, ActionSpec] = {spec.id: spec for spec in _ALL}


def make(id_: str, parent: QWidget, triggered: Callable[[], object] | None = None) -> QAction:
    """The action of that id as a QAction of `parent`, in the current language and whichever comes.

    Its keys work in the parent's window, or for "picture" actions while `parent` or a child of it has the focus.
    Raises KeyError for an unknown id.
    """
    spec = ACTIONS[id_]
    action = QAction(parent)
    action.setObjectName(spec.id)
    action.setShortcuts([QKeySequence(key) for key in spec.keys])
    in_picture = Qt.ShortcutContext.WidgetWithChildrenShortcut
    action.setShortcutContext(in_picture if spec.scope == "picture" else Qt.ShortcutContext.WindowShortcut)
    if spec.icon:
        action.setIcon(icon(spec.icon))

    def translate(_language: str = "") -> None:
        text = tr(spec.text)
        action.setText(text)
        action.setToolTip(f"{text} ({shown_key(spec)})" if spec.keys else text)

    translate()
    action.destroyed.connect(language_changed.subscribe(translate))
    if triggered is not None:
        action.triggered.connect(lambda _checked=False: triggered())
    parent.addAction(action)
    return action


def shown_key(spec: ActionSpec) -> str:
    """The action's first key as this system writes it ("Ctrl+Shift+1"); empty without one."""
    if not spec.keys:
        return ""
    return QKeySequence(spec.keys[0]).toString(QKeySequence.SequenceFormat.NativeText)
