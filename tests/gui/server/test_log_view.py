"""The log: bounded, batched, searched, copied."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QAbstractItemModelTester
from pytestqt.qtbot import QtBot

from ui.server.log_model import LogModel
from ui.server.log_view import LogView

MOST = 5000


@pytest.fixture
def log(qtbot: QtBot) -> Iterator[LogView]:
    made = LogView(most=MOST, segment=100)
    qtbot.addWidget(made)
    made.resize(500, 300)
    made.show()
    yield made


def say(qtbot: QtBot, log: LogView, *lines: str) -> None:
    with qtbot.waitSignal(log.flushed):
        for line in lines:
            log.append(line)


def test_the_model_is_sound_and_bounded(qtbot: QtBot) -> None:
    model = LogModel(5, segment=1)
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    assert model.extend(["a", "b", "c"]) == 0
    assert model.extend(["d", "e", "f"]) == 1
    assert list(model.lines) == ["b", "c", "d", "e", "f"]
    assert model.extend([str(n) for n in range(100)]) == 5
    assert list(model.lines) == ["95", "96", "97", "98", "99"]
    model.clear()
    assert model.rowCount() == 0 and model.find("9", 0) is None
    tester.deleteLater()


@pytest.mark.parametrize(("start", "backward", "row"), [(-1, False, 1), (1, False, 3), (3, False, 1), (1, True, 3)])
def test_a_search_goes_round_the_end(qtbot: QtBot, start: int, backward: bool, row: int) -> None:
    model = LogModel(10)
    model.extend(["INFO a", "ERROR b", "INFO c", "an error", "INFO e"])
    assert model.find("Error", start, backward=backward) == row
    assert model.find("absent", start, backward=backward) is None


def test_lines_appear_in_order_and_the_view_follows(qtbot: QtBot, log: LogView) -> None:
    say(qtbot, log, *(f"line {n}" for n in range(200)))
    assert list(log.lines.lines) == [f"line {n}" for n in range(200)]
    bar = log.table.verticalScrollBar()
    assert bar.value() == bar.maximum() > 0
    bar.setValue(0)
    say(qtbot, log, "one more")
    assert bar.value() == 0, "who reads further up is left there"


def test_what_is_read_stays_where_it_is_when_old_lines_go(qtbot: QtBot, log: LogView) -> None:
    say(qtbot, log, *(f"line {n}" for n in range(MOST)))
    bar, height = log.table.verticalScrollBar(), log.table.verticalHeader().defaultSectionSize()
    bar.setValue(1000 * height)
    assert log.table.rowAt(1) == 1000
    say(qtbot, log, *(f"new {n}" for n in range(100)))
    assert log.lines.lines[log.table.rowAt(1)] == "line 1000"


def test_search_by_keyboard(qtbot: QtBot, log: LogView) -> None:
    say(qtbot, log, *(f"line {n}" for n in range(300)))
    log.search.setFocus()
    qtbot.keyClicks(log.search, "line 17")
    qtbot.keyClick(log.search, Qt.Key.Key_Return)
    assert log.table.currentIndex().row() == 17
    qtbot.keyClick(log.search, Qt.Key.Key_Return)
    assert log.table.currentIndex().row() == 170
    assert not log.nothing.isVisible()
    log.search.setText("nowhere")
    assert log.nothing.isVisible()


def test_copy_takes_the_selected_lines_or_all(qtbot: QtBot, log: LogView) -> None:
    say(qtbot, log, "a", "b", "c")
    log.copy_button.click()
    assert QGuiApplication.clipboard().text() == "a\nb\nc"
    log.table.selectRow(1)
    qtbot.keyClick(log.table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == "b"


def test_another_server_begins_an_empty_log(qtbot: QtBot, log: LogView) -> None:
    say(qtbot, log, "old")
    log.append("old and late")
    with qtbot.waitSignal(log.flushed):
        log.restart(["new"])
    assert list(log.lines.lines) == ["new"]


def test_a_flood_leaves_the_loop_free(qtbot: QtBot, log: LogView) -> None:
    """5,000 lines a second for two seconds: the processor time between two ticks of a timer stays under 50 ms.

    Processor time, since other programs on the machine must not decide this test.
    """
    log.search.setText("INFO")
    gaps: list[float] = []
    state = {"last": time.process_time(), "sent": 0}
    began = time.monotonic()

    def tick() -> None:
        now = time.process_time()
        gaps.append(now - state["last"])
        while state["sent"] < (time.monotonic() - began) * 5000:
            log.append(f"(DiffusionWorker pid=4242) INFO 11-29 13:09:44 [x.py:{state['sent']}] a line of usual length")
            state["sent"] += 1
        state["last"] = time.process_time()

    timer = QTimer(interval=5)
    timer.timeout.connect(tick)
    timer.start()
    qtbot.waitUntil(lambda: state["sent"] >= 10_000, timeout=20_000)
    timer.stop()
    qtbot.waitUntil(lambda: log.lines.lines[-1:] and log.lines.lines[-1].endswith("usual length"))
    assert log.lines.rowCount() <= MOST
    assert max(gaps) < 0.050
