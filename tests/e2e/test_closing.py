"""The window is closed while something runs: a clean end, and nothing is forgotten."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from studio.core.children import clean_environment
from studio.jobs import JobStore
from tests.helpers.media_factory import clicks, write_clip

pytestmark = pytest.mark.timeout(300)  # a whole window, and programs beside it, on a busy machine

CLOSER = """
import asyncio, os, signal, sys
from pathlib import Path
from PySide6.QtWidgets import QApplication
from studio.contract import Canvas, Reference, Shot
from studio.core.notices import Notices
from studio.server import ServerState
from studio.settings import SettingsStore
from ui.loop import EventLoop
from ui.studio import Studio

async def until(condition):
    while not condition():
        await asyncio.sleep(0.01)

async def comes_to(studio, state, stop):
    reached = asyncio.Event()
    def look(job):
        if job.state == state and not reached.is_set():
            reached.set()
            if stop:  # nothing answers from here on: the wire is in the middle of it
                os.kill(studio.manager.status.record.pid, signal.SIGSTOP)
    studio.jobs.changed.subscribe(look)
    await reached.wait()

async def close_while(what, clip):
    settings = SettingsStore()
    settings.update(closing="keep" if what in ("uploading", "downloading") else "now")
    studio = Studio(settings, Notices())
    ended = asyncio.Event()
    studio.ended.connect(ended.set)
    await studio.start(None, with_server=what != "probing")
    studio.compose.type_prompt("what was typed")
    if what == "probing":
        studio.compose.add_paths([clip])
        await until(lambda: studio.compose.pending)
    else:
        await until(lambda: studio.manager.status.state is ServerState.READY)
        print(studio.manager.status.record.pid, flush=True)
        shot = Shot(task="t2va", prompt="a kite", frames=107, canvas=Canvas(width=256, height=256), follow=(), steps=4)
        if what == "preparing":
            clip = Reference(id="r1", path=clip, kind="video")
            shot = shot.but(task="ref2va", prompt="@{r1}", references=(clip,))
        elif what == "rendering":
            shot = shot.but(steps=40)
        studio.compose.render_requested.emit(shot)
        if what == "rendering":
            await until(lambda: studio.queue.jobs.jobs and studio.queue.jobs.jobs[0].progress.step)
        else:
            await comes_to(studio, what, stop=what != "preparing")
    studio.window.close()
    await ended.wait()
    await studio.aclose()

app = QApplication([])
loop = EventLoop(app)
asyncio.set_event_loop(loop)
with loop:
    loop.run_until_complete(close_while(sys.argv[1], Path(sys.argv[2])))
"""


@pytest.mark.parametrize("what", ["probing", "preparing", "uploading", "rendering", "downloading"])
def test_closing_while_it_works_ends_cleanly(what: str, own_home: Path, tmp_path: Path) -> None:
    clip = tmp_path / "clip.mp4"
    if what in ("probing", "preparing"):
        write_clip(clip, frames=240, fps=60, sound=clicks(4.0))
    env = clean_environment({"QT_QPA_PLATFORM": "offscreen"}) | {"HOME": str(own_home)}
    done = subprocess.run([sys.executable, "-c", CLOSER, what, str(clip)], env=env, capture_output=True, text=True)
    servers = [psutil.Process(int(pid)) for pid in done.stdout.split() if psutil.pid_exists(int(pid))]
    for server in servers:
        server.kill()
    assert done.returncode == 0, done.stderr
    assert "destroyed" not in done.stderr.lower() and "Traceback" not in done.stderr, done.stderr
    assert bool(servers) == (what in ("uploading", "downloading")), "a server is kept with its render, else ended"
    (draft,) = (own_home / ".local" / "share" / "h3studio" / "drafts").glob("*.json")
    assert json.loads(draft.read_bytes())["shots"][0]["shot"]["prompt"] == "what was typed"
    store = JobStore()
    jobs = store.all()
    store.close()
    ended = {"preparing": True, "rendering": True, "uploading": False, "downloading": False}
    assert [job.state.finished for job in jobs] == ([ended[what]] if what in ended else [])
