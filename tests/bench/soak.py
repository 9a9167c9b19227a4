"""A fault campaign: many renders on the rehearsal server while servers, wires, videos and the studio itself fail.

    python -m tests.bench.soak [--renders 200] [--seed 1] [--edge 256] [--keep DIR]

In each round one server with a drawn fault gets a few renders, studio and server are killed and the disk is full at
drawn moments. After it every job must have ended as the round's faults allow, each video must be there once and whole,
and nothing may be left behind. The same seed draws the same rounds. Gives 1 when a round was not as it must be.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Set
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import psutil

from studio.contract import Canvas, Shot
from studio.core.files import sha256
from studio.core.notices import Notices
from studio.jobs import DirectServers, Job, JobService, JobState, JobStore, Target, Tools
from studio.jobs.faults import WAY_ONLY
from studio.jobs.results import part_of
from studio.media.workers import Workers
from studio.server import RehearsalLauncher, records
from studio.settings import SettingsStore

DONE = "done"
_ROUND_LIMIT = 240.0
_PASSES = (
    *("", "reset@2", "truncated@1", "wrong_length@1", "chunked", "http=502@3", "broken_json@3", "slow_answer=1@4"),
    *("capitals", "status=preparing", "busy_delete@2", "slow_cancel=2", "silent", "no_bar"),
)
"""With these the video must come all the same."""
_FAULTS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(_PASSES, (DONE,)),
    "oom": ("job.out_of_memory",),
    "error=boom": ("job.failed_there",),
    "engine_death=engine is dead": ("job.engine_dead",),
    "disk_full": ("job.failed_there",),
    "server_death@3": ("job.lost.died",),
    "forget@2": ("job.lost.forgot",),
    "wrong_frames": ("job.wrong_frames",),
    "wrong_canvas": ("job.wrong_size",),
    "no_sound": ("job.no_sound",),
    "corrupt": ("job.damaged",),
    "content_404": ("server.file_gone",),
    "unauthorized=3": ("server.unauthorized", DONE),
}
"""What is ordered from the server, and how its jobs then end."""
_IF_SERVER_KILLED = {"job.lost.died", "job.lost.forgot", "server.unreachable", "server.start_failed", DONE}


@dataclass(frozen=True)
class Round:
    """What is drawn for one server. Times in seconds: `studio_kills` after each start of the studio, `server_kill`
    after the first, `no_room` after the first render of each start was seen to run."""

    fault: str
    seeds: tuple[int, ...]
    cancels: tuple[float | None, ...]
    studio_kills: tuple[float, ...]
    server_kill: float | None
    no_room: float | None
    step_seconds: float
    edge: int

    @property
    def allowed(self) -> set[str]:
        """How its jobs may end: *done*, *cancelled* or the code of a fault."""
        allowed = set(_FAULTS[self.fault])
        if self.server_kill is not None:
            allowed |= _IF_SERVER_KILLED
        if self.no_room is not None:
            allowed.add("disk.write")
        return allowed | ({"cancelled"} if any(self.cancels) else set())


def draw(dice: random.Random, renders: int, edge: int) -> Round:
    """One round of so many renders."""
    # The server must be seen before it is killed, and must not have ended all jobs by then.
    kill_server = dice.random() < 0.2
    fault = dice.choice(list(_FAULTS)) if dice.random() < 0.8 else ""
    # A server that is started while the disk is full would not get over it.
    full = dice.random() < 0.4 and fault in _PASSES and not kill_server
    return Round(
        fault=fault,
        seeds=tuple(dice.randrange(1, 1 << 20) for _ in range(renders)),
        cancels=tuple(dice.uniform(1, 6) if dice.random() < 0.15 else None for _ in range(renders)),
        studio_kills=tuple(dice.uniform(0.5, 7) for _ in range(dice.choice((0, 1, 1, 2, 3, 4)))),
        server_kill=dice.uniform(3, 9) if kill_server else None,
        no_room=dice.uniform(0, 2) if full else None,
        step_seconds=dice.choice((0.01, 0.05, 0.15)),
        edge=edge,
    )


# -- the studio that is killed -------------------------------------------------------------------------------------


async def studio(plan: dict[str, Any]) -> None:
    """Put the round's shots in the queue, unless they are there, and stay until all have ended."""
    faults = (plan["fault"],) if plan["fault"] else ()
    servers = DirectServers(RehearsalLauncher("cli", step_seconds=plan["step_seconds"], faults=faults))
    servers.started += [record for record in records.living() if record.url is not None][:1]
    store, workers = JobStore(), Workers()
    service = JobService(Tools(store, workers, servers, SettingsStore(), notices=Notices()))
    if plan["no_room"] is not None:
        _fill_the_disk(service, plan["no_room"])
    try:
        await service.start(take_over=True)
        known = {job.name: job for job in await service.all()}
        for number, seed in enumerate(plan["seeds"]):
            name = f"render-{number}"
            job = known.get(name) or await service.submit(_shot(seed, plan["edge"]), Target(), name=name)
            if (after := plan["cancels"][number]) is not None:
                asyncio.get_running_loop().call_later(after, lambda job=job: asyncio.ensure_future(_end(service, job)))
        while await service.tools.write(store.unfinished):
            if service.tools.lanes.paused:  # as a user would who has read why
                await service.go_on()
            await asyncio.sleep(0.2)
        await asyncio.sleep(0.3)
    finally:
        await service.aclose()
        await workers.aclose()


