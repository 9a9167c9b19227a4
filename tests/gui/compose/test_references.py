"""References on the desk: dropped, pasted, checked, mended, moved."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QColor, QGuiApplication, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from studio.contract import Shot
from studio.core.notices import Notices
from studio.media.workers import Workers
from tests.gui.compose.conftest import Desk, Media, drop, files
from tests.helpers.waiting import until
from ui.compose import ComposeModel
from ui.compose.card import REFERENCE_MIME
from ui.compose.recent import Recent


def _places(desk: Desk) -> dict[str, QWidget]:
    return {
        "tray": desk.view.tray,
        "prompt": desk.view.prompt.editor.viewport(),
        "seed": desk.view.output.seed.field,
        "steps": desk.view.output.steps.lineEdit(),
        "render": desk.view.render_box.render_button,
    }


@pytest.mark.parametrize("place", ["tray", "prompt", "seed", "steps", "render"])
async def test_files_dropped_anywhere_land_in_the_tray(desk: Desk, media: Media, place: str) -> None:
    before = desk.model.shot
    assert drop(_places(desk)[place], files([media.clip, media.still]))
    await desk.settled(2)
    assert [r.kind for r in desk.model.shot.references] == ["video", "image"]
    assert (desk.model.shot.prompt, desk.model.shot.seed, desk.model.shot.steps) == ("", before.seed, before.steps)


async def test_text_copied_from_an_office_program_stays_text(desk: Desk) -> None:
    mime = QMimeData()
    mime.setText("a cell")
    mime.setImageData(QImage(20, 20, QImage.Format.Format_RGB32))
    QGuiApplication.clipboard().setMimeData(mime)
    desk.view.prompt.editor.paste()
    assert desk.model.shot.prompt == "a cell"


async def test_a_very_long_name_does_not_widen_the_tray(desk: Desk, media: Media, tmp_path: Path) -> None:
    named = tmp_path / ("long " * 48 + "name.mp4")
    named.symlink_to(media.long)
    (ref,) = await desk.add(named)
    card = desk.view.tray.cards[ref]
    assert card.findings.rows
    beside = desk.view.tray.minimumWidth() - card.minimumSizeHint().width()
    assert beside >= 40  # margins and the scroll bar


async def test_a_dropped_folder_gives_its_media(desk: Desk, media: Media, tmp_path: Path) -> None:
    folder = tmp_path / "shoot"
    folder.mkdir()
    (folder / "a.mp4").symlink_to(media.clip)
    (folder / "notes.txt").write_text("no media")
    (folder / ".hidden.mp4").symlink_to(media.clip)
    (folder / "loop").symlink_to(folder)
    assert drop(desk.view, files([folder]))
    await desk.settled(1)
    assert desk.model.shot.references[0].path.name == "a.mp4"
    assert [n.message.code for n in desk.notices.recent] == ["compose.left_out"]


async def test_a_picture_from_a_browser_is_taken_by_its_pixels(desk: Desk) -> None:
    image = QImage(300, 400, QImage.Format.Format_RGB32)
    image.fill(QColor("teal"))
    mime = QMimeData()
    mime.setUrls([QUrl("https://example.org/photos/boat.jpg")])
    mime.setImageData(image)
    assert drop(desk.view, mime)
    await desk.settled(1)
    assert QImage(str(desk.model.shot.references[0].path)).size() == image.size()


async def test_a_picture_inside_an_address_is_taken(desk: Desk, media: Media) -> None:
    mime = QMimeData()
    mime.setUrls([QUrl(f"data:image/png;base64,{base64.b64encode(media.still.read_bytes()).decode()}")])
    assert drop(desk.view, mime)
    await desk.settled(1)
    assert QImage(str(desk.model.shot.references[0].path)).size() == QImage(str(media.still)).size()


async def test_what_is_only_on_the_web_is_said(desk: Desk) -> None:
    mime = QMimeData()
    mime.setUrls([QUrl("https://example.org/films/boat.mp4")])
    assert drop(desk.view, mime)
    assert "boat.mp4 is on the web. Save it to a file first" in desk.notices.recent[0].message.text()
    assert desk.model.shot.references == ()


async def test_the_same_content_is_noticed_and_set_aside(desk: Desk, media: Media, tmp_path: Path) -> None:
    copy = tmp_path / "copy of it.png"
    copy.write_bytes(media.still.read_bytes())
    other = tmp_path / "as long.png"
    other.write_bytes(media.still.read_bytes()[:-1] + b"x")
    await desk.add(media.still, copy)
    desk.model.add_paths([other])
    await desk.settled(3)
    assert [r.set_aside for r in desk.model.shot.references] == [False, True, False]
    assert "copy of it.png" in desk.notices.recent[0].message.text()


async def test_ten_pictures_at_once_keep_nine_and_name_the_tenth(desk: Desk, tmp_path: Path) -> None:
    stills = [tmp_path / f"{n}.png" for n in range(10)]
    for n, path in enumerate(stills):
        image = QImage(300, 300, QImage.Format.Format_RGB32)
        image.fill(QColor(20 * n, 100, 100))
        assert image.save(str(path))
    assert drop(desk.view, files(stills))
    await desk.settled(10)
    assert [r.path for r in desk.model.shot.references] == stills
    assert [r.path for r in desk.model.shot.sent()] == stills[:9]
    assert [n.message.text() for n in desk.notices.recent] == [
        "This kind of render takes no more, so these were set aside: 9.png."
    ]


async def test_shots_among_what_is_dropped_are_opened(desk: Desk, media: Media, tmp_path: Path) -> None:
    path = tmp_path / "boat.h3shot"
    desk.model.type_prompt("a boat")
    desk.model.save(path)
    await until(lambda: desk.model.is_saved, "the file")
    desk.view.close_shot()
    assert drop(desk.view, files([path]))
    await until(lambda: desk.model.path == path, "the shot")
    assert desk.model.shot.prompt == "a boat" and len(desk.model.documents.all) == 1


async def test_files_come_to_the_shot_that_they_were_dropped_on(desk: Desk, media: Media) -> None:
    first = desk.model.documents.current
    desk.model.type_prompt("first")
    desk.model.add_paths([media.still])
    desk.model.new()
    await until(lambda: bool(desk.model.documents.all[0].shot.references), "the picture")
    assert desk.model.documents.current.key != first.key and desk.model.shot.references == ()


async def test_what_was_used_last_is_offered_again(desk: Desk, media: Media, tmp_path: Path) -> None:
    await desk.add(media.still, media.sound)
    assert desk.model.recent.media == (media.sound, media.still)
    assert desk.model.recent.folder == media.sound.parent
    assert Recent(tmp_path / "recent.json").media == (media.sound, media.still)


async def test_the_fitting_mode_is_suggested_and_parts_of_others_are_kept(desk: Desk, media: Media) -> None:
    modes = desk.view.tray.modes
    assert not modes.switch.isVisible()
    QTest.mouseClick(modes.buttons["t2va"], Qt.MouseButton.LeftButton)
    (sound,) = await desk.add(media.sound)
    assert desk.model.shot.sent() == () and not desk.model.tags.get(sound)
    assert modes.switch.isVisible() and "References" in modes.switch.text()
    QTest.mouseClick(modes.switch, Qt.MouseButton.LeftButton)
    assert desk.model.shot.task == "ref2va" and [r.id for r in desk.model.shot.sent()] == [sound]
    assert not modes.switch.isVisible()


async def test_a_sound_of_another_mode_neither_blocks_nor_is_lost(
    desk: Desk, media: Media, workers: Workers, tmp_path: Path
) -> None:
    """A hidden reference must not stop a render of words alone, also after a restart."""
    await desk.add(media.sound)
    desk.model.set_task("t2va")
    desk.model.type_prompt("rain on a roof")
    asked: list[Shot] = []
    desk.model.render_requested.connect(asked.append)
    desk.model.request_render()
    await desk.model.aclose()
    again = ComposeModel(workers, Notices(), autosave=tmp_path / "drafts")
    again.render_requested.connect(asked.append)
    await until(lambda: not again.pending, "the files to be read")
    again.request_render()
    await until(lambda: len(asked) == 2, "the second render")
    assert asked[0].sent() == asked[1].sent() == ()
    again.set_task("ref2va")
    assert [r.path for r in again.shot.sent()] == [media.sound]
    await again.aclose()


async def test_text_that_is_no_file_is_not_taken_by_the_tray(desk: Desk) -> None:
    mime = QMimeData()
    mime.setText("only words")
    assert not drop(desk.view.tray, mime)


async def test_content_decides_the_kind(desk: Desk, media: Media, tmp_path: Path) -> None:
    disguised = tmp_path / "really-a-picture.mp4"
    disguised.write_bytes(media.still.read_bytes())
    await desk.add(disguised)
    assert desk.model.shot.references[0].kind == "image"


async def test_a_file_that_is_no_media_is_said_and_a_broken_clip_has_a_card(desk: Desk, tmp_path: Path) -> None:
    letter, broken = tmp_path / "letter.txt", tmp_path / "broken.mp4"
    letter.write_text("dear server " * 100)
    broken.write_bytes(b"\0\0\0\x20ftypisom" + bytes(500))
    desk.model.add_paths([letter, broken])
    await desk.settled(1)
    (ref,) = desk.model.shot.references
    assert ref.path == broken
    assert any(f.is_error for f in desk.model.findings_of(ref.id))
    assert "letter.txt" in desk.notices.recent[0].message.text()


async def test_a_pasted_bitmap_becomes_a_file_of_its_own(desk: Desk, own_home: Path) -> None:
    image = QImage(300, 400, QImage.Format.Format_RGB32)
    image.fill(QColor("teal"))
    QGuiApplication.clipboard().setImage(image)
    desk.view.prompt.editor.setFocus()
    QTest.keyClick(desk.view.prompt.editor, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    await desk.settled(1)
    path = desk.model.shot.references[0].path
    assert path.is_relative_to(own_home)
    assert QImage(str(path)).size() == image.size()


async def test_pasted_text_goes_into_the_prompt_from_anywhere(desk: Desk) -> None:
    QGuiApplication.clipboard().setText("words from elsewhere")
    desk.view.tray.add_button.setFocus()
    QTest.keyClick(desk.view.tray.add_button, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    assert desk.model.shot.prompt == "words from elsewhere"


async def test_a_clip_over_15_s_is_mended_by_one_click(desk: Desk, media: Media) -> None:
    (ref,) = await desk.add(media.long)
    card = desk.view.tray.cards[ref]
    row = next(r for r in card.findings.rows if r.finding.code == "ref.video.too_long")
    assert "15.08" in row.finding.message.text()
    QTest.mouseClick(row.buttons[0], Qt.MouseButton.LeftButton)
    assert "ref.video.too_long" not in desk.codes(ref)
    assert desk.model.shot.frames == 345
    desk.model.undo()
    assert "ref.video.too_long" in desk.codes(ref)


async def test_the_fourth_clip_is_set_aside_and_is_an_error_when_brought_back(desk: Desk, media: Media) -> None:
    refs = await desk.add(*media.clips)
    assert desk.model.shot.references[3].set_aside
    assert refs[3] not in desk.model.tags
    QTest.mouseClick(desk.view.tray.cards[refs[3]].bring_back, Qt.MouseButton.LeftButton)
    shown = desk.view.tray.findings.rows
    assert any("4 clips" in row.finding.message.text() for row in shown)
    QTest.mouseClick(shown[0].buttons[0], Qt.MouseButton.LeftButton)
    assert len(desk.model.shot.sent()) == 3


async def test_sound_alone_is_an_error_with_ways_out(desk: Desk, media: Media) -> None:
    await desk.add(media.sound)
    rows = desk.view.tray.findings.rows
    assert [row.finding.code for row in rows] == ["refs.audio_only"]
    assert rows[0].buttons
    desk.model.mend_all()
    assert not [f for f in desk.model.errors if f.subject == "references"]


async def test_a_clip_shows_both_tags_until_its_sound_is_dropped(desk: Desk, media: Media) -> None:
    (ref,) = await desk.add(media.long)
    assert desk.model.tags[ref] == ("<Audio 1>", "<Video 1>")
    QTest.mouseClick(desk.view.tray.cards[ref].sound, Qt.MouseButton.LeftButton)
    assert desk.model.tags[ref] == ("<Video 1>",)


async def test_keys_move_and_remove_a_card(desk: Desk, media: Media) -> None:
    first, second = await desk.add(*media.clips[:2])
    QTest.keyClick(desk.view.tray.cards[second], Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)
    assert [r.id for r in desk.model.shot.references] == [second, first]
    assert desk.model.tags[second] == ("<Video 1>",)
    QTest.keyClick(desk.view.tray.cards[second], Qt.Key.Key_Delete)
    assert [r.id for r in desk.model.shot.references] == [first]
    assert second not in desk.view.tray.cards


async def test_a_card_dragged_over_another_takes_its_place(desk: Desk, media: Media) -> None:
    first, second = await desk.add(*media.clips[:2])
    mime = QMimeData()
    mime.setData(REFERENCE_MIME, second.encode())
    above = desk.view.tray.cards[first].mapTo(desk.view.tray, desk.view.tray.cards[first].rect().topLeft())
    assert drop(desk.view.tray, mime, QPointF(above))
    assert [r.id for r in desk.model.shot.references] == [second, first]


async def test_thumbnails_and_waveforms_arrive(desk: Desk, media: Media) -> None:
    await desk.add(media.clip, media.sound)
    clip, sound = desk.model.shot.references
    await until(lambda: desk.model.thumbnail(clip) and desk.model.waveform(sound) is not None, "pictures of the files")
    image = desk.model.thumbnail(clip)
    assert image is not None and not image.isNull()


async def test_a_missing_file_is_located(desk: Desk, media: Media, tmp_path: Path) -> None:
    gone = tmp_path / "gone.mp4"
    (ref,) = await desk.add(gone)
    assert any(f.is_error for f in desk.model.findings_of(ref))
    desk.model.locate(ref, media.clip)
    await until(lambda: not desk.model.pending and ref in desk.model.facts, "the file to be read")
    assert not [f for f in desk.model.findings_of(ref) if f.is_error]


async def test_length_and_canvas_follow_the_clip_until_set(desk: Desk, media: Media) -> None:
    await desk.add(media.clip)
    assert (desk.model.shot.frames, desk.model.shot.canvas.aspect) == (107, "1:1")
    assert desk.model.leader("frames") == "Video 1"
    desk.model.set_frames(243)
    desk.model.remove(desk.model.shot.references[0].id)
    assert (desk.model.shot.frames, desk.model.shot.canvas.aspect) == (243, "16:9")
