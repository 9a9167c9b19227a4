"""What Python finds to be garbage ends on Qt's thread, whoever makes it."""

from __future__ import annotations

import gc
import threading

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from ui.garbage import GarbageTimer


class Cycle:
    """Only the collector can end it; it tells on which thread."""

    def __init__(self, ended_on: list[int]) -> None:
        self.me, self.ended_on = self, ended_on

    def __del__(self) -> None:
        self.ended_on.append(threading.get_ident())


@pytest.fixture
def timer(qapp: QApplication) -> GarbageTimer:
    gc.enable()
    return GarbageTimer(qapp)


def test_a_busy_thread_collects_nothing_and_the_loop_does(timer: GarbageTimer, qtbot: QtBot) -> None:
    ended_on: list[int] = []
    many: list[list[int]] = []

    def work() -> None:
        Cycle(ended_on)
        many.extend([] for _ in range(20 * gc.get_threshold()[0]))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert ended_on == []
    qtbot.waitUntil(lambda: ended_on == [threading.get_ident()], timeout=20_000)
    timer.deleteLater()
