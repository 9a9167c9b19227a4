"""The Library workspace as a person uses it: by keys, by mouse, on real files."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QItemSelectionModel, Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QMessageBox, QPushButton
from pytestqt.qtbot import QtBot

from studio.contract import Shot
from studio.core import words
from studio.jobs import Target
from studio.jobs.library.marks import read_marks
from studio.media.probe import probe_file
from tests.gui.library.conftest import Room, Rooms
from tests.helpers.jobs import small_shot
from tests.helpers.media_factory import numbers
from tests.helpers.results import write_result
from tests.helpers.waiting import until
from ui.library.model import EntryRole, PictureRole

Key = Qt.Key


def press(qtbot: QtBot, room: Room, key: Key) -> None:
    qtbot.keyClick(room.view.grid, key)


async def test_typing_finds_and_escape_brings_all_back(rooms: Rooms, qtbot: QtBot) -> None:
    async with rooms() as room:
        qtbot.keyClick(room.view, Key.Key_F, Qt.KeyboardModifier.ControlModifier)
        search = room.view.filters.search
        assert search.hasFocus()
        qtbot.keyClicks(search, "LANTERN sn")
        await room.shown("boat")
        assert room.view.filters.count.text() == "1 result"
        qtbot.keyClick(search, Key.Key_Escape)
        await room.shown("boat", "owl", "alley")
        search.setText("雪夜")
        await room.shown("boat")
        search.setText("nothing like it")
        await room.shown()
        assert room.view.nothing.isVisible()
        room.hand.click("Clear the filters")
        await room.shown("boat", "owl", "alley")
        qtbot.keyClick(search, Key.Key_Down)
        assert room.view.grid.hasFocus() and room.view.grid.currentIndex().row() == 0


async def test_filters(rooms: Rooms) -> None:
    async with rooms() as room:
        filters = room.view.filters
        filters.origin.setCurrentIndex(2)
        filters.origin.activated.emit(2)
        await room.shown("owl")
        room.hand.click("Clear the filters")
        await room.shown("boat", "owl", "alley")
        filters.kind.activated.emit(filters.kind.findData("ref2va"))
        filters.kind.setCurrentIndex(filters.kind.findData("ref2va"))
        filters.kind.activated.emit(filters.kind.currentIndex())
        await room.shown("boat")
        room.model.clear()
        filters.sort.setCurrentIndex(filters.sort.findData("oldest"))
        filters.sort.activated.emit(0)
        await room.shown("alley", "owl", "boat")


async def test_stars_rejections_tags_and_notes_by_key(rooms: Rooms, qtbot: QtBot) -> None:
    async with rooms() as room:
        await room.select("owl")
        owl = room.folder / "owl.mp4"
        press(qtbot, room, Key.Key_S)
        await until(lambda: read_marks(owl).star, "the star beside the video")
        await until(room.view.details.marks.star.isChecked, "the star on the button")
        press(qtbot, room, Key.Key_X)
        await until(lambda: read_marks(owl).reject and not read_marks(owl).star, "the rejection")
        press(qtbot, room, Key.Key_G)
        tags = room.view.details.marks.tags
        assert tags.hasFocus()
        qtbot.keyClicks(tags, "night, client A")
        qtbot.keyClick(tags, Key.Key_Return)
        await until(lambda: read_marks(owl).tags == ("client A", "night"), "the tags")
        await until(lambda: room.view.filters.tag.isVisible(), "the tags to choose from")
        room.view.grid.setFocus()
        press(qtbot, room, Key.Key_N)
        notes = room.view.details.marks.notes
        assert notes.hasFocus()
        qtbot.keyClicks(notes, "sxgn: letters stay letters")
        room.view.grid.setFocus()
        await until(lambda: (now := room.model.current) and now.marks.notes == "sxgn: letters stay letters", "notes")
        assert read_marks(owl).reject and read_marks(owl).notes == "sxgn: letters stay letters"
        room.view.filters.search.setText("letters stay")
        await room.shown("owl")


async def test_several_are_marked_at_once(rooms: Rooms, qtbot: QtBot) -> None:
    async with rooms() as room:
        await room.select("boat", "alley")
        press(qtbot, room, Key.Key_S)
        await until(lambda: all(read_marks(room.folder / f"{s}.mp4").star for s in ("boat", "alley")), "both stars")
        assert not read_marks(room.folder / "owl.mp4").star
        assert room.view.details.headline.text() == "2 results selected"


async def test_notes_go_to_the_result_they_were_typed_for(rooms: Rooms, qtbot: QtBot) -> None:
    async with rooms() as room:
        await room.select("owl")
        room.view.details.marks.notes.setFocus()
        qtbot.keyClicks(room.view.details.marks.notes, "about the owl")
        await room.select("alley")
        await until(lambda: read_marks(room.folder / "owl.mp4").notes == "about the owl", "the notes")
        assert room.view.details.marks.notes.toPlainText() == ""
        assert read_marks(room.folder / "alley.mp4").notes == ""


async def test_the_trash_gives_back_and_asks_before_it_is_emptied(rooms: Rooms, qtbot: QtBot) -> None:
    async with rooms() as room:
        await room.select("owl")
        press(qtbot, room, Key.Key_Delete)
        await room.shown("boat", "alley")
        assert (room.folder / ".trash" / "owl.mp4").exists() and (room.folder / ".trash" / "owl.json").exists()
        await until(lambda: room.model.current is not None and room.model.current.video.stem == "alley", "the next one")
        qtbot.keyClick(room.view, Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
        await room.shown("boat", "owl", "alley")
        assert not (room.folder / ".trash").exists()

        await room.select("owl", "alley")
        press(qtbot, room, Key.Key_Delete)
        await room.shown("boat")
        assert room.hand.there("Undo")
        room.hand.click("Trash")
        await room.shown("owl", "alley")
        await room.select("alley")
        room.hand.click("Put back")
        await room.shown("owl")
        await until(lambda: room.model.usage is not None, "the storage")
        room.hand.click("Empty the trash…")
        question = room.view.findChild(QMessageBox)
        assert question is not None and question.defaultButton().text() == "Keep them"
        question.defaultButton().click()
        assert (room.folder / ".trash" / "owl.mp4").exists()
        room.hand.click("Empty the trash…")
        question = room.view.findChildren(QMessageBox)[-1]
        next(b for b in question.findChildren(QPushButton) if b.text() == "Empty the trash").click()
        await room.shown()
        assert room.view.no_trash.isVisible() and not (room.folder / ".trash").exists()
        room.hand.click("Back to the results")
        await room.shown("boat", "alley")


async def test_a_recipe_is_opened_and_a_result_is_used_again(rooms: Rooms, qtbot: QtBot) -> None:
    async with rooms() as room:
        asked: list[object] = []
        room.model.recipe_requested.connect(asked.append)
        room.model.reference_requested.connect(asked.append)
        await room.select("boat")
        press(qtbot, room, Key.Key_R)
        await until(lambda: asked, "the recipe")
        shot = asked.pop()
        assert isinstance(shot, Shot) and shot.seed == 7 and shot.references[0].path.name == "phone clip.mp4"
        room.hand.click("Use as reference")
        await until(lambda: asked, "the reference")
        assert asked == [[room.folder / "boat.mp4"]]


async def test_compared_with_its_source_or_with_each_other(rooms: Rooms, qtbot: QtBot) -> None:
    async with rooms() as room:
        pairs: list[tuple[str, str]] = []
        room.model.compare_requested.connect(lambda a, b: pairs.append((a.name, b.name)))
        await room.select("boat")
        press(qtbot, room, Key.Key_Return)
        await until(lambda: pairs, "the pair")
        await room.select("boat", "alley")
        assert room.view.details.compare_button.text() == "Compare the two"
        press(qtbot, room, Key.Key_C)
        await until(lambda: len(pairs) == 2, "the other pair")
        assert pairs == [("phone clip.mp4", "boat.mp4"), ("alley.mp4", "boat.mp4")]
        await room.select("owl")
        press(qtbot, room, Key.Key_C)
        await until(lambda: "no source to compare it with" in room.said(), "the reason")
        (room.folder.parent.parent / "phone clip.mp4").unlink()
        await room.select("boat")
        press(qtbot, room, Key.Key_C)
        await until(lambda: "phone clip.mp4 is not there any more" in room.said(), "the reason")


async def test_the_sources_sound_under_the_same_pictures(rooms: Rooms, qtbot: QtBot) -> None:
    async with rooms() as room:
        await room.select("boat")
        press(qtbot, room, Key.Key_M)
        made = room.folder / "boat_source-sound.mp4"
        await until(lambda: str(made) in room.said(), "the new file")
        assert numbers(made) == numbers(room.folder / "boat.mp4")
        facts = probe_file(made)
        # The clip was used from 0.5 s on: so is its sound.
        assert facts.audio is not None and facts.audio.duration == pytest.approx(1.5, abs=0.05)


async def test_the_picture_and_its_frames(rooms: Rooms, qtbot: QtBot) -> None:
    async with rooms() as room:
        await room.select("boat")
        model, index = room.model.results, room.model.results.index(0)
        await until(
            lambda: (image := model.data(index, PictureRole)) is not None and not image.isNull(), "the thumbnail"
        )
        preview = room.view.details.preview
        await until(lambda: preview.picture.image() is not None, "the picture")
        seen: list[int] = []
        room.model.scrubbing.shown.connect(lambda number, _picture: seen.append(number))
        preview.timeline.setFocus()
        for _ in range(3):
            qtbot.keyClick(preview.timeline, Key.Key_Right)
        await until(lambda: seen and seen[-1] == 3, "frame 3")
        assert preview.position.text().startswith("frame 3/48")


async def test_faults_are_found_in_what_is_looked_at(rooms: Rooms) -> None:
    async with rooms() as room:
        await room.select("boat")
        entry = room.model.current
        assert entry is not None and entry.flaws is None
        await until(lambda: (now := room.model.current) and now.flaws is not None, "the look", within=90)
        await room.select("owl")
        await until(
            lambda: room.model.current is not None and bool(room.model.current.flaws),
            "the empty file's fault",
            within=60,
        )
        assert "is empty" in room.model.current.flaws[0].text()  # type: ignore[index, union-attr]
        room.model.ask(faulty=True)
        await room.shown("owl")


async def test_what_is_gone_is_said_and_can_be_taken_off(rooms: Rooms) -> None:
    async with rooms() as room:
        (room.folder / "alley.mp4").unlink()
        await room.select("alley")
        await until(lambda: room.model.current is not None and room.model.current.missing, "that it is gone")
        assert "not there any more" in room.model.results.data(room.model.results.index(2))
        assert not room.hand.there("To the trash") and room.hand.there("Open this recipe")
        room.hand.click("Take off the list")
        await room.shown("boat", "owl")


async def test_a_finished_render_comes_in_by_itself(rooms: Rooms) -> None:
    async with rooms() as room:
        job = await room.bench.service.submit(small_shot(prompt="a new kite"), Target())
        await until(lambda: room.bench.live(job.id).state.finished, "the render", within=60)
        await until(lambda: len(room.stems()) == 4, "the result")
        entry = room.model.results.entry(room.model.results.page(0)[0])
        assert entry is not None and entry.prompt == "a new kite" and entry.rehearsal and entry.frames == 107
        await until(lambda: room.model.results.entry(entry.id).flaws is not None, "the look", within=60)  # type: ignore[union-attr]
        found = await room.library.scan(room.folder)
        assert found.new == 0 and found.results == 4


async def test_another_folder_is_read_in(rooms: Rooms, tmp_path: Path) -> None:
    async with rooms() as room:
        write_result(tmp_path / "elsewhere" / "fox.mp4", prompt="a fox", created=5000.0)
        (tmp_path / "elsewhere" / "holiday.mp4").write_bytes(b"")
        room.model.scan(tmp_path / "elsewhere")
        await room.shown("fox", "boat", "owl", "alley")
        await until(lambda: "1 results are in" in room.said(), "the outcome")
        room.model.scan(tmp_path / "nowhere")
        await until(lambda: "nowhere is not there" in room.said(), "the reason")


async def test_a_result_can_be_dragged_out(rooms: Rooms) -> None:
    async with rooms() as room:
        model = room.model.results
        mime = model.mimeData([model.index(0), model.index(2)])
        assert [url.toLocalFile() for url in mime.urls()] == [str(room.folder / f"{s}.mp4") for s in ("boat", "alley")]
        assert model.flags(model.index(0)) & Qt.ItemFlag.ItemIsDragEnabled


async def test_cards_are_read_aloud_and_follow_the_language(rooms: Rooms, monkeypatch: pytest.MonkeyPatch) -> None:
    async with rooms() as room:
        interface = QAccessible.queryAccessibleInterface(room.view.grid)
        assert interface.text(QAccessible.Text.Name) == "Results"
        said = room.model.results.data(room.model.results.index(1))
        assert said.startswith("An owl in the forest, 4.45 s · 256×256") and said.endswith("rehearsal")
        await room.select("boat")
        words.set_language("zh_CN")
        await until(lambda: room.view.details.compare_button.text() == "与源片段对比", "Chinese", within=5)


async def test_thousands_are_loaded_page_by_page(rooms: Rooms) -> None:
    async with rooms() as room:
        for n in range(200):
            write_result(room.folder / "many" / f"{n:03d}.mp4", created=10_000.0 - n)
        room.model.scan(room.folder)
        await until(lambda: room.model.results.rowCount() == 203, "all of them")
        last = room.model.results.index(202)
        assert last.data(EntryRole) is None
        await until(lambda: last.data(EntryRole) is not None, "the last page")
        assert last.data(EntryRole).video.stem == "alley"
        room.view.grid.selectionModel().setCurrentIndex(last, QItemSelectionModel.SelectionFlag.ClearAndSelect)
        await until(
            lambda: room.model.current is not None and room.model.current.video.stem == "alley", "it to be shown"
        )
