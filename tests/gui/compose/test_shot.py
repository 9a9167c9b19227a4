"""The shot as a whole: undo of everything, autosave, files, the way to the render, words and names."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractScrollArea, QMessageBox, QWidget
from pytestqt.qtbot import QtBot

from studio.contract import Canvas, mention_of
from studio.core import words
from studio.core.notices import Notices
from studio.media.workers import Workers
from tests.gui.compose.conftest import Desk, Media
from tests.helpers import layout
from tests.helpers.waiting import until
from ui.compose import ComposeModel


async def test_everything_is_undone_and_redone(desk: Desk, media: Media) -> None:
    (clip, still) = await desk.add(media.long, media.still)
    model = desk.model
    states = [model.shot]
    for act in (
        lambda: model.keep_sound(clip, False),
        lambda: model.set_short_edge(clip, 768),
        lambda: model.move(still, 0),
        lambda: model.set_aside(still, True),
        lambda: model.type_prompt("words"),
        lambda: model.set_task("fl2va"),
        lambda: model.set_canvas(Canvas(aspect="4:3")),
        lambda: model.set_frames(192),
        lambda: model.follow("frames"),
        lambda: model.set_steps(8),
        lambda: model.set_seed(-5),
        lambda: model.lock_seed(False),
        lambda: model.set_flow_shift(6.0),
        lambda: model.set_audio_flow_shift(4.0),
        lambda: model.mend_all(),
        lambda: model.remove(clip),
    ):
        act()
        if model.shot != states[-1]:
            states.append(model.shot)
    assert len(states) > 14
    for state in reversed(states[:-1]):
        model.undo()
        assert model.shot == state
    for state in states[1:]:
        model.redo()
        assert model.shot == state


async def test_dragging_the_length_is_one_step_of_undo(desk: Desk) -> None:
    before = desk.model.shot
    for index in (3, 5, 8):
        desk.view.output.length.slider.setValue(index)
    assert desk.model.shot.frames == 107 + 17 * 8
    desk.model.undo()
    assert desk.model.shot == before
    assert desk.view.output.length.slider.value() == 1


@pytest.mark.parametrize(
    ("typed", "frames", "shown"),
    [
        ("10", 243, "10.12 s"),
        ("8", 192, "8.00 s"),
        ("5,16", 124, "5.16 s"),
        ("99", 362, "15.08 s"),
        ("1", 107, "4.45 s"),
    ],
)
async def test_typed_seconds_snap_up_to_a_rung(desk: Desk, typed: str, frames: int, shown: str) -> None:
    box = desk.view.output.length.box
    box.selectAll()
    QTest.keyClicks(box, typed)
    QTest.keyClick(box, Qt.Key.Key_Return)
    assert desk.model.shot.frames == frames
    assert box.text() == shown


async def test_words_for_seconds_leave_the_length_as_it_is(desk: Desk) -> None:
    box = desk.view.output.length.box
    box.selectAll()
    QTest.keyClicks(box, "soon")
    QTest.keyClick(box, Qt.Key.Key_Return)
    assert (desk.model.shot.frames, box.text()) == (124, "5.16 s")


async def test_the_output_panel_edits_the_shot(desk: Desk) -> None:
    output = desk.view.output
    QTest.mouseClick(output.canvas.buttons["9:16"], Qt.MouseButton.LeftButton)
    output.steps.setValue(12)
    output.seed.field.setText("9223372036854775807")
    output.seed.field.editingFinished.emit()
    QTest.mouseClick(output.seed.lock, Qt.MouseButton.LeftButton)
    QTest.mouseClick(desk.view.tray.modes.buttons["t2va"], Qt.MouseButton.LeftButton)
    shot = desk.model.shot
    assert (shot.canvas.aspect, shot.steps, shot.seed, shot.seed_locked) == ("9:16", 12, 2**63 - 1, False)
    assert desk.model.resolved is not None
    assert (desk.model.resolved.width, desk.model.resolved.height) == (768, 1344)
    QTest.mouseClick(output.seed.dice, Qt.MouseButton.LeftButton)
    assert desk.model.shot.seed != shot.seed


async def test_autosave_brings_everything_back(desk: Desk, media: Media, workers: Workers, tmp_path: Path) -> None:
    await desk.add(media.clip)
    desk.view.prompt.editor.insertPlainText("what I typed")
    await desk.model.aclose()
    again = ComposeModel(workers, Notices(), autosave=tmp_path / "drafts")
    assert again.shot == desk.model.shot
    await until(lambda: again.facts and not again.pending, "the files to be read")
    assert again.findings == desk.model.findings
    await again.aclose()


async def test_several_shots_are_open_each_with_its_own_undo(desk: Desk) -> None:
    model, tabs = desk.model, desk.view.topbar.tabs
    model.type_prompt("first")
    QTest.mouseClick(desk.view.topbar.buttons["shot.new"], Qt.MouseButton.LeftButton)
    assert tabs.count() == 2 and model.shot.prompt == "" and not desk.view.shot_actions["edit.undo"].isEnabled()
    desk.view.prompt.editor.insertPlainText("second")
    QTest.keyClick(desk.view, Qt.Key.Key_PageUp, Qt.KeyboardModifier.ControlModifier)
    assert model.shot.prompt == "first" and desk.view.prompt.editor.toPlainText() == "first"
    model.undo()
    assert model.shot.prompt == ""
    tabs.setCurrentIndex(1)
    assert model.shot.prompt == "second" and "second" in tabs.tabText(1)
    tabs.moveTab(1, 0)
    assert [d.shot.prompt for d in model.documents.all] == ["second", ""] and model.shot.prompt == "second"


async def test_closing_a_shot_asks_before_work_is_lost(desk: Desk, tmp_path: Path) -> None:
    desk.model.type_prompt("not in any file")
    desk.view.shot_actions["shot.close"].trigger()
    _answer(desk, QMessageBox.ButtonRole.RejectRole)
    assert desk.model.shot.prompt == "not in any file"
    desk.view.shot_actions["shot.close"].trigger()
    _answer(desk, QMessageBox.ButtonRole.DestructiveRole)
    assert desk.model.shot.prompt == "" and len(desk.model.documents.all) == 1
    desk.model.save(tmp_path / "empty.h3shot")
    await until(lambda: desk.model.is_saved, "the file")
    desk.view.shot_actions["shot.close"].trigger()
    assert desk.model.path is None


async def test_a_tab_is_called_by_the_first_words_of_its_prompt_mentions_included(desk: Desk, media: Media) -> None:
    clip, _ = await desk.add(media.long, media.still)
    desk.model.type_prompt(f"{mention_of(clip)} goes on from [[the last]] frame")
    assert desk.view.topbar.tabs.tabText(0) == "<Video 1> goes on from •"
    desk.model.type_prompt(f"The sky of {mention_of(clip)}, at night")
    assert desk.view.topbar.tabs.tabText(0) == "The sky of <Video 1>, •"


async def test_all_tabs_come_back_and_two_windows_do_not_share_them(
    desk: Desk, media: Media, workers: Workers, tmp_path: Path
) -> None:
    desk.model.type_prompt("first")
    desk.model.new()
    desk.model.type_prompt("second")
    beside = ComposeModel(workers, Notices(), autosave=tmp_path / "drafts")
    assert beside.shot.prompt == ""
    beside.type_prompt("of the other window")
    await beside.aclose()
    await desk.model.aclose()
    again = ComposeModel(workers, Notices(), autosave=tmp_path / "drafts")
    assert {d.shot.prompt for d in again.documents.all} == {"first", "second", "of the other window"}
    assert again.shot.prompt == "second"
    again.type_prompt("second, changed")
    await again.aclose()
    assert len(list((tmp_path / "drafts").glob("*.json"))) == 1


async def test_a_damaged_autosave_is_put_aside_and_said(qtbot: QtBot, workers: Workers, tmp_path: Path) -> None:
    file, notices = tmp_path / "kept.json", Notices()
    newer = b'{"shots": [{"shot": {"version": 99}}]}'
    file.write_bytes(newer)
    model = ComposeModel(workers, notices, autosave=tmp_path)
    assert model.shot.references == ()
    (notice,) = notices.recent
    aside = tmp_path / str(notice.message.params["name"])
    assert aside.read_bytes() == newer
    await model.aclose()


async def test_a_saved_shot_opens_as_it_was(desk: Desk, media: Media, tmp_path: Path) -> None:
    await desk.add(media.clip)
    desk.model.type_prompt("a shot to keep")
    kept, path = desk.model.shot, tmp_path / "kept.h3shot"
    desk.model.save(path)
    await until(lambda: desk.model.is_saved, "the file")
    desk.model.type_prompt("something else")
    assert not desk.model.is_saved
    desk.view.close_shot()
    _answer(desk, QMessageBox.ButtonRole.DestructiveRole)
    assert desk.model.shot.references == ()
    desk.model.open(path)
    await until(lambda: desk.model.path == path, "the shot")
    assert desk.model.shot == kept
    assert desk.model.is_saved
    assert desk.view.topbar.tabs.tabText(0) == "kept"


async def test_a_shot_that_cannot_be_opened_is_said_and_changes_nothing(desk: Desk, tmp_path: Path) -> None:
    desk.model.type_prompt("mine")
    garbage = tmp_path / "garbage.h3shot"
    garbage.write_bytes(b"\0not json")
    desk.model.open(garbage)
    desk.model.open(tmp_path / "missing.h3shot")
    await until(lambda: len(desk.notices.recent) == 2, "two notices")
    assert desk.model.shot.prompt == "mine"
    assert {n.message.code for n in desk.notices.recent} == {"shot.damaged", "shot.unreadable"}


async def test_render_goes_to_the_first_error_and_offers_to_mend(desk: Desk, media: Media, qtbot: QtBot) -> None:
    (ref,) = await desk.add(media.long)
    desk.model.type_prompt("turn <Video 1> into stone")
    render = desk.view.render_box
    assert render.render_button.isEnabled()
    with qtbot.waitSignal(desk.model.blocked) as blocked:
        QTest.mouseClick(render.render_button, Qt.MouseButton.LeftButton)
    assert blocked.args[0].subject == ref
    assert desk.view.tray.cards[ref].hasFocus() or desk.view.focusWidget() is desk.view.tray.cards[ref]
    with qtbot.waitSignal(desk.model.render_requested) as asked:
        QTest.mouseClick(render.mend_button, Qt.MouseButton.LeftButton)
    assert asked.args[0] == desk.model.shot
    assert not desk.model.errors


async def test_an_empty_shot_is_not_red_before_a_render_is_asked_for(desk: Desk) -> None:
    assert desk.model.errors
    assert not desk.view.tray.findings.rows and not desk.view.prompt.findings.rows
    desk.model.request_render()
    assert desk.view.tray.findings.rows and desk.view.prompt.findings.rows


async def test_an_unlocked_seed_is_drawn_for_each_render(desk: Desk) -> None:
    seeds: list[int] = []
    desk.model.render_requested.connect(lambda shot: seeds.append(shot.seed))
    desk.model.set_task("t2va")
    desk.model.type_prompt("rain")
    desk.model.lock_seed(False)
    for _ in range(3):
        desk.model.request_render()
    assert len(set(seeds)) == 3


async def test_every_control_has_a_name(desk: Desk, media: Media) -> None:
    await desk.add(media.long, media.still, media.sound)
    desk.view.output.advanced.toggle.click()
    nameless = [w for w in _controls(desk.view) if not _name(w)]
    assert not nameless, nameless


async def test_tab_goes_from_left_to_right(desk: Desk, media: Media) -> None:
    columns = (desk.view.topbar, desk.view.tray, desk.view.prompt, desk.view.output, desk.view.render_box)

    def column(widget: QWidget) -> int:
        shown = desk.view.output if desk.view.cost.isAncestorOf(widget) else widget
        return next(i for i, part in enumerate(columns) if part is shown or part.isAncestorOf(shown))

    def in_order() -> bool:
        stops = _stops(desk)
        there = [column(w) for w in stops]
        cards = desk.view.tray.cards
        return (
            there == sorted(there) and set(there) == {0, 1, 2, 3, 4} and stops.index(cards[a]) < stops.index(cards[b])
        )

    b, a = await desk.add(media.still, media.clip)
    assert not in_order()
    desk.model.move(a, 0)
    await until(in_order, "the order of the layout")


async def test_the_language_changes_while_it_stands(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    import gettext

    class Marked(gettext.NullTranslations):
        def gettext(self, message: str) -> str:
            return f"»{message}"

    monkeypatch.setattr(words, "_catalogue", Marked())
    words.language_changed.emit("en")
    await until(lambda: desk.view.render_box.render_button.text() == "»Render", "the other language")
    assert desk.view.tray.modes.buttons["t2va"].text() == "»Text only"
    assert desk.view.topbar.buttons["shot.save"].text() == "»Save"
    assert desk.view.tray.empty.button.text() == "»Add files…"


def _answer(desk: Desk, role: QMessageBox.ButtonRole) -> None:
    (box,) = (box for box in desk.view.findChildren(QMessageBox) if box.isVisible())
    QTest.mouseClick(next(b for b in box.buttons() if box.buttonRole(b) == role), Qt.MouseButton.LeftButton)


def _controls(view: QWidget) -> list[QWidget]:
    found = view.findChildren(QWidget)
    frames = [w for w in found if isinstance(w, QAbstractScrollArea) and w.focusPolicy() == Qt.FocusPolicy.NoFocus]
    return [w for w in found if w.focusPolicy() & Qt.FocusPolicy.TabFocus and w.isVisible() and w not in frames]


def _name(widget: QWidget) -> str:
    interface = QAccessible.queryAccessibleInterface(widget)
    if interface is None:
        interface = QAccessible.queryAccessibleInterface(widget.parentWidget())
    return interface.text(QAccessible.Text.Name)


def _stops(desk: Desk) -> list[QWidget]:
    """All controls in the order of the Tab key, beginning with the top bar."""
    controls = set(_controls(desk.view))
    return [w for w in layout.tab_stops(desk.view.topbar.tabs) if w in controls]
