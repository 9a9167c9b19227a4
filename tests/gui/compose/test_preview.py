"""The preview of a reference: its exact pictures, playing, in and out points, crop, and what the server will see."""

from __future__ import annotations

import os
import random
from pathlib import Path

import av
import numpy as np
import pytest
from PIL import Image
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu

from studio.contract import Crop, MediaFacts, Reference
from tests.gui.compose.conftest import Desk, Media
from tests.helpers import barcode
from tests.helpers.media_factory import clicks, write_clip
from tests.helpers.waiting import until
from ui.compose.reference_editor import ReferenceEditor
from ui.compose.seen import seen


def opened(desk: Desk, ref: str) -> ReferenceEditor:
    QTest.mouseClick(desk.view.tray.cards[ref].edit, Qt.MouseButton.LeftButton)
    editor = desk.view.preview.editor
    assert editor is not None and editor.reference_id == ref
    return editor


def number(image: QImage | None) -> int:
    """The number that the picture shown carries; -1 while there is none."""
    if image is None:
        return -1
    pixels = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.width(), 4)
    return barcode.read(pixels[..., :3])


async def shows(editor: ReferenceEditor, frame: int) -> None:
    await until(lambda: number(editor.frame.image) == frame, f"picture {frame}")


async def test_scrubbing_shows_exactly_that_picture(desk: Desk, tmp_path: Path) -> None:
    clip = write_clip(tmp_path / "a.mp4", frames=60, fps=30, size=(320, 256), rotation=90, gop=60, b_frames=2)
    (ref,) = await desk.add(clip)
    editor = opened(desk, ref)
    await shows(editor, 0)
    editor.timeline.setFocus()
    QTest.keyClick(editor.timeline, Qt.Key.Key_Right)
    await shows(editor, 1)
    QTest.keyClick(editor.timeline, Qt.Key.Key_End)
    await shows(editor, 59)
    assert editor.frame.image is not None and editor.frame.image.width() == 256  # upright


async def test_in_and_out_trim_to_whole_pictures_in_one_step_of_undo(desk: Desk, media: Media) -> None:
    (ref,) = await desk.add(media.clip)
    editor = opened(desk, ref)
    await shows(editor, 0)
    editor.timeline.setValue(6)
    QTest.mouseClick(editor.set_in, Qt.MouseButton.LeftButton)
    editor.timeline.setValue(41)
    QTest.mouseClick(editor.set_out, Qt.MouseButton.LeftButton)
    (reference,) = desk.model.shot.references
    assert (reference.start, reference.end) == (0.25, 1.75)
    assert editor.timeline.range_ == (6, 41)
    assert "36 frames" in editor.part.text()
    QTest.mouseClick(editor.whole, Qt.MouseButton.LeftButton)
    assert desk.model.shot.references[0].end is None
    desk.model.undo()
    assert (desk.model.shot.references[0].start, desk.model.shot.references[0].end) == (0.0, None)


async def test_a_dragged_handle_trims_and_shows_its_picture(desk: Desk, media: Media) -> None:
    (ref,) = await desk.add(media.clip)
    editor = opened(desk, ref)
    await shows(editor, 0)
    axis, y = editor.timeline.axis(), editor.timeline.height() // 2
    handle, goal = QPoint(round(axis.x(47) + axis.step / 2), y), QPoint(round(axis.x(30)), y)
    QTest.mousePress(editor.timeline, Qt.MouseButton.LeftButton, pos=handle)
    QTest.mouseMove(editor.timeline, goal)
    QTest.mouseRelease(editor.timeline, Qt.MouseButton.LeftButton, pos=goal)
    assert desk.model.shot.references[0].end == pytest.approx(31 / 24, abs=1e-5)
    await shows(editor, 30)


