"""What every test gets: its own HOME, no leftovers, the Qt loop for tests marked `gui`."""

from __future__ import annotations

import asyncio
import gc
import os
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ["QT_API"] = os.environ["PYTEST_QT_API"] = "pyside6"
os.environ["PYQTGRAPH_QT_LIB"] = "PySide6"
os.environ["PYTHON_KEYRING_BACKEND"] = "keyring.backends.fail.Keyring"

import psutil
import pytest
import pytest_asyncio
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from studio.media.workers import Workers

# How long an example takes says how busy the machine is, not whether the code is right.
settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")


def _needs_qt(item: pytest.Item) -> bool:
    # The loop is chosen while tests are collected, before markers that are added later could be seen.
    return "tests/gui/" in item.nodeid or item.get_closest_marker("gui") is not None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if _needs_qt(item):
            item.add_marker("gui")


def pytest_runtest_setup(item: pytest.Item) -> None:
    if _needs_qt(item):
        gc.disable()  # the tick collects, as in the program
    elif not gc.isenabled():
        gc.collect()
        gc.enable()


def _qt_loop() -> asyncio.AbstractEventLoop:
    from PySide6.QtCore import QTimer
    from PySide6.QtWidgets import QApplication

    from ui.garbage import collect_due
    from ui.loop import EventLoop

    app = QApplication.instance() or QApplication([])
    # Python looks at signals between bytecodes: without a tick, a time-out would never end a test that waits in Qt.
    if app.findChild(QTimer, "tick") is None:
        tick = QTimer(app, objectName="tick", interval=500)
        tick.timeout.connect(collect_due)
        tick.start()
    return EventLoop(app)


def pytest_asyncio_loop_factories(
    config: pytest.Config, item: pytest.Item
) -> Mapping[str, Callable[[], asyncio.AbstractEventLoop]]:
    if _needs_qt(item):
        return {"qt": _qt_loop}
    return {"asyncio": asyncio.new_event_loop}


def pytest_sessionfinish() -> None:
    """What a test copied must not outlive the interpreter: Qt would crash at taking it apart."""
    gui = sys.modules.get("PySide6.QtGui")
    if gui is not None and gui.QGuiApplication.instance() is not None:
        gui.QGuiApplication.clipboard().clear()


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A HOME of this test's own: nothing of the user's is read or written."""
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    for name, folder in {
        "XDG_DATA_HOME": ".local/share",
        "XDG_CONFIG_HOME": ".config",
        "XDG_CACHE_HOME": ".cache",
        "XDG_VIDEOS_DIR": "Videos",
    }.items():
        monkeypatch.setenv(name, str(home / folder))
    return home


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    """Sentences are asserted in English unless a test switches."""
    from studio.core import words

    words.set_language("en")
    yield
    words.set_language("en")


@pytest_asyncio.fixture
async def workers() -> AsyncIterator[Workers]:
    """Worker processes that are gone when the test is."""
    from studio.media.workers import Workers

    made = Workers()
    yield made
    await made.aclose()


@pytest.fixture
def no_children_left() -> Iterator[None]:
    """Fails a test that leaves child processes behind (those two apart that multiprocessing keeps for the program)."""

    me = os.getpid()

    def counts(process: psutil.Process) -> bool:
        try:
            kept = ("resource_tracker", "forkserver") if process.ppid() == me else ("resource_tracker",)
            return not any(name in " ".join(process.cmdline()) for name in kept)
        except (psutil.ZombieProcess, psutil.NoSuchProcess):
            return False

    def children() -> set[psutil.Process]:
        return set(filter(counts, psutil.Process().children(recursive=True)))

    before = children()
    yield
    _, left = psutil.wait_procs(children() - before, timeout=20)
    assert not left, f"left behind: {[p.cmdline() for p in left]}"
