"""A whole review without a mouse, and a pair that is found again as it was left."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from tests.gui.compare.conftest import opened
from tests.helpers.waiting import until
from ui.compare.view import CompareWorkspace
from ui.compare.viewmodel import CompareModel

Key, Modifier = Qt.Key, Qt.KeyboardModifier


async def test_keys_alone_do_a_whole_review(
    workspace: CompareWorkspace,
    model: CompareModel,
    clip: Path,
    short_clip: Path,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    await opened(model, clip, short_clip)
    await until(lambda: model.comparison is not None)
    stage, display = workspace.stage, model.display

    def press(key: Key, modifier: Modifier = Modifier.NoModifier) -> None:
        qtbot.keyClick(workspace.focusWidget(), key, modifier)

    press(Key.Key_Space)
    assert model.playback.playing
    press(Key.Key_K)
    press(Key.Key_L, Modifier.ShiftModifier)
    assert model.playback.speed == 0.5
    press(Key.Key_J, Modifier.ShiftModifier)
    assert model.playback.speed == -0.5
    press(Key.Key_K)
    press(Key.Key_Home)
    press(Key.Key_Right)
    assert model.playback.position == 1
    press(Key.Key_2)
    press(Key.Key_2)
    assert (model.mode, display.look.upright) == ("wipe", False)
    press(Key.Key_Up, Modifier.ControlModifier)
    assert display.look.edge == 0.55
    press(Key.Key_4)
    press(Key.Key_Down, Modifier.ControlModifier)
    assert (model.mode, display.look.opacity) == ("overlay", 0.45)
    press(Key.Key_3)
    press(Key.Key_3)
    press(Key.Key_Up, Modifier.ControlModifier)
    assert (display.look.kind, display.look.gain) == ("root", 8)
    press(Key.Key_BracketRight)
    assert model.offset == model.comparison.alignment.offset_frames + 1
    while workspace.focusWidget() is not workspace.transport.keep:
        press(Key.Key_Tab)
    press(Key.Key_Space)
    await until(lambda: model.comparison is not None and model.offset_is_measured)
    stage.first.setFocus()
    press(Key.Key_W)
    found = model.comparison
    assert model.playback.position == found.worst + max(0, found.alignment.offset_frames)
    press(Key.Key_T)
    assert display.solo == "A"
    asked = []
    monkeypatch.setattr(QMenu, "popup", lambda menu, _at: asked.append([action.text() for action in menu.actions()]))
    press(Key.Key_E, Modifier.ControlModifier)
    assert "Contact sheet…" in asked[0]


async def test_a_pair_is_found_again_as_it_was_left(
    workspace: CompareWorkspace, model: CompareModel, clip: Path, short_clip: Path
) -> None:
    await opened(model, clip, short_clip)
    await until(lambda: model.comparison is not None)
    model.set_mode("difference")
    model.display.set_kind("heat")
    model.measure(3)
    await until(lambda: model.comparison is not None)
    await opened(model, short_clip, short_clip)
    model.set_mode("side")
    await opened(model, clip, short_clip)
    assert (model.mode, model.display.look.kind, model.offset) == ("difference", "heat", 3)
    assert workspace.header.kinds.currentData() == "heat"
    await until(lambda: model.comparison is not None)
    assert model.comparison.alignment.how == "asked"