async def test_a_crop_is_drawn_by_its_corner_and_taken_back(desk: Desk, media: Media) -> None:
    (ref,) = await desk.add(media.clip)
    frame = opened(desk, ref).frame
    await until(lambda: frame.image is not None)
    box = frame.part_on_screen()
    corner, goal = box.bottomRight().toPoint() - QPoint(2, 2), box.center()
    QTest.mousePress(frame, Qt.MouseButton.LeftButton, pos=corner)
    QTest.mouseMove(frame, goal.toPoint())
    QTest.mouseRelease(frame, Qt.MouseButton.LeftButton, pos=goal.toPoint())
    crop = desk.model.shot.references[0].crop
    assert crop is not None
    assert (crop.x, crop.y, crop.width, crop.height) == pytest.approx((0, 0, 0.5, 0.5), abs=0.03)
    frame.setFocus()
    QTest.keyClick(frame, Qt.Key.Key_Right)
    moved = desk.model.shot.references[0].crop
    assert moved is not None and (moved.x, moved.width) == pytest.approx((0.01, crop.width))
    desk.model.undo()
    assert desk.model.shot.references[0].crop is None


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)  # of menus, offscreen
@pytest.mark.parametrize("name", ["a.png", "a.mov"])
async def test_what_is_transparent_is_laid_over_a_chosen_colour(desk: Desk, tmp_path: Path, name: str) -> None:
    (ref,) = await desk.add(see_through(tmp_path / name))
    editor = opened(desk, ref)
    usual = (0, 0, 0) if name == "a.mov" else (255, 255, 255)
    await until(lambda: corner(editor.frame.image) == usual, "the usual ground")
    assert editor.ground.isVisible()
    editor.ground.setFocus()
    QTest.keyClick(editor.ground, Qt.Key.Key_Space)
    menu = editor.ground.findChildren(QMenu)[-1]
    await until(menu.isVisible, "the colours")
    assert [a.text() for a in menu.actions() if a.isChecked()] == ["Black" if name == "a.mov" else "White"]
    for _ in range(4):
        QTest.keyClick(menu, Qt.Key.Key_Down)
    QTest.keyClick(menu, Qt.Key.Key_Return)
    assert desk.model.shot.references[0].preparation.ground == "#00b140"
    await until(lambda: corner(editor.frame.image) == (0, 0xB1, 0x40), "a green ground")
    assert "Green" in editor.ground.accessibleName()
    (reference,) = desk.model.shot.references
    await until(lambda: corner(desk.model.thumbnail(reference)) == (0, 0xB1, 0x40), "the card's picture over green")
    assert "laid over #00b140" in desk.view.tray.cards[ref].changes.text().replace("\N{NO-BREAK SPACE}", " ")
    dialog = editor.ground.ask()
    dialog.setCurrentColor(QColor("#2060c0"))
    dialog.accept()
    await until(lambda: corner(editor.frame.image) == (0x20, 0x60, 0xC0), "a colour of any kind")
    desk.model.undo()
    desk.model.undo()
    assert desk.model.shot.references[0].preparation.ground is None
    await until(lambda: corner(editor.frame.image) == usual, "the usual ground again")


async def test_the_playhead_stays_when_another_ground_is_chosen(desk: Desk, tmp_path: Path) -> None:
    (ref,) = await desk.add(see_through(tmp_path / "a.mov"))
    editor = opened(desk, ref)
    await until(lambda: editor.frame.image is not None)
    editor.timeline.setValue(17)
    desk.model.set_ground(ref, "#ffffff")
    await until(lambda: corner(editor.frame.image) == (255, 255, 255), "a white ground")
    assert editor.timeline.value() == 17


async def test_an_opaque_file_has_no_ground_to_choose(desk: Desk, media: Media) -> None:
    (ref,) = await desk.add(media.clip)
    assert not opened(desk, ref).ground.isVisible()


def corner(image: QImage | None) -> tuple[int, int, int] | None:
    """Red, green and blue of the first pixel."""
    return None if image is None else image.pixelColor(0, 0).getRgb()[:3]


def see_through(path: Path) -> Path:
    """Red on the right, nothing on the left: a picture, or a clip of two seconds."""
    rgba = np.zeros((256, 256, 4), np.uint8)
    rgba[:, 128:] = (255, 0, 0, 255)
    if path.suffix == ".png":
        Image.fromarray(rgba).save(path)
        return path
    with av.open(str(path), "w") as box:
        stream = box.add_stream("qtrle", rate=24)
        stream.width, stream.height, stream.pix_fmt = 256, 256, "argb"
        for n in range(48):
            frame = av.VideoFrame.from_ndarray(rgba, format="rgba").reformat(format="argb")
            frame.pts = n
            box.mux(stream.encode(frame))
        box.mux(stream.encode(None))
    return path


async def test_the_servers_view_is_its_canvas_and_two_pictures_a_second(desk: Desk, media: Media) -> None:
    (ref,) = await desk.add(media.long)
    desk.model.trim(ref, 1.0, 6.0)
    desk.model.crop(ref, Crop(x=0, y=0, width=1, height=1))
    editor = opened(desk, ref)
    await shows(editor, 24)
    facts = desk.model.facts[ref]
    assert isinstance(facts, MediaFacts)
    what = seen(desk.model.shot.references[0], facts, desk.model.request)
    assert what is not None
    assert (what.canvas.width, what.canvas.height, what.sent) == (768, 768, 120)
    assert what.moments == tuple(1 + k / 2 for k in range(10))
    assert "768 × 768" in editor.seen_line.text() and "10 pictures" in editor.seen_line.text()
    QTest.mouseClick(editor.as_seen, Qt.MouseButton.LeftButton)
    editor.timeline.sought.emit(24 + 35)
    await shows(editor, 24 + 24)


