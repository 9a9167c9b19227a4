"""The window's start: what it may not bring along, what it shows, and that all else is there soon after."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator

import pytest
import shiboken6
from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication, QWidget

from studio.core.notices import Notices
from studio.settings import SettingsStore
from tests.helpers import layout
from tests.helpers.waiting import until
from tests.helpers.window import a_window
from ui.hand import Hand, accessible_name
from ui.studio import Studio

pytestmark = pytest.mark.timeout(300)  # a whole window on a busy machine

TOO_HEAVY = (
    *("av", "cv2", "httpx", "huggingface_hub", "keyring", "multiprocessing", "numpy", "pebble", "PIL", "psutil"),
    *("pyqtgraph", "sqlite3", "wakepy", "PySide6.QtMultimedia", "studio.server", "studio.telemetry", "studio.compare"),
    *("studio.jobs.service", "ui.queue", "ui.compare.view", "ui.library", "ui.server", "ui.settings"),
)
FIRST_PAINT = """
import json, os, sys
from ui import startup
startup.prepare()
import ui.app
from ui.studio import Studio

async def start(self, shot, *, with_server):
    self.window.show()
    await self.window.painted()
    page = self.compose_page if self.settings.present.welcomed else self._first.page
    plug_ins = "PYDANTIC_DISABLE_PLUGINS" in os.environ
    print(json.dumps({"shown": page.isVisible(), "modules": sorted(sys.modules), "plug-ins": plug_ins}))
    self.ended.emit()

Studio.start = start
sys.exit(ui.app.main([]))
"""


@pytest.mark.parametrize("welcomed", [True, False])
def test_the_first_paint_needs_neither_decoders_nor_plots_nor_servers(welcomed: bool) -> None:
    SettingsStore().update(welcomed=welcomed)
    env = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    done = subprocess.run([sys.executable, "-c", FIRST_PAINT], env=env, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["shown"] and "ui.compose.view" in found["modules"]
    assert not set(TOO_HEAVY) & set(found["modules"])
    assert not found["plug-ins"]  # what is set for the start alone must not reach a server that is started later


COPY_AND_LEAVE = """
import sys
import ui.app
from ui.studio import Studio

async def start(self, shot, *, with_server):
    self.window.show()
    self.compose.type_prompt("rain on a tin roof")
    self.compose_page.prompt.editor.selectAll()
    self.compose_page.prompt.editor.copy()
    self.ended.emit()

Studio.start = start
sys.exit(ui.app.main([]))
"""


@pytest.mark.parametrize("code", [COPY_AND_LEAVE, COPY_AND_LEAVE.replace(".copy()", ".clearFocus()")])
def test_what_was_copied_does_not_crash_the_way_out(code: str) -> None:
    SettingsStore().update(welcomed=True)
    env = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr


class Strays(QObject):
    """Notes every window that is shown beside the real one."""

    def __init__(self, app: QApplication) -> None:
        super().__init__()
        self.seen: list[str] = []
        self._app = app
        app.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        shown = event.type() is QEvent.Type.Show and isinstance(watched, QWidget) and watched.isWindow()
        if shown and type(watched).__name__ != "MainWindow":
            self.seen.append(f"{type(watched).__name__} {accessible_name(watched)}")  # type: ignore[arg-type]
        return super().eventFilter(watched, event)

    def close(self) -> None:
        self._app.removeEventFilter(self)


@pytest.fixture
def strays(qapp: QApplication) -> Iterator[Strays]:
    watching = Strays(qapp)
    yield watching
    watching.close()


async def test_one_window_opens_and_keeps_the_keyboard(strays: Strays) -> None:
    """A part that is shown before it has a place would be a window of its own, which blinks and takes the focus."""
    async with a_window() as studio:
        for action in studio.window.actions_shown:
            studio.window.go(action)
        studio.window.go("go.compose")
        assert not strays.seen
        await until(studio.window.isActiveWindow, "the window to be active")
        Hand(studio.window).click("Prompt")
        assert QApplication.focusWidget() is studio.compose_page.prompt.editor


async def test_tab_comes_to_the_strip_last_in_every_workspace() -> None:
    async with a_window() as studio:
        await until(studio.window.isActiveWindow, "the window to be active")
        for action in studio.window.actions_shown:
            studio.window.go(action)
            names = [accessible_name(w) for w in layout.tab_stops(layout.focusable(studio.window)[0])]
            strip = [w for w in layout.focusable(studio.window) if studio.strip.isAncestorOf(w)]
            rail = names.index("Compose")
            names = names[rail:] + names[:rail]
            assert names[-len(strip) :] == [accessible_name(w) for w in strip], action


async def test_what_is_asked_for_before_the_rest_is_made_is_not_lost() -> None:
    """In the first second: another workspace, and a render."""
    studio = Studio(SettingsStore(), Notices())
    try:
        studio.window.show()
        studio.compose.set_task("t2va")
        studio.compose.type_prompt("rain on a tin roof")
        hand = Hand(studio.window)
        hand.click("Queue")
        assert studio.window.workspace == "go.queue" and hand.there("Compose a shot")
        studio.compose.request_render()
        await until(lambda: studio.queue.jobs.jobs, "the job")
        (job,) = studio.queue.jobs.jobs
        assert job.shot.prompt == "rain on a tin roof"
        await studio.start(None, with_server=False)
        await until(lambda: [j.id for j in studio.queue.jobs.jobs] == [job.id], "the queue as it is stored")
    finally:
        await studio.aclose()


async def test_python_ties_no_widget_to_one_that_it_does_not_lie_in() -> None:
    """PySide takes what some calls give (neighbours in the way of Tab) for a child of the widget that was asked.

    When that one ends, or Python collects its garbage, such a child is deleted: half of a window may go.
    """
    async with a_window() as studio:
        for action in studio.window.actions_shown:
            studio.window.go(action)
        owners = {widget: _owner(widget) for widget in QApplication.allWidgets()}
        widgets = set(map(id, owners))  # layouts and groups may be owners, too
        tied = {widget: owner for widget, owner in owners.items() if owner in widgets}
        assert len(tied) > 200
        assert not [widget for widget, owner in tied.items() if owner not in map(id, _around(widget))]


def _owner(widget: QWidget) -> int | None:
    found = re.search(r"^parent\.+ .* at (0x[0-9a-f]+)>$", shiboken6.dump(widget), re.MULTILINE)
    return None if found is None else int(found[1], 16)


def _around(widget: QWidget) -> Iterator[QWidget]:
    while (outer := widget.parentWidget()) is not None:
        yield outer
        widget = outer
