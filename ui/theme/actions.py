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
    "queue": mark("Queue"),
    "shot": mark("Shot"),
    "edit": mark("Edit"),
    "app": mark("Program"),
    "play": mark("Playback"),
    "view": mark("Picture"),
    "marks": mark("Keep and change"),
    "compare": mark("Comparison"),
    "takes": mark("Takes of one shot"),
    "library": mark("Library"),
}


def _picture(id_: str, text: str, *keys: str, icon: str | None = None) -> ActionSpec:
    return ActionSpec(id_, text, keys, "picture", icon)


_ALL = (
    ActionSpec("go.compose", mark("Compose"), ("Ctrl+Shift+1",), icon="compose"),
    ActionSpec("go.queue", mark("Queue"), ("Ctrl+Shift+2",), icon="queue"),
    ActionSpec("go.compare", mark("Compare"), ("Ctrl+Shift+3",), icon="compare"),
    ActionSpec("go.library", mark("Library"), ("Ctrl+Shift+4",), icon="library"),
    ActionSpec("go.server", mark("Server"), ("Ctrl+Shift+5",), icon="server"),
    ActionSpec("go.settings", mark("Settings"), ("Ctrl+,",), icon="settings"),
    ActionSpec("queue.earlier", mark("Render the selected job earlier"), ("Ctrl+Shift+Up",)),
    ActionSpec("queue.later", mark("Render the selected job later"), ("Ctrl+Shift+Down",)),
    ActionSpec("queue.pause", mark("Pause the queue, or go on"), ("Ctrl+Shift+P",), icon="pause"),
    ActionSpec("shot.new", mark("New shot"), ("Ctrl+N",), icon="add"),
    ActionSpec("shot.open", mark("Open a shot…"), ("Ctrl+O",), icon="folder"),
    ActionSpec("shot.save", mark("Save the shot"), ("Ctrl+S",)),
    ActionSpec("shot.save_as", mark("Save the shot as…"), ("Ctrl+Shift+S",)),
    ActionSpec("shot.close", mark("Close the shot"), ("Ctrl+W",)),
    ActionSpec("shot.next", mark("Next open shot"), ("Ctrl+PgDown", "Ctrl+Tab")),
    ActionSpec("shot.previous", mark("Open shot before"), ("Ctrl+PgUp", "Ctrl+Shift+Tab")),
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
    _picture("play.slow_backward", mark("Play backward slowly; again for slower"), "Shift+J"),
    _picture("play.slow_forward", mark("Play forward slowly; again for slower"), "Shift+L"),
    _picture("play.step_back", mark("One frame back"), "Left", ",", icon="step-back"),
    _picture("play.step_forward", mark("One frame forward"), "Right", ".", icon="step-forward"),
    _picture("play.block_back", mark("17 frames back"), "Shift+Left"),
    _picture("play.block_forward", mark("17 frames forward"), "Shift+Right"),
    _picture("play.first", mark("First frame"), "Home", icon="first"),
    _picture("play.last", mark("Last frame"), "End", icon="last"),
    _picture("play.loop_in", mark("In point: the loop or the part begins here"), "I"),
    _picture("play.loop_out", mark("Out point: the loop or the part ends here"), "O"),
    _picture("play.loop", mark("Loop the range"), "/", icon="loop"),
    _picture("view.use", mark("Use this picture"), "Shift+U", icon="image"),
    _picture("view.zoom", mark("100 % or fit"), "Z", icon="fit"),
    _picture("view.fill", mark("Fill or fit"), "Shift+Z"),
    _picture("view.zoom_in", mark("Zoom in, to 3200 %"), "Ctrl++", "Ctrl+="),
    _picture("view.zoom_out", mark("Zoom out"), "Ctrl+-"),
    _picture("view.pan_left", mark("See more of the left"), "Alt+Left"),
    _picture("view.pan_right", mark("See more of the right"), "Alt+Right"),
    _picture("view.pan_up", mark("See more of the top"), "Alt+Up"),
    _picture("view.pan_down", mark("See more of the bottom"), "Alt+Down"),
    _picture("marks.mark", mark("Mark from here; again: to here"), "H"),
    _picture("marks.other", mark("Mark what is kept, or what changes"), "E"),
    _picture("marks.softer", mark("Softer edges of the mark"), "="),
    _picture("marks.harder", mark("Harder edges of the mark"), "-"),
    _picture("marks.rectangle", mark("Put a rectangle on the picture"), "B", icon="rectangle"),
    _picture("marks.brush", mark("Put a dab of the brush on the picture"), "D", icon="brush"),
    _picture("marks.follow", mark("Follow what is under the selected area"), "Shift+F", icon="follow"),
    _picture("marks.grid", mark("Show what is made anew"), "Shift+G", icon="grid"),
    _picture("compare.side", mark("Side by side"), "1"),
    _picture("compare.wipe", mark("Wipe"), "2"),
    _picture("compare.difference", mark("Difference"), "3"),
    _picture("compare.overlay", mark("Overlay"), "4"),
    _picture("compare.flicker", mark("Flicker"), "5"),
    _picture("compare.stacked", mark("Stacked"), "6"),
    _picture("compare.grid", mark("All clips"), "7"),
    _picture("compare.kept", mark("Kept and changed"), "8"),
    _picture("compare.gain_up", mark("More gain or opacity, edge onward"), "Ctrl+Up"),
    _picture("compare.gain_down", mark("Less gain or opacity, edge back"), "Ctrl+Down"),
    _picture("compare.toggle", mark("Show A or B alone"), "T"),
    _picture("compare.offset_back", mark("B one frame earlier"), "["),
    _picture("compare.offset_forward", mark("B one frame later"), "]"),
    _picture("compare.offset_zero", mark("No offset"), "\\"),
    _picture("compare.worst", mark("Frame that differs most"), "W"),
    ActionSpec("compare.open", mark("Open two clips…"), icon="folder"),
    ActionSpec("compare.add", mark("Add a clip…"), icon="add"),
    _picture("compare.promote_c", mark("Compare A with C"), "Shift+C"),
    _picture("compare.promote_d", mark("Compare A with D"), "Shift+D"),
    ActionSpec("compare.swap", mark("Swap A and B"), icon="swap"),
    ActionSpec("compare.export", mark("Export…"), ("Ctrl+E",), icon="download"),
    _picture("compare.takes", mark("Back to the takes"), "9", icon="grid"),
    _picture("takes.next", mark("Next take; 1 to 9: that take"), "Down"),
    _picture("takes.previous", mark("Take before"), "Up"),
    _picture("takes.leave", mark("Leave the takes"), "Esc", icon="close"),
    ActionSpec("library.search", mark("Search the results"), ("Ctrl+F",), icon="search"),
    _picture("library.compare", mark("Compare with the source, two with each other, or more"), "C", icon="compare"),
    _picture("library.recipe", mark("Open this recipe"), "R", icon="compose"),
    _picture("library.reference", mark("Use as reference"), "U", icon="add"),
    _picture("library.sound", mark("Put the source's sound under these pictures"), "M", icon="sound"),
    _picture("library.star", mark("Star"), "S", icon="star"),
    _picture("library.reject", mark("Reject"), "X", icon="close"),
    _picture("library.tags", mark("Edit tags"), "G"),
    _picture("library.notes", mark("Edit notes"), "N"),
    _picture("library.play", mark("Play in another program"), "P", icon="play"),
    _picture("library.folder", mark("Show in its folder"), "F", icon="folder"),
    _picture("library.trash", mark("To the trash, or back out of it"), "Del", icon="remove"),
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
