"""Timeline and curve: frames under the pointer, keys, the range's handles, both on one axis."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAccessible
from pytestqt.qtbot import QtBot

from ui.widgets.curve import Curve
from ui.widgets.frame_axis import GUTTER, FrameAxis
from ui.widgets.timeline import Timeline


@pytest.fixture
def timeline(qtbot: QtBot) -> Timeline:
    made = Timeline(gutter=GUTTER)
    qtbot.addWidget(made)
    made.resize(600, made.height())
    made.set_frames(100)
    with qtbot.waitExposed(made):
        made.show()
    return made


def test_every_frame_is_found_where_it_is_drawn() -> None:
    axis = FrameAxis(362, 56, 900)
    assert [axis.frame(axis.x(n)) for n in range(362)] == list(range(362))
    assert (axis.frame(-50), axis.frame(5000)) == (0, 361)


def test_the_grid_has_17_frames_or_multiples() -> None:
    assert list(FrameAxis(60, 0, 600).grid()) == [0, 17, 34, 51]
    assert FrameAxis(5000, 0, 600).grid().step % 17 == 0
    assert FrameAxis(5000, 0, 600).step * FrameAxis(5000, 0, 600).grid().step >= 6


def test_a_click_seeks(timeline: Timeline, qtbot: QtBot) -> None:
    with qtbot.waitSignal(timeline.sought) as heard:
        qtbot.mouseClick(timeline, Qt.MouseButton.LeftButton, pos=QPoint(round(timeline.axis().x(42)), 15))
    assert heard.args == [42]
    assert timeline.value() == 42


def test_a_programme_does_not_seek(timeline: Timeline, qtbot: QtBot) -> None:
    with qtbot.assertNotEmitted(timeline.sought):
        timeline.setValue(10)


@pytest.mark.parametrize(
    ("key", "frame"),
    [
        (Qt.Key.Key_Right, 51),
        (Qt.Key.Key_Left, 49),
        (Qt.Key.Key_PageUp, 67),
        (Qt.Key.Key_End, 99),
        (Qt.Key.Key_Home, 0),
    ],
)
def test_keys_move_by_frames_and_blocks(timeline: Timeline, qtbot: QtBot, key: Qt.Key, frame: int) -> None:
    timeline.setValue(50)
    with qtbot.waitSignal(timeline.sought) as heard:
        qtbot.keyClick(timeline, key)
    assert heard.args == [frame]


def test_a_handle_can_be_dragged_and_not_past_the_other(timeline: Timeline, qtbot: QtBot) -> None:
    timeline.set_range(20, 60)
    axis = timeline.axis()
    at = QPoint(round(axis.x(20) - axis.step / 2), 15)
    qtbot.mousePress(timeline, Qt.MouseButton.LeftButton, pos=at)
    with qtbot.waitSignal(timeline.range_changed) as heard:
        qtbot.mouseMove(timeline, QPoint(round(axis.x(30)), 15))
    assert heard.args == [30, 60]
    qtbot.mouseMove(timeline, QPoint(round(axis.x(90)), 15))
    qtbot.mouseRelease(timeline, Qt.MouseButton.LeftButton)
    assert timeline.range_ == (60, 60)


def test_a_screen_reader_hears_a_slider(timeline: Timeline) -> None:
    timeline.setAccessibleName("Frame")
    timeline.setValue(7)
    heard = QAccessible.queryAccessibleInterface(timeline)
    assert heard.role() == QAccessible.Role.Slider
    assert heard.text(QAccessible.Text.Name) == "Frame"
    assert heard.valueInterface().currentValue() == 7


def test_a_curve_lines_up_with_the_timeline_and_goes_where_it_is_clicked(timeline: Timeline, qtbot: QtBot) -> None:
    curve = Curve("MAD")
    qtbot.addWidget(curve)
    curve.resize(600, curve.height())
    curve.set_frames(100)
    assert curve.axis() == timeline.axis()
    with qtbot.waitSignal(curve.clicked) as heard:
        qtbot.mouseClick(curve, Qt.MouseButton.LeftButton, pos=QPoint(round(curve.axis().x(33)), 10))
    assert heard.args == [33]


def test_a_curve_is_high_where_its_values_are(qtbot: QtBot) -> None:
    curve = Curve("MAD")
    qtbot.addWidget(curve)
    curve.resize(600, curve.height())
    curve.set_frames(100)
    curve.set_values(np.array([0.0] * 50 + [10.0] * 50), 0.0, 10.0)
    image = curve.grab().toImage()
    ground = image.pixelColor(image.width() - 1, 0).rgb()
    axis = curve.axis()

    def filled(frame: int) -> int:
        x = round(axis.x(frame)) + 2
        return sum(image.pixelColor(x, y).rgb() != ground for y in range(image.height()))

    assert filled(20) <= 4
    assert filled(80) > 30


def test_a_curve_grows_while_it_is_measured(qtbot: QtBot) -> None:
    curve = Curve("MAD")
    qtbot.addWidget(curve)
    curve.set_frames(100)
    curve.set_values(np.full(100, np.nan), 0.0, 1.0)
    curve.grab()
    curve.set_values(np.arange(10, dtype=float), 0.0, 10.0)
    curve.grab()
