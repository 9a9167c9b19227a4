"""The window is closed while something runs: a clean end, and nothing is forgotten."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from studio.core.children import clean_environment
from studio.jobs import JobStore
from tests.helpers.media_factory import clicks, write_clip

CLOSER = """
import asyncio, sys
from pathlib import Path
from PySide6.QtWidgets import QApplication
from studio.contract import Canvas, Shot
from studio.core.notices import Notices
from studio.server import ServerState
from studio.settings import SettingsStore
from ui.loop import EventLoop
from ui.studio import Studio

async def until(condition):
    while not condition():
        await asyncio.sleep(0.01)

async def close_while(what, clip):
    settings = SettingsStore()
    settings.update(closing="now")
    studio = Studio(settings, Notices())
    ended = asyncio.Event()
    studio.ended.connect(ended.set)
    await studio.start(None, with_server=what == "rendering")
    studio.compose.type_prompt("what was typed")
    if what == "probing":
        studio.compose.add_paths([clip])
        await until(lambda: studio.compose.pending)
    else:
        await until(lambda: studio.manager.status.state is ServerState.READY)
        shot = Shot(task="t2va", prompt="a kite", frames=107, canvas=Canvas(width=256, height=256), follow=(), steps=40)
        studio.compose.render_requested.emit(shot)
        await until(lambda: studio.queue.jobs.jobs and studio.queue.jobs.jobs[0].progress.step)
    studio.window.close()
    await ended.wait()
    await studio.aclose()

app = QApplication([])
loop = EventLoop(app)
asyncio.set_event_loop(loop)
with loop:
    loop.run_until_complete(close_while(sys.argv[1], Path(sys.argv[2])))
"""


@pytest.mark.parametrize("what", ["probing", "rendering"])
def test_closing_while_it_works_ends_cleanly(what: str, own_home: Path, tmp_path: Path) -> None:
    clip = write_clip(tmp_path / "clip.mp4", frames=362, sound=clicks(362 / 24))
    env = clean_environment({"QT_QPA_PLATFORM": "offscreen"}) | {"HOME": str(own_home)}
    done = subprocess.run([sys.executable, "-c", CLOSER, what, str(clip)], env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "destroyed" not in done.stderr.lower() and "Traceback" not in done.stderr, done.stderr
    (draft,) = (own_home / ".local" / "share" / "h3studio" / "drafts").glob("*.json")
    assert json.loads(draft.read_bytes())["shots"][0]["shot"]["prompt"] == "what was typed"
    store = JobStore()
    assert len(store.all()) == (what == "rendering")
    store.close()