async def test_one_clip_is_open_at_a_time_and_closing_lets_go_of_it(desk: Desk, media: Media) -> None:
    first, second = await desk.add(media.clip, media.still)
    await shows(opened(desk, first), 0)
    editor = opened(desk, second)
    assert len(desk.view.preview.findChildren(ReferenceEditor, options=Qt.FindChildOption.FindDirectChildrenOnly)) <= 2
    await until(lambda: editor.frame.image is not None)
    QTest.mouseClick(desk.view.preview.close_button, Qt.MouseButton.LeftButton)
    await until(lambda: desk.view.preview.editor is None and not desk.view.preview.isVisible(), "the preview to go")
    await until(lambda: not len(desk.model._scope), "the clip to be closed")


async def test_the_reference_with_the_keyboard_is_the_one_that_is_seen(desk: Desk, media: Media) -> None:
    first, second = await desk.add(media.clip, media.still)
    desk.view.tray.cards[first].setFocus()
    await until(lambda: desk.view.preview.editor is not None)
    desk.view.tray.cards[second].setFocus()
    await until(lambda: desk.view.preview.editor is not None and desk.view.preview.editor.reference_id == second)
    desk.model.remove(second)
    await until(lambda: not desk.view.preview.isVisible(), "the preview to go")


async def test_odd_sizes_are_scrubbed_fast_without_skew(desk: Desk, tmp_path: Path) -> None:
    clip = write_clip(tmp_path / "odd.mp4", frames=60, size=(641, 361), pix_fmt="yuv444p", gop=60)
    (ref,) = await desk.add(clip)
    editor = opened(desk, ref)
    await shows(editor, 0)
    rnd = random.Random(2)
    for _ in range(300):
        editor.timeline.sought.emit(rnd.randrange(60))
        QApplication.sendPostedEvents()
    editor.timeline.sought.emit(41)
    await shows(editor, 41)
    image = editor.frame.image
    assert image is not None and (image.width(), image.height()) == (641, 361)
    editor.grab()


async def test_film_and_sound_are_drawn(desk: Desk, media: Media) -> None:
    clip, sound = await desk.add(media.long, media.sound)
    editor = opened(desk, clip)
    await until(lambda: editor.film.sizeHint().height() > 60, "film and waveform")
    only_sound = opened(desk, sound)
    await until(lambda: 0 < only_sound.film.sizeHint().height() < 40, "the waveform")
    assert only_sound.timeline.maximum() == 71
    assert not only_sound.frame.isVisible()


async def test_playing_goes_through_the_part_and_stops_at_its_end(desk: Desk, media: Media) -> None:
    (ref,) = await desk.add(media.clip)
    desk.model.trim(ref, 0.5, 1.0)
    editor = opened(desk, ref)
    await shows(editor, 12)
    seen_frames: list[int] = []
    editor.timeline.valueChanged.connect(seen_frames.append)
    editor.timeline.setFocus()
    QTest.keyClick(editor.timeline, Qt.Key.Key_Space)
    assert editor.player.playing
    await until(lambda: not editor.player.playing, "the end of the part")
    assert seen_frames == sorted(seen_frames) and seen_frames[-1] == 23
    await shows(editor, 23)
    QTest.mouseClick(editor.play, Qt.MouseButton.LeftButton)  # at the end it begins anew
    await until(lambda: editor.timeline.value() < 20, "the beginning")
    QTest.mouseClick(editor.play, Qt.MouseButton.LeftButton)
    assert not editor.player.playing


async def test_keys_nudge_by_a_frame_and_set_in_and_out(desk: Desk, media: Media) -> None:
    (ref,) = await desk.add(media.clip)
    editor = opened(desk, ref)
    await shows(editor, 0)
    assert editor.timeline.hasFocus()
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Period, Qt.Key.Key_Period, Qt.Key.Key_Comma, Qt.Key.Key_I):
        QTest.keyClick(editor.timeline, key)
    QTest.mouseClick(editor.forward, Qt.MouseButton.LeftButton)
    QTest.keyClick(editor.timeline, Qt.Key.Key_O)
    assert editor.timeline.range_ == (2, 3)
    reference = desk.model.shot.references[0]
    assert (reference.start, reference.end) == pytest.approx((2 / 24, 4 / 24), abs=1e-5)


