"""Fifty seeded renders on rehearsal servers: how well the range of the remaining time did, as the window shows it.

    python -m tests.bench.telemetry_ranges [--runs 50] [--servers 5] [--steps 50] [--step-seconds 2] [--scatter 0.03]

Every run has its own seed, and with it its own scatter of steps. The range is taken from the window's own parts
(`Trace`, and what the job's `Watching` knows of past runs) at the moment at which a step is heard. Servers work side
by side, each with a data folder of its own; their first, short runs only teach how long the end takes.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import statistics
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from studio.core.program import own_argv
from studio.jobs import Job, JobState, Target
from studio.server import ProcessLauncher, Profile, ServerManager
from studio.server.launch import Place, plan
from tests.bench.light import forget_main
from tests.bench.telemetry_live import OneServer
from tests.helpers.jobs import Bench, bench, small_shot
from tests.helpers.standins.programs import free_port
from ui.queue.trace import Trace

ROOT = Path(__file__).parents[2]
TEACHING = 3


@dataclass(frozen=True, slots=True)
class Look:
    """The range after a step: when it was taken (monotonic s), and least and most seconds left."""

    step: int
    at: float
    least: float
    most: float


@dataclass(frozen=True, slots=True)
class Run:
    """What the ranges of one render came to; `end` in monotonic seconds."""

    looks: tuple[Look, ...]
    end: float

    def held(self, step: int) -> bool | None:
        """Whether the range after a step holds the true end; None when that step was not heard."""
        return next((one.least <= self.end - one.at <= one.most for one in self.looks if one.step == step), None)

    def widths(self, first: int) -> list[float]:
        """Width as a share of the true time left, from a step on."""
        return [(one.most - one.least) / (self.end - one.at) for one in self.looks if one.step >= first]


async def rendered(b: Bench, shot_seed: int, steps: int) -> Run:
    """One render; its ranges as the window would have shown them."""
    trace, looks, ended = Trace(), [], asyncio.get_running_loop().create_future()

    def on_changed(job: Job) -> None:
        now = time.monotonic()
        before = len(trace.samples)
        trace.feed(job, now, time.time())
        watching = b.service.tools.watchings.get(job.id)
        if len(trace.samples) > before and watching is not None and trace.samples[-1].step:
            left = trace.left(job, now + watching.late, watching.tails)
            if left is not None:
                looks.append(Look(trace.samples[-1].step, now, *left))
        if job.state.finished and not ended.done():
            ended.set_result(now)

    unsubscribe = b.service.changed.subscribe(on_changed)
    job = await b.service.submit(small_shot(steps=steps, seed=shot_seed), Target(kind="profile", name="rehearsal"))
    end = await ended
    unsubscribe()
    done = await b.service.get(job.id)
    assert done.state is JobState.DONE, done.fault
    print(f"seed {shot_seed}: the end took {done.learned.get('tail_seconds')} s, {done.timings}", file=sys.stderr)
    return Run(tuple(looks), end)


async def lane(seeds: list[int], args: argparse.Namespace) -> list[Run]:
    """One server, one render after the other; the first ones teach only."""
    pace = ("--step-seconds", str(args.step_seconds), "--step-scatter", str(args.scatter))
    program = own_argv("rehearse", "--port", "{port}", *pace)
    profile = Profile(id="rehearsal", title="Rehearsal", program=tuple(program), port_default=free_port(), grace_s=10)
    manager = ServerManager(ProcessLauncher("cli", plan(profile, Place())), nvml=lambda: None)
    await manager.start()
    async with bench(servers=OneServer(manager)) as b:
        for taught in range(TEACHING):
            await rendered(b, seeds[0] + 1000 * (taught + 1), 8)
        return [await rendered(b, seed, args.steps) for seed in seeds]


def report(runs: list[Run], steps: int) -> None:
    """Print how often the range held, after which step least often, and how wide it was."""
    counts = {}
    for step in range(5, steps + 1):
        held = [one for run in runs if (one := run.held(step)) is not None]
        if held:
            counts[step] = sum(held) / len(held)
    worst = min(counts, key=lambda step: counts[step])
    print(f"  held the true end after {statistics.fmean(counts.values()):.1%} of all steps from the fifth on", end=", ")
    print(f"least after step {worst}: {counts[worst]:.0%} of {len(runs)} runs")
    widths = [run.widths(steps // 2) for run in runs]
    flat = sorted(width for run in widths for width in run)
    print(f"  from half-way on its width: median {statistics.median(flat):.1%} of the time left", end=", ")
    print(f"at most 20 % after {sum(width <= 0.2 for width in flat) / len(flat):.1%} of all steps", end=", ")
    print(f"in {sum(max(run) <= 0.2 for run in widths)} of {len(runs)} runs after every one")
    for step in range(steps // 2, steps + 1, max(1, steps // 10)):
        wide = [(one.most - one.least) / (run.end - one.at) for run in runs for one in run.looks if one.step == step]
        if wide:
            print(f"  after step {step}: held {counts.get(step, 0):.0%}, width {statistics.median(wide):.1%}")


def one_process(args: argparse.Namespace) -> None:
    """What each of the side-by-side processes does: its own home, its own server; prints its runs as plain rows."""
    with tempfile.TemporaryDirectory() as home:
        for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_VIDEOS_DIR"):
            os.environ[name] = f"{home}/{name}"
        os.environ["PYTHON_KEYRING_BACKEND"] = "keyring.backends.fail.Keyring"
        for run in asyncio.run(lane(args.seeds, args)):
            print(run.end, *(f"{one.step}:{one.at}:{one.least}:{one.most}" for one in run.looks))


def read(line: str) -> Run:
    """A run from its row."""
    end, *looks = line.split()
    parts = [look.split(":") for look in looks]
    return Run(tuple(Look(int(step), float(at), float(a), float(b)) for step, at, a, b in parts), float(end))


async def side_by_side(args: argparse.Namespace, words: list[str]) -> list[Run]:
    """All lanes in processes of their own."""
    lanes = [list(range(args.runs))[number :: args.servers] for number in range(args.servers)]
    children = [
        await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "tests.bench.telemetry_ranges", *words, "--seeds", *map(str, seeds)),
            stdout=asyncio.subprocess.PIPE,
            cwd=ROOT,
        )
        for seeds in lanes
        if seeds
    ]
    said = await asyncio.gather(*(child.communicate() for child in children))
    return [read(line) for out, _ in said for line in out.decode().splitlines()]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=50)
    parser.add_argument("--servers", type=int, default=5)
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--step-seconds", type=float, default=2.0)
    parser.add_argument("--scatter", type=float, default=0.03)
    parser.add_argument("--seeds", type=int, nargs="+", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.seeds:
        one_process(args)
        return
    words = ["--steps", str(args.steps), "--step-seconds", str(args.step_seconds), "--scatter", str(args.scatter)]
    began = os.getloadavg()[0]
    runs = asyncio.run(side_by_side(args, words))
    print(
        f"{len(runs)} renders of {args.steps} steps of {args.step_seconds} s, load {began:.0f}–{os.getloadavg()[0]:.0f}"
    )
    report(runs, args.steps)


if __name__ == "__main__":
    forget_main()
    main()
