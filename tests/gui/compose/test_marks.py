"""Keep and change: marks in time on the lanes, areas on the picture, by mouse and by keyboard, each act one undo."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu, QWidget

from studio.contract import parse_shot
from studio.contract.keep_change import KeepChange, PictureMarks, Rectangle, RectangleKey, Span, Stroke
from studio.contract.marks import rectangle_at, shift_at, value_at
from tests.gui.compose.conftest import Desk, Media
from tests.helpers.media_factory import clicks, write_clip
from tests.helpers.waiting import until
from ui.compose.mask_lane import MaskLane
from ui.compose.reference_editor import ReferenceEditor

LEFT, NONE, SHIFT = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier
Key = Qt.Key


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """5.167 s (124 frames) with sound."""
    return write_clip(tmp_path_factory.mktemp("marks") / "a.mp4", frames=124, sound=clicks(124 / 24))


async def marking(desk: Desk, path: Path) -> tuple[str, ReferenceEditor]:
    """A clip with its marks shown."""
    desk.view.activateWindow()
    await until(desk.view.isActiveWindow)
    (ref,) = await desk.add(path)
    QTest.mouseClick(desk.view.tray.cards[ref].edit, LEFT)
    editor = desk.view.preview.editor
    assert editor is not None
    await until(lambda: editor.frame.image is not None)
    QTest.mouseClick(editor.marks.toggle, LEFT)
    assert editor.marks.overlay.isVisible() and not desk.view.prompt.isVisible()
    return ref, editor


def edit_of(desk: Desk) -> KeepChange:
    edit = desk.model.shot.references[0].edit
    assert edit is not None
    return edit


def drag(widget: QWidget, start: QPointF, *through: QPointF) -> None:
    QTest.mousePress(widget, LEFT, NONE, start.toPoint())
    for point in through:
        QTest.mouseMove(widget, point.toPoint())
    QTest.mouseRelease(widget, LEFT, NONE, through[-1].toPoint())


def on_lane(lane: MaskLane, frame: int, y: int = 16) -> QPointF:
    """Where frame `frame` begins on a lane."""
    axis = lane._axis()
    return QPointF(axis.left + frame * axis.step, y)


def on_picture(editor: ReferenceEditor, x: float, y: float) -> QPointF:
    picture = editor.frame.picture_on_screen()
    return QPointF(picture.x() + x * picture.width(), picture.y() + y * picture.height())


async def test_times_are_marked_moved_softened_and_undone_by_mouse(desk: Desk, clip: Path) -> None:
    _ref, editor = await marking(desk, clip)
    lane = editor.marks.lanes["picture"]
    drag(lane, on_lane(lane, 0), on_lane(lane, 40), on_lane(lane, 72))
    (span,) = edit_of(desk).picture.spans
    assert (span.start, span.change) == (0.0, 0.0)
    assert span.end == pytest.approx(3.0, abs=1.5 / 24)
    assert edit_of(desk).picture.rest == 1.0

    end = round(span.end * 24)
    drag(lane, on_lane(lane, end), on_lane(lane, 48))  # its edge
    (span,) = edit_of(desk).picture.spans
    assert span.end == pytest.approx(2.0, abs=1.5 / 24)
    end = round(span.end * 24)
    drag(lane, on_lane(lane, end, 4), on_lane(lane, end - 24, 4))  # its soft edge
    (span,) = edit_of(desk).picture.spans
    assert span.fade_out == pytest.approx(1.0, abs=1.5 / 24)
    assert 0 < value_at(edit_of(desk).picture, span.end - span.fade_out / 2) < 1

    QTest.mouseClick(lane, LEFT, NONE, on_lane(lane, 60).toPoint())  # a click goes there and marks nothing
    assert abs(editor.timeline.value() - 60) <= 1
    for _ in range(3):
        assert desk.model.history.undo_label == "edit.keep_change"
        desk.model.undo()
    assert desk.model.shot.references[0].edit is None
    desk.model.redo()
    assert edit_of(desk).picture.spans


async def test_the_first_mark_of_what_changes_keeps_the_rest(desk: Desk, clip: Path) -> None:
    _ref, editor = await marking(desk, clip)
    QTest.mouseClick(editor.marks.tools.kinds.buttons["change"], LEFT)
    lane = editor.marks.lanes["sound"]
    drag(lane, on_lane(lane, 24), on_lane(lane, 48), on_lane(lane, 72))
    edit = edit_of(desk)
    assert (edit.sound.rest, edit.picture.rest) == (0.0, 1.0)
    assert [value_at(edit.sound, t) for t in (0.5, 2.0, 4.0)] == [0.0, 1.0, 0.0]


async def test_a_rectangle_is_drawn_and_moves_between_its_keys(desk: Desk, clip: Path) -> None:
    _ref, editor = await marking(desk, clip)
    overlay = editor.marks.overlay
    QTest.mouseClick(editor.marks.tools.tools["rectangle"], LEFT)
    drag(overlay, on_picture(editor, 0.1, 0.2), on_picture(editor, 0.3, 0.4), on_picture(editor, 0.4, 0.6))
    (area,) = edit_of(desk).picture.areas
    assert isinstance(area, Rectangle) and overlay.selected == 0 and overlay.tool == "select"
    first = rectangle_at(area, 0)
    assert (first.x, first.y, first.width, first.height) == pytest.approx((0.1, 0.2, 0.3, 0.4), abs=0.02)

    editor._go(48)
    drag(overlay, on_picture(editor, 0.25, 0.4), on_picture(editor, 0.35, 0.4), on_picture(editor, 0.65, 0.4))
    (area,) = edit_of(desk).picture.areas
    assert isinstance(area, Rectangle) and len(area.keys) == 2
    assert rectangle_at(area, 2.0).x == pytest.approx(0.5, abs=0.02)
    assert rectangle_at(area, 1.0).x == pytest.approx(0.3, abs=0.02)  # halfway between its keys
    corner = rectangle_at(area, 2.0)
    drag(overlay, on_picture(editor, corner.x + corner.width, 0.6), on_picture(editor, 0.95, 0.8))
    (area,) = edit_of(desk).picture.areas
    assert isinstance(area, Rectangle)
    assert rectangle_at(area, 2.0).height == pytest.approx(0.6, abs=0.03)
    assert rectangle_at(area, 0.0).height == pytest.approx(0.4, abs=0.02)


async def test_the_latent_grid_shows_what_is_made_anew(desk: Desk, clip: Path) -> None:
    ref, editor = await marking(desk, clip)
    key = RectangleKey(time=0, x=0.25, y=0.25, width=0.5, height=0.5)
    desk.model.set_edit(ref, KeepChange(picture=PictureMarks(rest=0, areas=(Rectangle(keys=(key,)),))))
    overlay, canvas = editor.marks.overlay, desk.model.resolved
    assert canvas is not None
    await until(lambda: overlay._cells is not None, "the grid")
    cells = overlay._cells
    assert cells is not None and cells.shape == (canvas.height // 16, canvas.width // 16)
    assert cells.mean() == pytest.approx(0.25, abs=0.03)
    assert "25 %" in editor.marks._said.text() or "24 %" in editor.marks._said.text()
    QTest.mouseClick(editor.marks.tools.grid, LEFT)
    assert overlay._cells is None
    editor.grab()


async def test_a_whole_edit_by_keyboard_is_saved_and_opened_again(desk: Desk, clip: Path, tmp_path: Path) -> None:
    ref, editor = await marking(desk, clip)
    lane, overlay = editor.marks.lanes["picture"], editor.marks.overlay
    lane.setFocus()
    QTest.keyClick(lane, Key.Key_H)
    for _ in range(2):
        QTest.keyClick(lane, Key.Key_Right, SHIFT)
    QTest.keyClick(lane, Key.Key_H)
    (span,) = edit_of(desk).picture.spans
    assert (span.start, round(span.end * 24)) == (0.0, 35)
    QTest.keyClick(lane, Key.Key_Equal)
    assert edit_of(desk).picture.spans[0].fade_out == pytest.approx(2 / 24)
    QTest.keyClick(lane, Key.Key_Minus)
    assert edit_of(desk).picture.spans[0].fade_out == 0

    QTest.keyClick(lane, Key.Key_E)  # from now on: what changes
    QTest.keyClick(lane, Key.Key_B)
    assert overlay.hasFocus() and overlay.selected == 0
    QTest.keyClick(overlay, Key.Key_Right)
    QTest.keyClick(overlay, Key.Key_Down, SHIFT)
    (area,) = edit_of(desk).picture.areas
    assert isinstance(area, Rectangle) and area.change == 1.0
    at = rectangle_at(area, editor.marks._time)
    assert (at.x, at.y, at.width, at.height) == pytest.approx((0.31, 0.3, 0.4, 0.41))
    QTest.keyClick(overlay, Key.Key_D)
    assert isinstance(edit_of(desk).picture.areas[1], Stroke)
    QTest.keyClick(overlay, Key.Key_PageUp)
    assert overlay.selected == 0
    QTest.keyClick(overlay, Key.Key_Delete)
    assert len(edit_of(desk).picture.areas) == 1

    sound = editor.marks.lanes["sound"]
    sound.setFocus()
    QTest.keyClick(sound, Key.Key_Home)
    QTest.keyClick(sound, Key.Key_H)
    QTest.keyClick(sound, Key.Key_End)
    QTest.keyClick(sound, Key.Key_H)
    assert edit_of(desk).sound.rest == 0.0 and len(edit_of(desk).sound.spans) == 1
    QTest.keyClick(sound, Key.Key_Delete)
    assert not edit_of(desk).sound.spans
    QTest.keyClick(sound, Key.Key_H)
    QTest.keyClick(sound, Key.Key_Escape)
    assert sound.marking_from is None

    edit, path = edit_of(desk), tmp_path / "a.h3shot"
    desk.model.save(path)
    await until(path.exists)
    await until(lambda: desk.model.is_saved)
    saved = parse_shot(path.read_bytes(), path.parent)
    assert saved.reference(ref) is not None and saved.references[0].edit == edit


async def test_a_brush_stroke_follows_what_moves_and_is_corrected_by_hand(desk: Desk, tmp_path: Path) -> None:
    path = moving_square(tmp_path / "moving.mp4", frames=60)
    _ref, editor = await marking(desk, path)
    overlay = editor.marks.overlay
    QTest.mouseClick(editor.marks.tools.tools["brush"], LEFT)
    editor.marks.tools.brush_size.setValue(14)
    drag(overlay, on_picture(editor, 0.2, 0.5), on_picture(editor, 0.22, 0.5))
    overlay.select(0)
    QTest.mouseClick(editor.marks.tools.follow, LEFT)
    assert editor.marks.following.running
    await until(lambda: not editor.marks.following.running, "the stroke to be followed")
    (stroke,) = edit_of(desk).picture.areas
    assert isinstance(stroke, Stroke) and len(stroke.keys) > 10
    last = 59 / 24
    dx, dy = shift_at(stroke, last)
    assert (dx, dy) == pytest.approx((59 * 2 / 320, 0), abs=0.02)  # the square moves 2 px a frame

    editor._go(59)
    overlay.setFocus()
    QTest.keyClick(overlay, Key.Key_Down)
    (stroke,) = edit_of(desk).picture.areas
    assert isinstance(stroke, Stroke)
    assert shift_at(stroke, last)[1] == pytest.approx(dy + 0.01, abs=1e-6)
    assert shift_at(stroke, 1.0)[1] == pytest.approx(0, abs=0.02)


async def test_following_can_be_stopped_and_says_when_there_is_nothing_to_follow(desk: Desk, tmp_path: Path) -> None:
    path = moving_square(tmp_path / "even.mp4", frames=48)
    ref, editor = await marking(desk, path)
    even = Stroke(change=0, radius=0.05, points=((0.5, 0.08),))
    desk.model.set_edit(ref, KeepChange(picture=PictureMarks(areas=(even,))))
    editor.marks.overlay.select(0)
    QTest.mouseClick(editor.marks.tools.follow, LEFT)
    await until(lambda: not editor.marks.following.running)
    assert "nothing in this area" in editor.marks._trouble.text() and editor.marks._trouble.isVisible()
    QTest.mouseClick(editor.marks.tools.follow, LEFT)
    QTest.mouseClick(editor.marks.tools.follow, LEFT)
    await until(lambda: not editor.marks.following.running, "it to stop")
    assert edit_of(desk).picture.areas == (even,)


async def test_the_menus_say_what_the_rest_does_and_when_an_area_counts(desk: Desk, clip: Path) -> None:
    ref, editor = await marking(desk, clip)
    key = RectangleKey(time=0, x=0.2, y=0.2, width=0.4, height=0.4)
    spans = (Span(start=1, end=2, change=0),)
    desk.model.set_edit(ref, KeepChange(picture=PictureMarks(spans=spans, areas=(Rectangle(change=0, keys=(key,)),))))
    editor._go(24)
    editor.marks.overlay.select(0)

    def choose(fill: object, text: str) -> None:
        menu = QMenu()
        fill(menu)  # type: ignore[operator]
        next(action for action in menu.actions() if action.text() == text).trigger()

    choose(editor.marks._fill_area_menu, "It counts from here on")
    choose(editor.marks._fill_area_menu, "Change it")
    (area,) = edit_of(desk).picture.areas
    assert (area.start, area.change) == (1.0, 1.0)
    choose(editor.marks._fill_clip_menu, "Sound: what is not marked is kept")
    choose(editor.marks._fill_clip_menu, "The model also looks at this clip as a reference")
    assert (edit_of(desk).sound.rest, edit_of(desk).also_reference) == (0.0, False)
    choose(editor.marks._fill_clip_menu, "Remove all marks")
    assert desk.model.shot.references[0].edit is None
    QTest.mouseClick(editor.marks.toggle, LEFT)
    assert desk.view.prompt.isVisible() and not editor.marks.overlay.isVisible()


async def test_the_last_frame_of_the_part_begins_the_next_shot(desk: Desk, media: Media) -> None:
    (ref,) = await desk.add(media.clip)
    desk.model.trim(ref, 0.0, 1.0)
    QTest.mouseClick(desk.view.tray.cards[ref].edit, LEFT)
    editor = desk.view.preview.editor
    assert editor is not None
    await until(lambda: editor.frame.image is not None)
    menu = QMenu()
    editor._fill_uses(menu)
    menu.actions()[-1].trigger()
    await until(lambda: desk.model.shot.task == "fl2va", "the shot that goes on")
    first = desk.model.shot.sent()[0]
    assert (first.kind, first.role) == ("image", "first")
    await until(lambda: first.id in desk.model.facts)
    desk.model.undo()
    assert desk.model.shot.task == "ref2va"


def moving_square(path: Path, frames: int) -> Path:
    """A textured square that moves 2 px a frame to the right over an even ground; 320 × 256."""
    import av

    rng = np.random.default_rng(1)
    square = rng.integers(40, 216, (12, 12, 3), np.uint8).repeat(4, 0).repeat(4, 1)
    with av.open(str(path), "w") as box:
        stream = box.add_stream("libx264", rate=24, options={"preset": "ultrafast", "qp": "10"})
        stream.width, stream.height, stream.pix_fmt = 320, 256, "yuv420p"
        for n in range(frames):
            image = np.full((256, 320, 3), 110, np.uint8)
            image[104:152, 40 + 2 * n : 88 + 2 * n] = square
            box.mux(stream.encode(av.VideoFrame.from_ndarray(image, format="rgb24")))
        box.mux(stream.encode(None))
    return path
