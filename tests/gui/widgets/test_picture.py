"""The picture view: exact pixels, zoom at the pointer, pan, probe, nearest pixels when enlarged."""

import gc
import weakref

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, QSizeF, Qt
from PySide6.QtGui import QColor, QWheelEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from ui.widgets.picture import PictureView, Viewpoint, as_qimage


def colours(width: int = 64, height: int = 48) -> np.ndarray:
    """BGRA; blue is the column, green the row, red 200."""
    y, x = np.mgrid[:height, :width]
    return np.stack([x * 2, y * 2, np.full_like(x, 200), np.full_like(x, 255)], -1).astype(np.uint8)


@pytest.fixture
def view(qtbot: QtBot) -> PictureView:
    made = PictureView()
    qtbot.addWidget(made)
    made.resize(256, 192)
    made.show_frame(colours())
    with qtbot.waitExposed(made):
        made.show()
    return made


def wheel(view: PictureView, at: QPoint, turns: int) -> None:
    event = QWheelEvent(
        QPointF(at),
        QPointF(view.mapToGlobal(at)),
        QPoint(),
        QPoint(0, 120 * turns),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(view, event)


def test_the_image_is_the_array_itself_and_lets_it_go() -> None:
    frame = colours()
    image = as_qimage(frame)
    frame[3, 5] = (1, 2, 3, 255)
    assert image.pixelColor(5, 3) == QColor(3, 2, 1)
    gone = weakref.ref(frame)
    del frame, image
    gc.collect()
    assert gone() is None


@pytest.mark.parametrize(
    "frame", [np.zeros((4, 4, 3), np.uint8), np.zeros((4, 4, 4), np.uint16), np.zeros((4, 8, 4), np.uint8)[:, ::2]]
)
def test_another_layout_is_refused(frame: np.ndarray) -> None:
    with pytest.raises(ValueError, match="BGRA"):
        as_qimage(frame)


def test_at_100_percent_every_pixel_is_itself(view: PictureView) -> None:
    view.set_viewpoint(Viewpoint(zoom=1.0))
    rect = view.picture_rect().toRect()
    grabbed = view.grab().toImage()
    for x, y in ((0, 0), (63, 47), (20, 30)):
        assert grabbed.pixelColor(rect.x() + x, rect.y() + y) == QColor(200, y * 2, x * 2)


def test_fit_fills_the_view_and_enlarged_pixels_stay_square(view: PictureView) -> None:
    assert view.zoom == pytest.approx(4.0)
    grabbed = view.grab().toImage()
    block = {grabbed.pixelColor(40 + i, 80 + j).rgb() for i in range(4) for j in range(4)}
    assert block == {QColor(200, 40, 20).rgb()}


def test_the_wheel_keeps_what_is_under_the_pointer(view: PictureView, qtbot: QtBot) -> None:
    at = QPoint(70, 110)
    before = view.pixel_at(QPointF(at))
    with qtbot.waitSignal(view.viewpoint_changed):
        wheel(view, at, 3)
    assert view.zoom == pytest.approx(4.0 * 1.25**3)
    assert view.pixel_at(QPointF(at)) == before


def test_dragging_pans_and_stops_at_the_edge(view: PictureView, qtbot: QtBot) -> None:
    view.set_viewpoint(Viewpoint(zoom=8.0))
    left = view.picture_rect().x()
    qtbot.mousePress(view, Qt.MouseButton.LeftButton, pos=QPoint(100, 100))
    qtbot.mouseMove(view, QPoint(130, 100))
    assert view.picture_rect().x() == pytest.approx(left + 30)
    qtbot.mouseMove(view, QPoint(1000, 100))
    assert view.picture_rect().x() == 0
    qtbot.mouseRelease(view, Qt.MouseButton.LeftButton)


def test_a_double_click_goes_to_100_percent_and_back(view: PictureView, qtbot: QtBot) -> None:
    qtbot.mouseDClick(view, Qt.MouseButton.LeftButton, pos=QPoint(10, 10))
    assert view.zoom == 1.0
    qtbot.mouseDClick(view, Qt.MouseButton.LeftButton, pos=QPoint(10, 10))
    assert view.viewpoint == Viewpoint()


def test_the_probe_names_the_pixel(view: PictureView, qtbot: QtBot) -> None:
    qtbot.mouseMove(view, QPoint(1, 1))  # a pointer that is there already does not move
    with qtbot.waitSignal(view.probed) as heard:
        qtbot.mouseMove(view, QPoint(4 * 20 + 1, 4 * 30 + 3))
    assert heard.args == [20, 30]


def test_another_resolution_keeps_in_step(view: PictureView) -> None:
    """A picture of half the size that counts as the same is shown at the same place."""
    rect = view.picture_rect()
    view.show_frame(colours(32, 24), view.picture_rect().size() / 4)
    assert view.picture_rect() == rect
    assert view.pixel_at(QPointF(255, 191)) == (31, 23)


def test_filling_leaves_no_room_beside_the_picture(view: PictureView) -> None:
    view.resize(256, 96)
    view.toggle_fill()
    assert view.viewpoint == Viewpoint("fill")
    assert view.picture_rect().size() == QSizeF(256, 192)
    view.pan_by(0, -1)
    assert view.picture_rect().top() == 0, "the top is seen"
    view.resize(512, 96)
    assert view.picture_rect().width() == 512, "still filled in another size"
    view.toggle_fill()
    assert view.viewpoint == Viewpoint()


def test_keys_zoom_by_powers_of_two_around_the_middle(view: PictureView) -> None:
    view.set_viewpoint(Viewpoint(0.7))
    seen = []
    for _ in range(7):
        view.step_zoom(1)
        seen.append(view.zoom)
    assert seen == [1, 2, 4, 8, 16, 32, 32]
    assert view.pixel_at(QPointF(128, 96)) == (32, 24)
    view.step_zoom(-1)
    assert view.zoom == 16
