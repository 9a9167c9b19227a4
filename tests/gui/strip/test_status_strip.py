"""The status strip: one sensible button in every state, plain values in, accessible words out."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QMenu, QWidget
from pytestqt.qtbot import QtBot

from ui.widgets.act_button import Act
from ui.widgets.status_strip import StatusStrip


@pytest.fixture
def strip(qtbot: QtBot) -> StatusStrip:
    made = StatusStrip()
    qtbot.addWidget(made)
    made.resize(1280, made.sizeHint().height())
    made.show()
    return made


@pytest.mark.parametrize(
    ("act", "waiting", "text", "has_menu"),
    [
        (Act.START, 0, "Start server", False),
        (Act.START, 1, "Start server, 1 job waits", False),
        (Act.CONNECT, 3, "Connect, 3 jobs wait", False),
        (Act.CANCEL_START, 1, "Cancel", False),
        (Act.STOP, 0, "Stop server", False),
        (Act.STOP_AFTER, 0, "Stop after this render", True),
        (Act.KEEP, 0, "Keep the server running", True),
        (Act.DISCONNECT, 0, "Disconnect", False),
    ],
)
def test_the_button_says_what_it_does(
    qtbot: QtBot, strip: StatusStrip, act: Act, waiting: int, text: str, has_menu: bool
) -> None:
    strip.set_act(act, waiting)
    assert strip.act.button.text() == text
    assert strip.act.more.isVisible() is has_menu
    with qtbot.waitSignal(strip.act_chosen) as told:
        qtbot.mouseClick(strip.act.button, Qt.MouseButton.LeftButton)
    assert told.args == [act]


def test_while_it_stops_there_is_nothing_to_press(strip: StatusStrip) -> None:
    strip.set_act(Act.STOPPING)
    assert strip.act.button.text() == "Stopping…"
    assert not strip.act.button.isEnabled() and not strip.act.more.isVisible()


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
def test_the_menu_offers_to_stop_now(qtbot: QtBot, strip: StatusStrip) -> None:
    strip.set_act(Act.STOP_AFTER)
    qtbot.mouseClick(strip.act.more, Qt.MouseButton.LeftButton)
    menu = strip.act.more.findChild(QMenu)
    assert menu is not None
    assert [action.text() for action in menu.actions()] == ["Stop now…"]
    with qtbot.waitSignal(strip.act_chosen) as told:
        menu.actions()[0].trigger()
    assert told.args == [Act.STOP_NOW]
    menu.close()


def test_values_are_shown_only_when_there_are_any(strip: StatusStrip) -> None:
    assert not strip.bar.isVisible() and not strip.memory.isVisible() and not strip.disk.isVisible()
    height = strip.height()
    strip.set_job("step 27/50 · 1.9 s/step · done 14:05–14:20", 0.54)
    strip.set_memory("61 GB")
    strip.set_disk(80 << 30)
    assert strip.bar.isVisible() and strip.bar.value() == 540
    assert strip.job.text().startswith("step 27/50")
    assert (strip.memory.text(), strip.disk.text()) == ("GPU 61 GB", "80 GB free")
    strip.set_disk((5 << 30) // 2)
    assert strip.disk.text() == "2.5 GB free"
    assert strip.height() == height, "nothing jumps when a render begins"
    strip.set_job("", None)
    assert not strip.bar.isVisible()


def test_a_rehearsal_is_striped(strip: StatusStrip) -> None:
    strip.set_server("Connected to box:8000", "good", rehearsal=False)
    plain = strip.grab().toImage()
    strip.set_server("Connected to box:8000", "good", rehearsal=True)
    striped = strip.grab().toImage()
    row = range(900, 1000)
    assert len({plain.pixel(x, plain.height() // 2) for x in row}) == 1
    assert len({striped.pixel(x, striped.height() // 2) for x in row}) > 1


def test_the_chip_opens_the_server_and_says_its_state(qtbot: QtBot, strip: StatusStrip) -> None:
    strip.set_server("Rehearsal server ready", "good", rehearsal=True)
    assert strip.chip.accessibleName() == "Server: Rehearsal server ready"
    strip.chip.setFocus()
    with qtbot.waitSignal(strip.server_clicked):
        qtbot.keyClick(strip.chip, Qt.Key.Key_Space)


def test_it_fits_a_narrow_window(strip: StatusStrip) -> None:
    strip.set_server("Rehearsal server, stops after this render", "good", rehearsal=True)
    strip.set_act(Act.KEEP)
    strip.set_job("step 27/50 · 1.9 s/step · done 14:05–14:20", 0.54)
    strip.set_memory("61 GB")
    strip.set_disk(80 << 30)
    assert strip.minimumSizeHint().width() <= 640


def test_every_control_has_a_name(strip: StatusStrip) -> None:
    strip.set_server("No server", "faint", rehearsal=False)
    strip.set_act(Act.STOP_AFTER)
    for widget in strip.findChildren(QWidget):
        if widget.focusPolicy() != Qt.FocusPolicy.NoFocus and widget.isVisibleTo(strip):
            assert QAccessible.queryAccessibleInterface(widget).text(QAccessible.Text.Name), widget
