"""The session that `make run` shows where there is no display: from a dropped clip to a compared render, by hand.

It uses the real window as a person would (drop events with mime data, clicks on visible controls found by their
accessible names) and fails where a person could not go on.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QLineEdit

from studio.core.words import tr
from studio.jobs import Job, JobState
from studio.media.samples import demo_clip
from studio.server import ServerState
from ui.hand import CannotUse, Hand

if TYPE_CHECKING:
    from ui.studio import Studio

PROMPT = "Turn <Video 1> into a snowy winter night; keep every movement as it is."
MEND = "Trim to 345 frames*"
STEPS = 12


async def run_session(studio: Studio, folder: Path) -> int:
    """From a dropped clip to a compared render, by hand. Says what was written; 1 when it could not go on."""
    hand = Hand(studio.window, studio.notices)
    try:
        await hand.until(lambda: studio.manager.status.state is ServerState.READY, "the rehearsal server")
        await hand.shoot(folder / "1-compose-empty.png")
        await _drop_and_mend(studio, hand, folder)
        job = await _render(studio, hand, folder)
        sheet = await _compare(studio, hand, folder)
        await _stop(studio, hand, folder)
    except CannotUse as error:
        await hand.shoot(folder / "failed.png")
        print(f"The session could not go on: {error}", file=sys.stderr, flush=True)
        return 1
    print(f"video        {job.video}\nrecipe       {job.sidecar}\ncomparison   {sheet}")
    print(f"screenshots  {folder}{os.sep}*.png")
    return 0


async def _drop_and_mend(studio: Studio, hand: Hand, folder: Path) -> None:
    clip = folder / "phone-clip.mp4"
    print("making a clip as a phone writes it: 1080p60, 15.08 s, turned by its metadata", flush=True)
    await studio.workers.run(demo_clip, clip, timeout=600)
    print("dropping it into the window", flush=True)
    hand.drop(tr("Add files…"), [clip])
    await hand.until(lambda: hand.there(MEND), "the finding about its length, with its mend")
    await studio.settled()
    await hand.shoot(folder / "2-compose-too-long.png")
    hand.click(MEND)
    await hand.until(lambda: not hand.there(MEND), "the finding to go")
    hand.write(tr("Prompt"), PROMPT)
    hand.write(tr("Steps"), str(STEPS), replace=True)
    await hand.until(lambda: studio.compose.shot.steps == STEPS, "the steps to be taken")
    await studio.settled()
    if studio.compose.errors:
        raise CannotUse(studio.compose.errors[0].message.text())
    await hand.shoot(folder / "3-compose-ready.png")


async def _render(studio: Studio, hand: Hand, folder: Path) -> Job:
    print("rendering", flush=True)
    hand.click(tr("Render"))
    await hand.until(lambda: bool(studio.queue.jobs.jobs), "the job in the queue")
    job_id = studio.queue.jobs.jobs[0].id

    def job() -> Job:
        found = studio.queue.jobs.get(job_id)
        assert found is not None
        return found

    await hand.until(lambda: (job().progress.step or 0) > 4 or job().state.finished, "denoise steps", within=300)
    await hand.shoot(folder / "4-queue-running.png")
    await hand.until(lambda: job().state.finished, "the end of the render", within=600)
    if job().state is not JobState.DONE:
        raise CannotUse(f"the render {job().state}: {job().fault.text() if job().fault else ''}")  # type: ignore[union-attr]
    return job()


async def _compare(studio: Studio, hand: Hand, folder: Path) -> Path:
    print("comparing it with its source", flush=True)
    await hand.until(lambda: studio.window.workspace == "go.compare", "the result to open")
    await hand.until(lambda: studio.compare.pair is not None, "both clips", within=120)
    await hand.until(lambda: studio.compare.comparison is not None, "the measures", within=600)
    for _ in range(3):
        hand.key("Picture A*", Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    await studio.settled()
    await hand.shoot(folder / "5-compare-side.png")
    hand.key("Picture A*", Qt.Key.Key_3)
    await studio.settled()
    await hand.shoot(folder / "6-compare-difference.png")
    sheet = folder / "contact-sheet.png"
    hand.click(tr("Export…"))
    hand.choose(tr("Contact sheet…"))
    await hand.until(lambda: hand.window.findChild(QFileDialog) is not None, "the export dialog")
    dialog = hand.window.findChild(QFileDialog)
    field = dialog.findChild(QLineEdit, "fileNameEdit") if dialog else None
    if dialog is None or field is None:
        raise CannotUse("the export dialog has no field for the name")
    field.setText(str(sheet))
    dialog.accept()
    await hand.until(sheet.exists, "the contact sheet", within=180)
    return sheet


async def _stop(studio: Studio, hand: Hand, folder: Path) -> None:
    hand.click(tr("Server"))
    await studio.settled()
    await hand.shoot(folder / "7-server.png")
    hand.click(tr("Stop server"))
    await hand.until(lambda: studio.manager.status.state is ServerState.STOPPED, "the server to stop")
