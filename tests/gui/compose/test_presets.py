"""Templates and presets in Compose: chosen, applied as one step, kept, revised, shared, and begun with."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import TypeVar

import pytest_asyncio
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDialog, QMessageBox
from pytestqt.qtbot import QtBot

from studio.contract import PastRun, mention_of
from studio.core.notices import Notices
from studio.media.workers import Workers
from studio.presets import PresetLibrary, read_preset, templates
from studio.settings import SettingsStore
from tests.gui.compose.conftest import Desk, Media, files
from tests.helpers.waiting import until
from ui.compose import ComposeModel, ComposeWorkspace
from ui.compose.gallery import Gallery
from ui.compose.preset_dialogs import PartsDialog
from ui.compose.surroundings import Surroundings

T = TypeVar("T", bound=QDialog)
LEFT = Qt.MouseButton.LeftButton


@pytest_asyncio.fixture
async def desk(qtbot: QtBot, workers: Workers, tmp_path: Path) -> AsyncIterator[Desk]:
    """A desk with settings that last."""
    notices = Notices()
    model = ComposeModel(workers, notices, around=Surroundings(SettingsStore()))
    view = ComposeWorkspace(model)
    qtbot.addWidget(view)
    view.resize(1208, 684)
    view.show()
    yield Desk(model, view, notices)
    await model.aclose()


async def test_a_template_is_one_step_of_undo_and_puts_the_cursor_on_its_first_place(desk: Desk, media: Media) -> None:
    (ref,) = await desk.add(media.long)
    QTest.keyClicks(desk.view.prompt.editor, "mine")
    gallery = desk.view.prompt.templates.open_gallery()
    assert set(gallery.cards) == {preset.id for preset in templates() if preset.task == "ref2va"}
    QTest.mouseClick(gallery.cards["edit-season"], LEFT)
    assert gallery.chosen is not None and gallery._title.text() == "Change the season"
    QTest.mouseClick(gallery.use_button, LEFT)
    editor = desk.view.prompt.editor
    assert mention_of(ref) in desk.model.shot.prompt
    assert editor.textCursor().selectedText() == "[[deep winter]]"
    QTest.keyClicks(editor, "spring")
    assert "it is spring." in desk.model.shot.prompt
    desk.model.undo()
    desk.model.undo()
    assert desk.model.shot.prompt == "mine"


async def test_a_place_left_over_stops_the_render_and_shows_itself(desk: Desk, media: Media) -> None:
    await desk.add(media.long)
    asked: list[object] = []
    desk.model.wishes.wished.connect(asked.append)
    desk.model.presets.apply(next(p for p in templates() if p.id == "edit-remove"))
    assert not desk.view.prompt.findings.rows, "a shot that is only begun is not scolded"
    desk.model.mend_all()
    QTest.mouseClick(desk.view.render_box.render_button, LEFT)
    assert [row.finding.code for row in desk.view.prompt.findings.rows] == ["prompt.place"]
    editor = desk.view.prompt.editor
    assert not asked and editor.hasFocus()
    QTest.keyClicks(editor, "the sign")
    while editor.go_to_place():
        QTest.keyClicks(editor, "the sign")
    QTest.mouseClick(desk.view.render_box.render_button, LEFT)
    assert len(asked) == 1


async def test_tags_of_a_template_become_mentions_when_their_file_comes(desk: Desk, media: Media) -> None:
    desk.model.presets.apply(next(p for p in templates() if p.id == "edit-style"))
    assert desk.view.prompt.editor.shown().startswith("Show <Video 1> again")
    (ref,) = await desk.add(media.clip)
    assert desk.model.shot.prompt.startswith(f"Show {mention_of(ref)} again")


async def test_the_templates_that_fit_the_tray_come_first(desk: Desk, media: Media) -> None:
    row = desk.view.prompt.templates
    await desk.add(media.still, media.sound)
    assert row.buttons[0].text() == "Match a voice"
    desk.model.set_task("t2va")
    shelf = {preset.title for preset in templates() if preset.task == "t2va"}
    assert {button.text() for button in row.buttons} <= shelf


async def test_every_template_says_what_it_costs_here(desk: Desk, media: Media) -> None:
    await desk.add(media.long)
    desk.model.estimate.use_history([PastRun(60_000, 9.0), PastRun(110_000, 23.0)])
    gallery = desk.view.prompt.templates.open_gallery()
    await until(lambda: desk.model.presets.known_costs, "the costs")
    assert set(desk.model.presets.known_costs) == {preset.id for preset in templates()}
    assert " rows · " in gallery.cards["edit-weather"].accessibleName()
    assert "and those of what it needs" in gallery.cards["cast-pictures"].accessibleName()
    assert gallery.cards["edit-weather"].accessibleName().startswith("Change the weather. ")
    gallery.reject()


async def test_a_preset_is_kept_revised_shared_and_deleted(desk: Desk, tmp_path: Path) -> None:
    desk.model.set_steps(20)
    desk.model.type_prompt("quick look")
    gallery = desk.view.prompt.templates.open_gallery()
    QTest.mouseClick(gallery.keep_button, LEFT)
    dialog = _open(gallery, PartsDialog)
    assert not dialog.keep.isEnabled(), "a preset has a name"
    QTest.keyClicks(dialog.name, "Draft")
    dialog.boxes["steps"].setChecked(True)
    QTest.mouseClick(dialog.keep, LEFT)
    await until(lambda: desk.model.presets.own, "the preset")
    (preset,) = desk.model.presets.own
    assert preset.parts == {"mode", "prompt", "steps"}
    assert list(gallery.cards) == [preset.id]

    gallery._revise(preset)
    dialog = _open(gallery, PartsDialog)
    assert set(dialog.boxes) == preset.parts
    dialog.boxes["prompt"].setChecked(False)
    dialog.name.setText("Few steps")
    QTest.mouseClick(dialog.keep, LEFT)
    await until(lambda: desk.model.presets.own[0].title == "Few steps", "the new name")
    (preset,) = desk.model.presets.own
    assert preset.parts == {"mode", "steps"}

    shared = tmp_path / "shared.h3preset"
    desk.model.presets.export(preset, shared)
    await until(shared.exists, "the exported file")
    assert read_preset(shared) == preset
    assert desk.view.take(files([shared])), "a preset may be dropped like a clip"
    await until(lambda: len(desk.model.presets.own) == 2, "the imported preset")

    gallery._delete(preset)
    box = _open(gallery, QMessageBox)
    QTest.mouseClick(next(b for b in box.buttons() if b.text() == "Delete"), LEFT)
    await until(lambda: len(desk.model.presets.own) == 1, "the deletion")
    assert preset.id not in {p.id for p in PresetLibrary().load()[0]}
    gallery.reject()


async def test_new_shots_begin_with_the_preset_of_their_mode(desk: Desk) -> None:
    desk.model.set_steps(12)
    desk.model.presets.keep("Twelve", {"steps"})
    await until(lambda: desk.model.presets.own, "the preset")
    (preset,) = desk.model.presets.own
    desk.model.presets.set_default("ref2va", preset)
    desk.model.presets.set_default("t2va", preset)
    desk.model.new()
    assert desk.model.shot.steps == 12
    desk.model.presets.set_default("ref2va", None)
    desk.model.new()
    assert desk.model.shot.steps == 50
    desk.model.presets.switch_to("t2va")
    assert (desk.model.shot.task, desk.model.shot.steps) == ("t2va", 12)
    desk.model.undo()
    assert (desk.model.shot.task, desk.model.shot.steps) == ("ref2va", 50)
    desk.model.type_prompt("something")
    desk.model.presets.switch_to("t2va")
    assert desk.model.shot.steps == 50, "a shot that is begun keeps its settings"
    assert SettingsStore().present.compose.presets == {"t2va": preset.id}


async def test_a_broken_preset_is_named_and_left_alone(desk: Desk) -> None:
    said: list[str] = []
    desk.notices.posted.subscribe(lambda notice: said.append(notice.message.code))
    folder = PresetLibrary().folder
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "bad.h3preset").write_text("{")
    desk.model.presets.take_in([folder / "bad.h3preset"])
    await until(lambda: said, "a word about it")
    assert said == ["preset.damaged"] and (folder / "bad.h3preset").read_text() == "{"


def _open(gallery: Gallery, kind: type[T]) -> T:
    return next(dialog for dialog in gallery.findChildren(kind) if dialog.isVisible())