async def test_the_sound_of_a_clip_is_dropped_from_the_preview(desk: Desk, media: Media) -> None:
    (ref,) = await desk.add(media.long)
    editor = opened(desk, ref)
    QTest.mouseClick(editor.sound, Qt.MouseButton.LeftButton)
    assert not desk.model.shot.references[0].keep_sound
    assert "dropped" in editor.sound.toolTip()


async def test_a_crop_keeps_the_shape_that_was_chosen(desk: Desk, media: Media) -> None:
    (ref,) = await desk.add(media.still)  # 256 × 288
    editor = opened(desk, ref)
    await until(lambda: editor.frame.image is not None)
    editor._take_shape(16 / 9)
    crop = desk.model.shot.references[0].crop
    assert crop is not None and crop.width == 1
    box = editor.frame.part_on_screen()
    start, goal = box.bottomRight().toPoint() - QPoint(2, 2), box.center().toPoint()
    QTest.mousePress(editor.frame, Qt.MouseButton.LeftButton, pos=start)
    QTest.mouseMove(editor.frame, goal)
    QTest.mouseRelease(editor.frame, Qt.MouseButton.LeftButton, pos=goal)
    crop = desk.model.shot.references[0].crop
    assert crop is not None and crop.width == pytest.approx(0.5, abs=0.05)
    assert crop.width * 256 / (crop.height * 288) == pytest.approx(16 / 9, rel=1e-3)


async def test_a_picture_of_a_clip_becomes_the_first_frame(desk: Desk, media: Media) -> None:
    (ref,) = await desk.add(media.clip)
    editor = opened(desk, ref)
    await shows(editor, 0)
    desk.model.add_frame(media.clip, 30, "first")
    await until(lambda: len(desk.model.facts) == 2, "the picture")
    shot = desk.model.shot
    assert (shot.task, shot.references[1].role) == ("fl2va", "first")
    assert number(QImage(str(shot.references[1].path)).convertToFormat(QImage.Format.Format_RGB32)) == 30
    assert [r.id for r in shot.sent()] == [shot.references[1].id]
    desk.model.undo()
    assert desk.model.shot.task == "ref2va" and len(desk.model.shot.references) == 1


async def test_a_damaged_clip_says_so_in_its_editor(desk: Desk, media: Media, tmp_path: Path) -> None:
    path = tmp_path / "gone.mp4"
    path.write_bytes(media.clip.read_bytes())
    (ref,) = await desk.add(path)
    path.unlink()
    editor = opened(desk, ref)
    await until(lambda: "gone.mp4" in editor.trouble.text())
    assert editor.trouble.isVisible()


async def test_the_card_is_as_high_as_what_is_in_it_and_shows_all_of_its_lines(desk: Desk, tmp_path: Path) -> None:
    clip = write_clip(tmp_path / "a.mp4", frames=905, fps=60, size=(480, 270), rotation=90, sound=clicks(905 / 60))
    (ref,) = await desk.add(clip)
    card = desk.view.tray.cards[ref]
    tall = card.height()
    assert card.findings.rows
    desk.model.mend_all()
    await until(lambda: card.height() < tall - 50, "the card to shrink")
    assert card.height() <= max(card.sizeHint().height(), card.heightForWidth(card.width()))
    changes = card.changes
    assert "turned" in changes.text() and changes.heightForWidth(changes.width()) <= changes.height()


async def test_a_large_file_is_shown_by_its_headers_while_it_is_read(desk: Desk, media: Media, tmp_path: Path) -> None:
    path = tmp_path / "large.mp4"
    padding = 40 << 20
    path.write_bytes(media.clip.read_bytes() + padding.to_bytes(4) + b"free")
    os.truncate(path, path.stat().st_size + padding - 8)
    shown: list[str] = []
    desk.model.thumbnail_changed.connect(lambda ref: shown.append(desk.view.tray.cards[ref].facts.text()))
    reference = Reference(id="r1", path=path, kind="video")
    desk.model.edit(desk.model.shot.but(references=(reference,)), "edit.add")
    await until(lambda: "r1" in desk.model.facts, "the file to be read")
    assert any("256" in text and "Reading…" in text for text in shown), shown
    facts = desk.model.facts["r1"]
    assert isinstance(facts, MediaFacts) and facts.exact
    assert "Reading" not in desk.view.tray.cards["r1"].facts.text()
