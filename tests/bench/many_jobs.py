"""The queue with 10,000 jobs in the store: opening, scrolling to the first one, what a change of one job costs.

`python -m tests.bench.many_jobs [COUNT]` writes jobs that have ended, with three references each, into its own store.
"""

from __future__ import annotations

import asyncio
import os
import sqlite3
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path
from statistics import median

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ["QT_API"] = os.environ["PYQTGRAPH_QT_LIB"] = "pyside6"

import psutil
from PySide6.QtWidgets import QApplication

from studio.contract import Reference, Shot
from studio.core import paths
from studio.core.notices import Notices
from studio.jobs import DirectServers, Job, JobService, JobState, JobStore, Tools
from studio.jobs.body import dump
from studio.media.workers import Workers
from studio.server import RehearsalLauncher
from studio.settings import SettingsStore
from ui.loop import EventLoop
from ui.queue import QueueModel, QueueWorkspace
from ui.theme import palette

ROUNDS = 50


def write_many(count: int) -> None:
    """So many jobs that have ended, written as one."""
    JobStore().close()
    references = tuple(Reference(id=f"r{n}", path=Path(f"/media/clip-{n}.mp4"), kind="video") for n in range(3))
    rows, words = [], "a paper lantern drifts over fresh snow while the camera turns slowly around it, " * 4
    for number in range(count):
        shot = Shot(task="ref2va", prompt=f"{words}take {number}", references=references, seed=number)
        state = (JobState.DONE, JobState.FAILED, JobState.CANCELLED)[number % 3]
        timings = {"upload": 1.0, "render": 900.0}
        job = Job(id=f"j{number:05d}", created=1.7e9 + number, shot=shot, state=state, timings=timings)
        rows.append((job.id, job.created, job.created, job.state, dump(job), number))
    with closing(sqlite3.connect(paths.data_dir() / "jobs.sqlite")) as db, db:
        db.executemany("INSERT INTO job(id,created,updated,state,body,position) VALUES (?,?,?,?,?,?)", rows)


async def measure(count: int) -> None:
    """Print a line a figure."""
    write_many(count)
    workers, notices = Workers(), Notices()
    servers = DirectServers(RehearsalLauncher("bench"))
    service = JobService(Tools(JobStore(), workers, servers, SettingsStore(), notices=notices))
    before = psutil.Process().memory_info().rss
    began, worked = time.perf_counter(), time.process_time()
    await service.start(take_over=True)
    model = QueueModel(service, notices)
    view = QueueWorkspace(model)
    view.resize(1368, 860)
    view.show()
    model.load()
    await _until(lambda: model.jobs.rowCount() > 0)
    view.grab()
    said = f"{_ms(time.perf_counter() - began)} to the painted list, {_ms(time.process_time() - worked)} processor time"
    print(f"opened: {said}, {model.jobs.rowCount()} jobs read", flush=True)
    await _scroll(model, view, count)
    print(f"memory for all {count:,}: {(psutil.Process().memory_info().rss - before) >> 20} MiB more", flush=True)
    await _change(model, view)
    view.hide()
    await model.aclose()
    await service.aclose()
    await workers.aclose()


async def _scroll(model: QueueModel, view: QueueWorkspace, count: int) -> None:
    """To the first job of all, page by page."""
    began, paints, pages, worked = time.perf_counter(), [], 0, time.process_time()
    while model.jobs.rowCount() < count:
        read = model.jobs.rowCount()
        view.list.scrollToBottom()
        painted = time.thread_time()
        view.list.grab()
        paints.append(1000 * (time.thread_time() - painted))
        await _until(lambda read=read: model.jobs.rowCount() > read or not model.jobs.more_to_come)
        pages += 1
    pace = 1000 * (time.perf_counter() - began) / pages
    mine = 1000 * (time.process_time() - worked) / pages
    print(f"scrolled to the end: {pages} pages, each {pace:.0f} ms, {mine:.0f} ms of it processor time", flush=True)
    print(f"repaint while scrolling: median {median(paints):.1f} ms processor time", flush=True)


async def _change(model: QueueModel, view: QueueWorkspace) -> None:
    """What one more value of a running job costs with all of them in the list."""
    running = model.jobs.jobs[0].model_copy(update={"id": "new", "state": JobState.RUNNING, "created": time.time()})
    took, processor = [], []
    for number in range(ROUNDS):
        began, worked = time.perf_counter(), time.thread_time()
        model.jobs.put(running.model_copy(update={"updated": float(number)}))
        model.control.summary()
        view.list.viewport().grab()
        took.append(1000 * (time.perf_counter() - began))
        processor.append(1000 * (time.thread_time() - worked))
        await asyncio.sleep(0)
    said = f"median {median(took):.1f} ms, {median(processor):.1f} ms of it processor time"
    print(f"a change of one job, repaint of the list included: {said}", flush=True)


async def _until(condition: object) -> None:
    while not condition():  # type: ignore[operator]
        await asyncio.sleep(0.001)


def _ms(seconds: float) -> str:
    return f"{1000 * seconds:.0f} ms"


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    with tempfile.TemporaryDirectory() as home:
        os.environ |= {"HOME": home, "XDG_DATA_HOME": f"{home}/data", "XDG_CONFIG_HOME": f"{home}/config"}
        app = QApplication([])
        palette.apply(app, "dark")
        loop = EventLoop(app)
        asyncio.set_event_loop(loop)
        with loop:
            loop.run_until_complete(measure(count))


if __name__ == "__main__":
    main()
