"""Steps as they are seen live: on the rehearsal server, and on the real server without weights (needs its environment).

    python tests/bench/telemetry_live.py rehearsal
    python tests/bench/telemetry_live.py peer PYTHON REAL_SERVER.py

Says how late each step was seen, by the bar's own clock, and how the range of the remaining time did.
"""

from __future__ import annotations

import asyncio
import os
import statistics
import sys
import tempfile
import time
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from studio.jobs import Job, Target
from studio.jobs.eta import StepSample, seconds_left
from studio.jobs.servers import Connection, about
from studio.server import ProcessLauncher, Profile, ServerManager
from studio.server.launch import Place, plan
from studio.telemetry import Step
from tests.helpers.jobs import Bench, bench, small_shot
from tests.helpers.standins.programs import free_port
from tests.helpers.waiting import until


class OneServer:
    """The server of a manager, for every job."""

    def __init__(self, manager: ServerManager) -> None:
        self.manager = manager

    async def connect(self, job: Job) -> Connection:
        client = await self.manager.ready()
        return Connection(client, self.manager.watch, self.manager.status.record, await about(client))

    async def stop_started(self) -> None:
        await self.manager.stop()

    async def aclose(self) -> None:
        await self.manager.aclose()


async def rehearsal() -> None:
    async with bench(step_seconds=0.4) as b:
        await follow(b, small_shot(steps=8), "rehearsal, a first run to learn from")
        await follow(b, small_shot(steps=50, seed=8), "rehearsal, 50 steps on 2 cards")


async def peer(python: str, script: str) -> None:
    for name, without in (("our environment", ()), ("the default bar", ("TQDM_BAR_FORMAT", "TQDM_MININTERVAL"))):
        argv = (python, script, "--port", "{port}", "--host", "{host}", "--step-seconds", "0.5")
        profile = Profile(id="peer", title="Without weights", program=argv, port_default=free_port(), grace_s=10)
        launch = plan(profile, Place())
        env = {key: value for key, value in launch.env.items() if key not in without}
        manager = ServerManager(ProcessLauncher("cli", replace(launch, env=env)), nvml=lambda: None)
        began = time.monotonic()
        await manager.start()
        print(f"the real server is ready after {time.monotonic() - began:.0f} s, started by us with {name}")
        async with bench(servers=OneServer(manager)) as b:
            await follow(b, small_shot(steps=12), f"real server, {name}")


async def follow(b: Bench, shot: Any, name: str) -> None:
    """Render, and compare when each step was seen with when the bar says that it was done."""
    seen: list[tuple[float, Step]] = []
    async with listened(b, seen):
        job = await b.service.submit(shot, Target(kind="profile", name="peer") if "real" in name else Target())
        done = await b.service.wait(job.id)
    ended = time.monotonic()
    steps = [(at, step) for at, step in seen if step.n]
    print(f"{name}: {done.state}, {done.fault.text() if done.fault else ''} steps {[s.n for _, s in steps]}")
    if not steps:
        return
    bases = [at - step.elapsed for at, step in seen]
    late = [base - min(bases) for base in bases[1:]]
    exact = seen[-1][1].exact
    print(
        f"  seen late by median {statistics.median(late):.3f}, at most {max(late):.3f} s" + ("" if exact else " (±1 s)")
    )
    print(f"  the recording: {done.telemetry and done.telemetry.name}, learned {done.learned}")
    judge(seen, ended, done)


@asynccontextmanager
async def listened(b: Bench, seen: list[tuple[float, Step]]) -> Any:
    """Note every step with the moment at which it was heard."""
    undo: list[Any] = []

    async def when_there_is_one() -> None:
        await until(lambda: b.service.tools.watchings, "a watched job", within=120)
        watching = next(iter(b.service.tools.watchings.values()))
        watch = watching._connection.watch
        assert watch is not None
        hear = lambda one: seen.append((time.monotonic(), one)) if isinstance(one, Step) else None  # noqa: E731
        undo.append(watch.readings.subscribe(hear))

    task = asyncio.create_task(when_there_is_one())
    yield
    await task
    for one in undo:
        one()


def judge(seen: list[tuple[float, Step]], ended: float, job: Job) -> None:
    """How often the range held the true end, from the fifth step on, and how wide it was from half-way on."""
    samples = [StepSample(at, at, step.n, step.seconds_per_step) for at, step in seen]
    total, held, widths = seen[-1][1].total, [], []
    tail = job.learned.get("tail_seconds")
    for count in range(6, len(samples) + 1):
        at = samples[count - 1].at
        left = seconds_left(samples[:count], total, at, [tail] if tail else [])
        if left is not None and ended > at:
            held.append(left[0] <= ended - at <= left[1])
            if samples[count - 1].step >= total / 2:
                widths.append((left[1] - left[0]) / (ended - at))
    if held and widths:
        width = statistics.median(widths)
        print(f"  the range held the end after {sum(held)} of {len(held)} steps; width median {width:.0%}")


async def main() -> None:
    print(f"load {os.getloadavg()[0]:.1f}")
    with tempfile.TemporaryDirectory() as home:
        for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_VIDEOS_DIR"):
            os.environ[name] = f"{home}/{name}"
        os.environ["PYTHON_KEYRING_BACKEND"] = "keyring.backends.fail.Keyring"
        await (peer(*sys.argv[2:4]) if sys.argv[1:2] == ["peer"] else rehearsal())


if __name__ == "__main__":
    asyncio.run(main())