def _fill_the_disk(service: JobService, after: float) -> None:
    """Once a render is seen to run, let no file grow beyond 16 KiB for three seconds."""
    loop, (soft, hard) = asyncio.get_running_loop(), resource.getrlimit(resource.RLIMIT_FSIZE)
    struck: list[str] = []

    def see(job: Job) -> None:
        if job.state is JobState.RUNNING and not struck:
            struck.append(job.id)
            loop.call_later(after, resource.setrlimit, resource.RLIMIT_FSIZE, (16 << 10, hard))
            loop.call_later(after + 3, resource.setrlimit, resource.RLIMIT_FSIZE, (soft, hard))

    service.changed.subscribe(see)


async def _end(service: JobService, job: Job) -> None:
    with contextlib.suppress(Exception):  # it may have ended, or the service may be closing
        await service.cancel(job.id)


def _shot(seed: int, edge: int) -> Shot:
    canvas = Canvas(width=edge, height=edge)
    return Shot(task="t2va", prompt="a red kite", frames=107, canvas=canvas, follow=frozenset(), steps=8, seed=seed)


# -- the campaign --------------------------------------------------------------------------------------------------


def play(drawn: Round, home: Path, killed: Counter[str]) -> tuple[Counter[str], list[str]]:
    """Play one round in a home of its own, and count who was `killed`. Gives how its jobs ended, and what was not as it
    must be."""
    env = {**os.environ, **_home(home)}
    began, kills, server_killed = time.monotonic(), list(drawn.studio_kills), drawn.server_kill is None
    while True:
        argv = [sys.executable, "-m", "tests.bench.soak", "--studio", json.dumps(asdict(drawn))]
        with (home / "stderr.log").open("ab") as log:
            child = subprocess.Popen(argv, env=env, stderr=log)
        end = time.monotonic() + kills.pop(0) if kills else None
        while child.poll() is None:
            now = time.monotonic()
            if now - began > _ROUND_LIMIT:
                child.kill()
                child.wait()
                return Counter(), [f"not ended after {_ROUND_LIMIT:.0f} s: {_states(home)}"]
            if not server_killed and drawn.server_kill is not None and now - began > drawn.server_kill:
                server_killed = _kill_server(home)
                killed["server"] += server_killed
            if end is not None and now > end:
                child.send_signal(signal.SIGKILL)
            time.sleep(0.05)
        if child.wait() == 0:
            break
        killed["studio"] += child.returncode == -signal.SIGKILL
        if child.returncode != -signal.SIGKILL:
            return Counter(), [f"the studio ended with {child.returncode}: {(home / 'stderr.log').read_text()[-600:]}"]
    return judge(drawn, home)


def judge(drawn: Round, home: Path) -> tuple[Counter[str], list[str]]:
    """What came of a round."""
    wrong: list[str] = []
    with in_home(home):
        store = JobStore()
        jobs = store.all()
        store.close()
        left = records.living()
        if left:
            wrong += _orphans_on_server(left[0].url or "", {job.remote_id for job in jobs})
        asyncio.run(_stop(left))
    ends = Counter(DONE if job.state is JobState.DONE else job.fault.code if job.fault else job.state for job in jobs)
    if len(jobs) != len(drawn.seeds):
        wrong.append(f"{len(jobs)} jobs of {len(drawn.seeds)}")
    wrong += [f"ended as {end}, allowed: {sorted(drawn.allowed)}" for end in ends if end not in drawn.allowed]
    resumable = {part_of(job.video) for job in jobs if job.video and job.fault and job.fault.code in WAY_ONLY}
    wrong += files_wrong(home / "Videos", [job for job in jobs if job.state is JobState.DONE], resumable)
    wrong += [f"process {p.pid} left: {' '.join(p.cmdline())[:80]}" for p in _processes(home)]
    return ends, wrong


