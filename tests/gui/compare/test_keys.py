"""Every key of Compare's list does what the list says, with a picture in focus."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QKeySequence, QWheelEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tests.gui.compare.conftest import opened
from tests.helpers.waiting import until
from ui.compare.view import CompareWorkspace
from ui.compare.viewmodel import CompareModel

ASKED: list[tuple[str, Callable[[CompareModel, CompareWorkspace], object], object]] = [
    ("Space", lambda m, _: m.playback.playing, True),
    ("Space", lambda m, _: m.playback.playing, False),
    ("L", lambda m, _: m.playback.speed, 1.0),
    ("L", lambda m, _: m.playback.speed, 2.0),
    ("K", lambda m, _: m.playback.playing, False),
    ("J", lambda m, _: m.playback.speed, -1.0),
    ("K", lambda m, _: m.playback.playing, False),
    ("Home", lambda m, _: m.playback.position, 0),
    ("Right", lambda m, _: m.playback.position, 1),
    (".", lambda m, _: m.playback.position, 2),
    ("Left", lambda m, _: m.playback.position, 1),
    (",", lambda m, _: m.playback.position, 0),
    ("Shift+Right", lambda m, _: m.playback.position, 17),
    ("Shift+Left", lambda m, _: m.playback.position, 0),
    ("End", lambda m, _: m.playback.position, 39),
    ("O", lambda m, _: m.playback.range_, (0, 39)),
    ("Shift+Left", lambda m, _: m.playback.position, 22),
    ("I", lambda m, _: m.playback.range_, (22, 39)),
    ("/", lambda m, _: (m.playback.loops, m.playback.range_), (False, None)),
    ("/", lambda m, _: m.playback.loops, True),
    ("1", lambda m, _: m.mode, "side"),
    ("2", lambda m, _: m.mode, "wipe"),
    ("Ctrl+Up", lambda m, _: m.display.look.edge, 0.55),
    ("2", lambda m, _: m.display.look.upright, False),
    ("3", lambda m, _: m.mode, "difference"),
    ("Ctrl+Up", lambda m, _: m.display.look.gain, 8),
    ("Ctrl+Down", lambda m, _: m.display.look.gain, 4),
    ("3", lambda m, _: m.display.look.kind, "root"),
    ("4", lambda m, _: m.mode, "overlay"),
    ("5", lambda m, _: m.mode, "flicker"),
    ("6", lambda m, _: m.mode, "stacked"),
    ("Z", lambda _, w: w.stage.first.zoom, 1.0),
    ("Z", lambda _, w: w.stage.first.viewpoint.zoom, None),
    ("Shift+Z", lambda _, w: {view.viewpoint.zoom for view in w.stage.views}, {"fill"}),
    ("Shift+Z", lambda _, w: w.header.zooms.current(), "fit"),
    ("Z", lambda _, w: w.header.zooms.current(), "100"),
    ("Ctrl++", lambda _, w: w.stage.first.zoom, 2.0),
    ("Ctrl+=", lambda _, w: w.stage.first.zoom, 4.0),
    ("Ctrl++", lambda _, w: w.stage.second.zoom, 8.0),
    ("Alt+Right", lambda _, w: w.stage.second.viewpoint.x > 0.5, True),
    ("Alt+Left", lambda _, w: round(w.stage.second.viewpoint.x, 3), 0.5),
    ("Alt+Down", lambda _, w: w.stage.second.viewpoint.y > 0.5, True),
    ("Alt+Up", lambda _, w: round(w.stage.second.viewpoint.y, 3), 0.5),
    ("Ctrl+-", lambda _, w: w.header._zoom.text(), "400 %"),
    ("T", lambda m, _: m.display.solo, "A"),
    ("T", lambda m, _: m.display.solo, "B"),
    ("\\", lambda m, _: m.offset, 0),
    ("]", lambda m, _: m.offset, 1),
    ("[", lambda m, _: m.offset, 0),
    ("[", lambda m, _: m.offset, -1),
    ("[", lambda _, w: w.transport.keep.isVisible(), True),
    ("\\", lambda m, _: m.offset, 0),
    ("W", lambda m, _: m.playback.position, "worst"),
]


async def test_every_key(
    workspace: CompareWorkspace, model: CompareModel, clip: Path, short_clip: Path, qtbot: QtBot
) -> None:
    await opened(model, clip, short_clip)
    await until(lambda: model.comparison is not None)
    found = model.comparison
    assert found is not None
    worst = found.worst + max(0, found.alignment.offset_frames)
    for key, look, expected in ASKED:
        combination = QKeySequence(key)[0]
        qtbot.keyClick(workspace.stage.first, combination.key(), combination.keyboardModifiers())
        assert look(model, workspace) == (worst if expected == "worst" else expected), key


async def test_the_wheel_zooms_at_the_pointer_in_both_pictures(
    workspace: CompareWorkspace, model: CompareModel, clip: Path, qtbot: QtBot
) -> None:
    await opened(model, clip, clip)
    first, second = workspace.stage.first, workspace.stage.second
    at = first.picture_rect().center() + QPointF(40, 25)
    before = first.pixel_at(at)
    where, none = QPointF(first.mapToGlobal(at.toPoint())), QPoint()
    keys, phase = Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase
    turned = QWheelEvent(at, where, none, QPoint(0, 120 * 12), Qt.MouseButton.NoButton, keys, phase, False)
    QApplication.sendEvent(first, turned)
    assert first.pixel_at(at) == before == second.pixel_at(at)
    assert first.zoom == second.zoom > 8
    assert workspace.header.zooms._group.checkedButton() is None, "neither fit nor 100 % nor fill"
    left = first.picture_rect().left()
    qtbot.mousePress(second, Qt.MouseButton.LeftButton, pos=QPoint(100, 100))
    qtbot.mouseMove(second, QPoint(120, 100))
    qtbot.mouseRelease(second, Qt.MouseButton.LeftButton, pos=QPoint(120, 100))
    assert first.picture_rect().left() == pytest.approx(left + 20, abs=1), "dragging moves both"
