"""The comparison through its window: exact frames under every key, modes, offset, probe, drops, names, a clean end."""

import asyncio
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QAccessible, QDragEnterEvent, QDropEvent, QImage
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from studio.core import words
from studio.core.notices import Notice
from tests.gui.compare.conftest import opened
from tests.helpers import barcode
from tests.helpers.waiting import until
from ui.compare.view import CompareWorkspace
from ui.compare.viewmodel import CompareModel
from ui.widgets.picture import PictureView, Viewpoint

Key, Modifier = Qt.Key, Qt.KeyboardModifier


def seen(view: PictureView) -> np.ndarray:
    """(H, W, 4) BGRA: what the widget really paints of its picture, which must fit in at 100 %."""
    at = view.picture_rect().toRect()
    grabbed = view.grab(at).toImage().convertToFormat(QImage.Format.Format_RGB32)
    return np.frombuffer(grabbed.constBits(), np.uint8).reshape(grabbed.height(), grabbed.width(), 4).copy()


def number(view: PictureView) -> int:
    """The frame number that can be read off the screen."""
    return barcode.read(seen(view))


async def settled(model: CompareModel) -> None:
    """Wait until the position that was asked for is on the screen."""
    await until(
        lambda: (
            model.shown is not None
            and (model.shown.position, model.shown.offset) == (model.playback.position, model.offset)
        )
    )


async def test_every_key_shows_exactly_its_frame(
    workspace: CompareWorkspace, model: CompareModel, clip: Path, qtbot: QtBot
) -> None:
    await opened(model, clip, clip)
    stage = workspace.stage
    stage.set_viewpoint(Viewpoint(zoom=1.0))
    assert stage.first.hasFocus()
    steps = [
        (Key.Key_Right, Modifier.NoModifier, 1),
        (Key.Key_Period, Modifier.NoModifier, 2),
        (Key.Key_Right, Modifier.ShiftModifier, 19),
        (Key.Key_Comma, Modifier.NoModifier, 18),
        (Key.Key_End, Modifier.NoModifier, 39),
        (Key.Key_Left, Modifier.ShiftModifier, 22),
        (Key.Key_Left, Modifier.NoModifier, 21),
        (Key.Key_Home, Modifier.NoModifier, 0),
        (Key.Key_Left, Modifier.NoModifier, 0),
    ]
    for key, modifier, expected in steps:
        qtbot.keyClick(stage.first, key, modifier)
        await settled(model)
        assert (number(stage.first), number(stage.second)) == (expected, expected), key
    assert workspace.transport.timeline.value() == 0


async def test_offset_shifts_b_and_asks_to_be_kept(
    workspace: CompareWorkspace, model: CompareModel, clip: Path, short_clip: Path, qtbot: QtBot
) -> None:
    await opened(model, clip, short_clip)
    await until(lambda: model.comparison is not None)
    stage = workspace.stage
    stage.set_viewpoint(Viewpoint(zoom=1.0))
    assert not workspace.transport.keep.isVisible()
    model.playback.seek(10)
    for _ in range(3):
        qtbot.keyClick(stage.first, Key.Key_BracketRight)
    await settled(model)
    assert (number(stage.first), number(stage.second)) == (10, 7)
    assert workspace.transport.keep.isVisible()
    assert model.measures_at(10) is None
    qtbot.mouseClick(workspace.transport.keep, Qt.MouseButton.LeftButton)
    await until(lambda: model.comparison is not None)
    assert model.comparison.alignment.offset_frames == 3
    assert model.measures_at(2) is None
    assert model.measures_at(3) is not None
    qtbot.keyClick(stage.first, Key.Key_Backslash)
    model.playback.seek(39)
    await settled(model)
    assert model.shown.pictures.b is None
    assert number(stage.first) == 39


