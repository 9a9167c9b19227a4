"""The studio is killed while somebody types: what is lost is the last second at most."""

from __future__ import annotations

import itertools
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from studio.core.children import clean_environment

TYPIST = """
import asyncio, sys, time
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from studio.core.notices import Notices
from studio.settings import SettingsStore
from ui.loop import EventLoop
from ui.studio import Studio

async def type_on():
    studio = Studio(SettingsStore(), Notices())
    await studio.start(None, with_server=False)
    studio.compose.type_prompt("the first shot")
    studio.compose.new()
    editor = studio.compose_page.prompt.editor
    n = 0
    while True:
        QTest.keyClicks(editor, f"{n} ")
        print(n, time.time(), flush=True)
        n += 1
        await asyncio.sleep(0.02)

app = QApplication([])
loop = EventLoop(app)
asyncio.set_event_loop(loop)
loop.run_until_complete(type_on())
"""


def test_a_kill_while_typing_loses_the_last_second_at_most(own_home: Path) -> None:
    env = clean_environment({"QT_QPA_PLATFORM": "offscreen"}) | {"HOME": str(own_home)}
    typed: list[float] = []
    with subprocess.Popen([sys.executable, "-c", TYPIST], env=env, stdout=subprocess.PIPE, text=True) as typist:
        assert typist.stdout is not None
        while len(typed) < 2 or typed[-1] - typed[0] < 2.5:
            typed.append(float(typist.stdout.readline().split()[1]))
        killed = time.time()
        os.kill(typist.pid, signal.SIGKILL)
        typed += [float(line.split()[1]) for line in typist.stdout.read().splitlines()]
    (draft,) = (own_home / ".local" / "share" / "h3studio" / "drafts").glob("*.json")
    first, second = (entry["shot"]["prompt"] for entry in json.loads(draft.read_bytes())["shots"])
    assert first == "the first shot"
    kept = second.split()
    assert kept == [str(n) for n in range(len(kept))]
    lost = killed - typed[len(kept) - 1]
    stalled = max(later - earlier for earlier, later in itertools.pairwise(typed))  # the machine's, not the program's
    assert lost <= 1.0 + stalled, f"{len(typed) - len(kept)} words of {lost:.2f} s are lost"
