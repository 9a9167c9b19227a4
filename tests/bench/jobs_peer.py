"""Renders through a real vLLM-Omni server without weights, with the studio killed twice and the server restarted once.

    python -m tests.bench.jobs_peer PYTHON real_server.py [--renders 20] [--seed 1]

PYTHON is an interpreter that has vllm-omni; real_server.py starts it. Gives 1 when a job did not end as it must: done
with its video there once, or lost where the server forgot it, and then done when it is submitted again.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import IO

import httpx

from studio.contract import Canvas, Shot
from studio.core import paths
from studio.core.errors import StudioError
from studio.core.notices import Notices
from studio.jobs import Job, JobService, JobState, JobStore, ManagedServers, Target, Tools
from studio.media.workers import Workers
from studio.server import RehearsalLauncher, ServerManager
from studio.settings import SettingsStore
from tests.bench.soak import files_wrong, in_home

_PORT = 8137
URL = f"http://127.0.0.1:{_PORT}"


async def studio(renders: int) -> None:
    """Put the shots in the queue unless they are there, and stay until all have ended; the lost are tried again."""
    store, workers = JobStore(), Workers()
    manager = ServerManager(RehearsalLauncher("window"))
    service = JobService(Tools(store, workers, ManagedServers(manager), SettingsStore(), notices=Notices()))
    try:
        await service.start(take_over=True)
        known = {job.name for job in await service.all()}
        for number in range(renders):
            if (name := f"render-{number}") not in known:
                await service.submit(_shot(number), Target(kind="url", url=URL), name=name)
        while any(not _settled(job) for job in await service.all()):
            for job in await service.all():
                if job.state is JobState.LOST:
                    print(f"  {job.name} was lost ({job.fault.code if job.fault else ''}): submitted again", flush=True)
                    with contextlib.suppress(StudioError):
                        await service.resume(job.id)
            await asyncio.sleep(0.3)
    finally:
        await service.aclose()
        await workers.aclose()
        await manager.aclose()


def _settled(job: Job) -> bool:
    return job.state.finished and job.state is not JobState.LOST


def _shot(number: int) -> Shot:
    canvas = Canvas(width=256, height=256)
    prompt = f"a red kite, take {number}"
    return Shot(task="t2va", prompt=prompt, frames=107, canvas=canvas, follow=frozenset(), steps=20, seed=number + 1)


def start_server(python: str, program: str, storage: Path, log: IO[bytes]) -> subprocess.Popen[bytes]:
    """Start the server and wait until it is ready."""
    words = ["--port", str(_PORT), "--step-seconds", "0.1", "--storage-path", str(storage)]
    server = subprocess.Popen([python, program, *words], stdout=log, stderr=log, start_new_session=True)
    for _ in range(1200):
        with contextlib.suppress(httpx.HTTPError):
            if httpx.get(f"{URL}/health", timeout=5, trust_env=False).status_code == 200:
                return server
        if server.poll() is not None:
            break
        time.sleep(0.1)
    raise SystemExit(f"the server did not start: see {log.name}")


def stop_server(server: subprocess.Popen[bytes], number: int = signal.SIGTERM) -> None:
    """End the server with its whole group."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(server.pid, number)
    try:
        server.wait(30)
    except subprocess.TimeoutExpired:
        os.killpg(server.pid, signal.SIGKILL)
        server.wait()


def play(args: argparse.Namespace, home: Path) -> int:
    """The whole campaign."""
    dice = random.Random(args.seed)
    storage = paths.data_dir() / "storage" / "peer"
    storage.mkdir(parents=True)
    log = (home / "server.log").open("ab")
    server = start_server(args.python, args.program, storage, log)
    events = [(what, dice.uniform(6, 15)) for what in ("studio", "server", "studio")]
    try:
        while True:
            words = ["--studio", args.python, args.program, "--renders", str(args.renders)]
            child = subprocess.Popen([sys.executable, "-m", "tests.bench.jobs_peer", *words])
            while child.poll() is None and events:
                what, after = events[0]
                with contextlib.suppress(subprocess.TimeoutExpired):
                    child.wait(after)
                    break
                del events[0]
                print(f"kill -9: {what}", flush=True)
                if what == "studio":
                    child.kill()
                else:
                    stop_server(server, signal.SIGKILL)
                    server = start_server(args.python, args.program, storage, log)
            if child.wait() == 0:
                break
    finally:
        stop_server(server)
        log.close()
    return judge(args.renders, home)


def judge(renders: int, home: Path) -> int:
    """Print what came of it."""
    store = JobStore()
    jobs = store.all()
    attempts = Counter(
        change["to"] for job in jobs for change in store.changes(job.id) if change["to"] in ("uploading", "lost")
    )
    store.close()
    wrong = files_wrong(home / "Videos", [job for job in jobs if job.state is JobState.DONE])
    ends = Counter(str(job.state) for job in jobs)
    print(f"{dict(ends)}; {attempts['uploading']} uploads, {attempts['lost']} times lost")
    for line in wrong:
        print(f"WRONG: {line}")
    return 0 if ends == {"done": renders} and not wrong else 1


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("python", help="an interpreter that has vllm-omni")
    parser.add_argument("program", help="real_server.py")
    parser.add_argument("--renders", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--studio", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.studio:
        asyncio.run(studio(args.renders))
        return 0
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder, in_home(Path(folder)):
        return play(args, Path(folder))


if __name__ == "__main__":
    sys.exit(main())