def files_wrong(folder: Path, done: list[Job], resumable: Set[Path] = frozenset()) -> list[str]:
    """Each video once, whole and with its recipe; nothing half but what a retry goes on with."""
    there = {path for path in folder.rglob("*") if path.is_file()} if folder.is_dir() else set()
    videos = {path for path in there if path.suffix == ".mp4" and ".unexpected" not in path.suffixes}
    wrong = [f"half a file: {path.name}" for path in there - resumable if path.suffix in (".part", ".tmp")]
    if videos != {job.video for job in done}:
        wrong.append(f"{len(videos)} videos for {len(done)} finished jobs")
    for job in done:
        assert job.video is not None and job.verified is not None
        if not job.video.exists() or sha256(job.video) != job.verified["sha256"]:
            wrong.append(f"{job.video.name} is not the file that was verified")
        if job.sidecar is None or json.loads(job.sidecar.read_bytes())["job"] != job.id:
            wrong.append(f"{job.video.name} has no recipe of its own")
    return wrong


def _orphans_on_server(url: str, known: set[str | None]) -> list[str]:
    """Renders that the server has and no record of ours knows."""
    import httpx

    try:
        listed = httpx.get(f"{url}/v1/videos", timeout=20, trust_env=False).json().get("data", [])
    except (httpx.HTTPError, ValueError):
        return []
    return [f"an orphan on the server: {entry['id']}" for entry in listed if entry["id"] not in known]


async def _stop(servers: list[records.ServerRecord]) -> None:
    for record in servers:
        await RehearsalLauncher("cli").stop(record)


def _kill_server(home: Path) -> bool:
    with in_home(home):
        for record in records.living():
            record.process.send(signal.SIGKILL)
            return True
    return False


def _states(home: Path) -> str:
    with in_home(home):
        store = JobStore()
        said = ", ".join(f"{job.name} {job.state}" for job in store.all())
        store.close()
    return said


def _processes(home: Path) -> list[psutil.Process]:
    """Processes of a round that are still there three seconds after its end."""

    def of_round() -> list[psutil.Process]:
        found = []
        for process in psutil.process_iter():
            with contextlib.suppress(psutil.Error):
                if process.environ().get("HOME") == str(home) and process.status() != psutil.STATUS_ZOMBIE:
                    found.append(process)
        return found

    end = time.monotonic() + 3
    while (found := of_round()) and time.monotonic() < end:
        time.sleep(0.1)
    return found


def _home(home: Path) -> dict[str, str]:
    places = {
        "XDG_DATA_HOME": "data",
        "XDG_CONFIG_HOME": "config",
        "XDG_CACHE_HOME": "cache",
        "XDG_VIDEOS_DIR": "Videos",
    }
    return {"HOME": str(home), **{name: str(home / folder) for name, folder in places.items()}}


@contextlib.contextmanager
def in_home(home: Path) -> Iterator[None]:
    """Let this process have the places of a home."""
    before = dict(os.environ)
    os.environ.update(_home(home))
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def campaign(renders: int, seed: int, edge: int, folder: Path, *, a_round: int = 4) -> bool:
    """Play rounds until so many renders were made; prints each and the counts. Whether all was as it must be."""
    dice, ends, kills, failed = random.Random(seed), Counter[str](), Counter[str](), 0
    while (made := ends.total()) < renders:
        drawn = draw(dice, min(a_round, renders - made), edge)
        home = folder / f"round-{made}"
        home.mkdir(parents=True)
        began = time.monotonic()
        got, wrong = play(drawn, home, kills)
        ends += got if got else Counter({"not judged": len(drawn.seeds)})
        said = ", ".join(f"{count} {end}" for end, count in got.items())
        print(f"{time.monotonic() - began:6.1f} s  {drawn.fault or 'no fault':28} {said}", flush=True)
        for line in wrong:
            failed += 1
            print(f"    WRONG: {line}\n    {drawn}", flush=True)
    print(f"\n{ends.total()} renders, seed {seed}: " + ", ".join(f"{count} {end}" for end, count in ends.most_common()))
    print(f"killed: {kills['studio']} times the studio, {kills['server']} times the server; {failed} things wrong")
    return failed == 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--renders", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--edge", type=int, default=256, help="width and height in px")
    parser.add_argument("--keep", type=Path, help="keep what was made here")
    parser.add_argument("--studio", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.studio:
        asyncio.run(studio(json.loads(args.studio)))
        return 0
    with contextlib.ExitStack() as stack:
        folder = args.keep or Path(stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True)))
        return 0 if campaign(args.renders, args.seed, args.edge, folder.absolute()) else 1


if __name__ == "__main__":
    sys.exit(main())
