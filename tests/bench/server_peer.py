"""A real vLLM-Omni without weights as a profile's command: started, rendered with, and stopped in the window, by hand.

    python -m tests.bench.server_peer PYTHON real_server.py [FOLDER]

PYTHON is an interpreter that has vLLM-Omni, real_server.py a launcher that stubs the weights. The window is the real
one, used through its visible controls; pictures of each stage go to FOLDER.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
import time
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ["QT_API"] = os.environ["PYQTGRAPH_QT_LIB"] = "pyside6"

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from studio.core.notices import Notices
from studio.core.words import tr
from studio.jobs import JobState
from studio.server import Profile, ServerState, profiles
from studio.settings import SettingsStore
from ui.hand import Hand
from ui.loop import EventLoop
from ui.studio import Studio
from ui.theme import palette

STEPS = 6
PROFILE = "without-weights"


async def run(python: Path, launcher: Path, folder: Path) -> None:
    program = (str(python), str(launcher), "--port", "{port}", "--step-seconds", "0.5", "--storage-path", "{storage}")
    profiles.save(Profile(id=PROFILE, title="MiniMax-H3 without weights", program=program, port_default=8117))
    notices = Notices()
    studio = Studio(SettingsStore(), notices)
    hand = Hand(studio.window, notices)
    await studio.start(None, with_server=False)
    try:
        await _start(studio, hand, folder)
        await _render(studio, hand, folder)
        await _stop(studio, hand, folder)
    except BaseException:
        await hand.shoot(folder / "failed.png")
        raise
    finally:
        await studio.manager.stop()
        await studio.aclose()


async def _start(studio: Studio, hand: Hand, folder: Path) -> None:
    hand.click(tr("Server"))
    await hand.until(lambda: len(studio.server.launches.profiles) > 1, "the profiles")
    await studio.settled()
    hand.key(tr("Launch profiles"), Qt.Key.Key_Home)  # the user's own come first
    hand.key(tr("Launch profiles"), Qt.Key.Key_Return)
    await hand.until(lambda: studio.server.kind == "profile", "the profile to be chosen")
    hand.click(tr("Start server"))
    await hand.until(lambda: hand.there(tr("Start")), "what it would run")
    began = time.monotonic()
    hand.click(tr("Start"))
    studio.window.activateWindow()  # as a window manager does when a dialog closes
    await hand.until(lambda: studio.manager.status.progress is not None, "its first phase", within=180)
    await hand.shoot(folder / "1-starting.png")
    await hand.until(lambda: studio.manager.status.state is ServerState.READY, "it to be ready", within=240)
    print(f"ready after {time.monotonic() - began:.0f} s: {studio.manager.status.model}")
    await hand.shoot(folder / "2-ready.png")


async def _render(studio: Studio, hand: Hand, folder: Path) -> None:
    hand.click(tr("Compose"))
    hand.click(f"{tr('Task')}: {tr('Text only')}")
    hand.write(tr("Prompt"), "A red kite over the sea.")
    hand.write(tr("Steps"), str(STEPS), replace=True)
    await hand.until(lambda: studio.compose.shot.steps == STEPS, "the steps to be taken")
    began = time.monotonic()
    hand.click(tr("Render"))
    await hand.until(lambda: bool(studio.queue.jobs.jobs), "the job in the queue")
    job_id = studio.queue.jobs.jobs[0].id
    steps: set[int] = set()

    def ended() -> bool:
        job = studio.queue.jobs.get(job_id)
        assert job is not None
        if job.progress.step:
            steps.add(job.progress.step)
        return job.state.finished

    await hand.until(lambda: ended() or len(steps) > 2, "denoise steps", within=120)
    await hand.shoot(folder / "3-rendering.png")
    await hand.until(ended, "the end of the render", within=240)
    job = studio.queue.jobs.get(job_id)
    assert job is not None and job.state is JobState.DONE, job
    print(f"rendered in {time.monotonic() - began:.0f} s, steps seen: {sorted(steps)}, verified: {job.verified}")


async def _stop(studio: Studio, hand: Hand, folder: Path) -> None:
    hand.click(tr("Server"))
    await studio.settled()
    await hand.shoot(folder / "4-rendered.png")
    record = studio.manager.status.record
    assert record is not None
    began = time.monotonic()
    hand.click(tr("Stop server"))
    await hand.until(lambda: studio.manager.status.state is ServerState.STOPPED, "it to be stopped", within=120)
    assert not record.process.alive()
    print(f"stopped after {time.monotonic() - began:.1f} s: {studio.server.text()}")
    await hand.shoot(folder / "5-stopped.png")


def main() -> None:
    python, launcher = (Path(word).absolute() for word in sys.argv[1:3])
    folder = Path(sys.argv[3] if len(sys.argv) > 3 else "server-peer").absolute()
    with tempfile.TemporaryDirectory() as own:
        names = ("DATA_HOME", "CONFIG_HOME", "CACHE_HOME", "VIDEOS_DIR")
        os.environ |= {f"XDG_{name}": f"{own}/{name.lower()}" for name in names}
        app = QApplication(sys.argv[:1])
        palette.apply(app, "dark")
        with EventLoop(app) as loop:
            asyncio.set_event_loop(loop)
            loop.run_until_complete(run(python, launcher, folder))


if __name__ == "__main__":
    main()