async def test_modes(workspace: CompareWorkspace, model: CompareModel, clip: Path, qtbot: QtBot) -> None:
    await opened(model, clip, clip)
    stage = workspace.stage
    stage.set_viewpoint(Viewpoint(zoom=1.0))

    qtbot.keyClick(stage.first, Key.Key_3)
    await until(lambda: model.shown.made is not None)
    assert not stage.second.isVisible()
    assert workspace.header.gain.isVisible()
    assert not seen(stage.first)[..., :3].any()
    qtbot.keyClick(stage.first, Key.Key_BracketRight)
    await settled(model)
    model.playback.seek(20)
    await settled(model)
    quiet = seen(stage.first)[..., :3].astype(int)
    qtbot.keyClick(stage.first, Key.Key_Up, Modifier.ControlModifier)
    await until(lambda: seen(stage.first)[..., :3].sum() > quiet.sum())
    assert np.abs(seen(stage.first)[..., :3] - np.minimum(255, quiet * 2)).max() <= 1

    qtbot.keyClick(stage.first, Key.Key_2)
    await until(lambda: model.mode == "wipe" and model.shown.made is not None)
    rect = stage.first.picture_rect()
    edge = QPoint(round(rect.center().x()), round(rect.y() + 40))
    qtbot.mousePress(stage.first, Qt.MouseButton.LeftButton, pos=edge)
    qtbot.mouseMove(stage.first, edge + QPoint(round(rect.width() / 4), 0))
    qtbot.mouseRelease(stage.first, Qt.MouseButton.LeftButton)
    assert model.display.look.edge == pytest.approx(0.75, abs=0.01)

    qtbot.keyClick(stage.first, Key.Key_6)
    assert stage.second.isVisible()
    assert stage.second.y() > stage.first.y()
    qtbot.keyClick(stage.first, Key.Key_5)
    sides = {stage.first.side}
    await until(lambda: sides.add(stage.first.side) or sides == {"A", "B"})
    for expected in ("A", "B", "A"):
        qtbot.keyClick(stage.first, Key.Key_T)
        assert (model.display.solo, stage.first.side) == (expected, expected)
    qtbot.keyClick(stage.first, Key.Key_1)
    assert (model.display.solo, stage.second.isVisible()) == ("", True)


async def test_playing_loops_the_range_and_drops_nothing_of_the_clock(
    workspace: CompareWorkspace, model: CompareModel, clip: Path, qtbot: QtBot
) -> None:
    await opened(model, clip, clip)
    shown: set[int] = set()
    model.shown_changed.connect(lambda: shown.add(model.shown.position))
    for frame, key in ((8, Key.Key_I), (12, Key.Key_O)):
        model.playback.seek(frame)
        qtbot.keyClick(workspace.stage.first, key)
    qtbot.keyClick(workspace.stage.first, Key.Key_Space)
    await until(lambda: shown >= {8, 9, 10, 11, 12})
    assert workspace.transport.timeline.range_ == (8, 12)
    qtbot.keyClick(workspace.stage.first, Key.Key_K)
    assert not model.playback.playing
    model.playback.play()
    workspace.hide()
    assert not model.playback.playing


async def test_measures_are_shown_and_the_worst_frame_is_found(
    workspace: CompareWorkspace, model: CompareModel, tmp_path: Path, qtbot: QtBot
) -> None:
    a = barcode.write(tmp_path / "a.mp4", frames=24, options={"crf": "10"})
    b = barcode.write(tmp_path / "b.mp4", frames=24, options={"crf": "40"})
    await opened(model, a, b)
    await until(lambda: model.comparison is not None)
    qtbot.keyClick(workspace.stage.first, Key.Key_W)
    await settled(model)
    curve = model.curve("mad")
    assert model.playback.position == int(np.nanargmax(curve))
    assert model.measures_at(model.playback.position).mad == pytest.approx(np.nanmax(curve))
    assert model.comparison.verdict_text() in [
        label.text() for label in workspace.panel.findChildren(QWidget) if hasattr(label, "text")
    ]
    at = round(workspace.transport.rows.mad.axis().x(5))
    qtbot.mouseClick(workspace.transport.rows.mad, Qt.MouseButton.LeftButton, pos=QPoint(at, 10))
    assert model.playback.position == 5
    model.export(tmp_path / "out" / "measures.csv")
    await until((tmp_path / "out" / "measures.csv").exists)
    assert len((tmp_path / "out" / "measures.csv").read_text().splitlines()) == 25


async def test_zoom_is_common_and_the_probe_reads_both(
    workspace: CompareWorkspace, model: CompareModel, clip: Path, qtbot: QtBot
) -> None:
    await opened(model, clip, clip)
    stage = workspace.stage
    qtbot.keyClick(stage.first, Key.Key_Z)
    assert stage.first.zoom == stage.second.zoom == 1.0
    at = stage.first.picture_rect().topLeft() + QPointF(4, 250)
    with qtbot.waitSignal(stage.probed):
        qtbot.mouseMove(stage.first, at.toPoint())
    a, b = model.colours_at(4 / 256, 250 / 256)
    assert a == b
    assert min(a[0], a[1]) > 180 > 80 > a[2], "the corner at the bottom left is yellow"
    assert str(a[0]) in [label.text() for label in workspace.panel._rgb["B"]]


