"""A library that takes the program with it: the next start says so, and the log has where it was."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from studio.core import paths

pytestmark = pytest.mark.timeout(300)

RUN = """
import ctypes, sys
from ui import startup
startup.prepare()
import ui.app
from ui.studio import Studio

def read_nowhere():
    ctypes.string_at(0)

async def start(self, shot, *, with_server):
    self.window.show()
    await self.window.painted()
    print([notice.message.code for notice in self.notices.recent], self.window.notice_bar.isVisible(), flush=True)
    if "fault" in sys.argv:
        read_nowhere()
    self.ended.emit()

Studio.start = start
sys.exit(ui.app.main([]))
"""


def run(*words: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    return subprocess.run([sys.executable, "-c", RUN, *words], env=env, capture_output=True, text=True, timeout=240)


def test_a_fault_in_a_library_is_told_at_the_next_start_and_once() -> None:
    fell = run("fault")
    assert fell.returncode == -signal.SIGSEGV and fell.stdout.startswith("[] "), fell.stderr

    told = run()
    assert told.returncode == 0, told.stderr
    assert told.stdout.split("\n")[0] == "['fault.before'] True"
    log = (paths.data_dir() / "logs" / "studio.log").read_text("utf-8")
    assert "Segmentation fault" in log and "in read_nowhere" in log

    assert run().stdout.startswith("[] ")