def drop(target: QWidget, files: list[Path]) -> bool:
    """Drop files as a file manager does; False when the target does not take them."""
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(path)) for path in files])
    at, left = target.rect().center(), Qt.MouseButton.LeftButton
    enter = QDragEnterEvent(at, Qt.DropAction.CopyAction, mime, left, Modifier.NoModifier)
    QApplication.sendEvent(target, enter)
    if not enter.isAccepted():
        return False
    event = QDropEvent(QPointF(at), Qt.DropAction.CopyAction, mime, left, Modifier.NoModifier)
    QApplication.sendEvent(target, event)
    return event.isAccepted()


async def test_two_dropped_files_open_and_one_more_replaces_b(
    workspace: CompareWorkspace, model: CompareModel, clip: Path, short_clip: Path
) -> None:
    assert workspace.empty.isVisible()
    assert drop(workspace, [clip])
    assert "second" in workspace.empty.text()
    assert drop(workspace, [short_clip])
    await until(lambda: model.comparison is not None)
    assert (model.pair.a.info.path, model.pair.b.info.path) == (clip, short_clip)
    assert not workspace.empty.isVisible()
    assert drop(workspace, [clip])
    await until(lambda: not model.opening)
    assert model.titles == ("a.mp4", "a.mp4")
    model.swap()
    model.open(short_clip, clip)
    await until(lambda: not model.opening)
    assert model.titles == ("b.mp4", "a.mp4"), "the newest wish counts"


async def test_an_unreadable_file_is_said_and_nothing_stays_open(
    workspace: CompareWorkspace, model: CompareModel, clip: Path, tmp_path: Path, posted: list[Notice]
) -> None:
    bad = tmp_path / "bad.mp4"
    bad.write_bytes(b"\0" * 4096)
    model.open(clip, bad)
    await until(lambda: not model.opening)
    await until(lambda: posted)
    assert posted[0].severity == "bad"
    assert "bad.mp4" in posted[0].message.text()
    assert model.pair is None
    assert workspace.empty.isVisible()


async def test_opening_can_be_cancelled(workspace: CompareWorkspace, model: CompareModel, clip: Path) -> None:
    model.open(clip, clip)
    await asyncio.sleep(0)
    model.cancel_opening()
    await until(lambda: not model.opening)
    assert model.pair is None
    assert workspace.empty.isVisible()


async def test_every_control_has_a_name_and_a_place_in_the_tab_order(
    workspace: CompareWorkspace, model: CompareModel, clip: Path, qtbot: QtBot
) -> None:
    await opened(model, clip, clip)
    model.set_mode("side")
    controls = [
        widget
        for widget in workspace.findChildren(QWidget)
        if widget.focusPolicy() != Qt.FocusPolicy.NoFocus and widget.isVisible()
    ]
    assert len(controls) > 15
    for widget in controls:
        assert QAccessible.queryAccessibleInterface(widget).text(QAccessible.Text.Name), widget
    reached = set()
    for _ in range(len(controls) * 2):
        qtbot.keyClick(workspace.focusWidget(), Key.Key_Tab)
        reached.add(workspace.focusWidget())
    assert workspace.transport.timeline in reached
    assert workspace.stage.second in reached


async def test_the_language_changes_what_stands_there(
    workspace: CompareWorkspace, model: CompareModel, clip: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await opened(model, clip, clip)
    monkeypatch.setattr("ui.compare.transport.tr", lambda text, **_: f"«{text}»")
    words.language_changed.emit("xx")
    await until(lambda: workspace.transport.keep.text() == "«Keep this offset and measure»")


async def test_a_closed_model_leaves_nothing(model: CompareModel, clip: Path) -> None:
    """`no_children_left` and the loop's own warnings look for the rest."""
    await opened(model, clip, clip)
    model.playback.play()
    before = {task for task in asyncio.all_tasks() if task.get_name().startswith("compare/")}
    assert before
    await model.aclose()
    assert all(task.done() for task in before)
    assert (model.pair, model.playback.playing) == (None, False)


async def test_all_controls_at_once_fit_in_1280_pixels(
    workspace: CompareWorkspace, model: CompareModel, clip: Path, tmp_path: Path
) -> None:
    wide = barcode.write(tmp_path / "a clip with quite a long name.mp4", frames=6, width=512, height=128)
    model.open(clip, wide, beside=[clip, clip])
    await until(lambda: model.pair is not None)
    model.set_mode("difference")
    header = workspace.header
    for part in (header.modes.buttons["kept"], header.fits, header._scaled):
        part.show()
    model.takes.open([clip])
    model.takes.come(False)
    await until(lambda: model.takes.takes)
    assert all(button.isVisible() for button in header.modes.buttons.values())
    assert workspace.minimumSizeHint().width() <= 1280 - 72, "the rail is 72 wide"
