"""Every figure that the program must reach, measured in one go beside its peer: `make bench`.

    python -m tests.bench.run [--only NAME …] [--rounds 5] [--write]

Runs the benches of this folder one after the other, takes the figures from what they print, prints the table, and with
`--write` puts it between the marks in README.md beside this and in the README of the project. Each figure is a median,
a worst or a sum over the rounds, as its line says. A quarter of an hour on a machine that does nothing else; whatever
else runs spoils it, and the load is written along.
"""

from __future__ import annotations

import argparse
import os
import platform
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil

from tests.bench.figures import BENCHES, FIGURES, Figure

ROOT = Path(__file__).resolve().parents[2]
PAGES = (ROOT / "tests" / "bench" / "README.md", ROOT / "README.md")
BEGIN, END = "<!-- figures: make bench -->", "<!-- end of figures -->"
HEAD = "| what | bar | measured | |\n| --- | --- | --- | --- |"
TIMEOUT_S = 600
NOISE = "This plugin does not support"  # Qt, offscreen


@dataclass(frozen=True, slots=True)
class Run:
    """What a bench printed, and in a few words why it is not to be trusted ("" when it went through)."""

    output: str
    trouble: str = ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=BENCHES)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--write", action="store_true", help="put the table into the pages")
    args = parser.parse_args()
    if args.only and args.write:
        parser.error("a part of the table is not written in place of the whole: leave out --only or --write")
    began, loads, rows, broken = time.monotonic(), [os.getloadavg()[0]], list[str](), False
    speeds = [_loop_ms()]
    for name in args.only or BENCHES:
        done = _run(name, args.rounds)
        loads.append(os.getloadavg()[0])
        speeds.append(_loop_ms())
        broken |= bool(done.trouble)
        found = list(_rows(name, done))
        print("\n".join(found), flush=True)
        rows += found
    table = "\n".join((_heading(args.rounds, loads, speeds, time.monotonic() - began), "", HEAD, *rows))
    print(f"\n{table}")
    if args.write:
        for page in PAGES:
            _put(page, table)
    return 1 if broken else 0


def _run(name: str, rounds: int) -> Run:
    """Run one bench to its end. What it prints goes on to stderr."""
    print(f"# {name}", file=sys.stderr, flush=True)
    argv = [sys.executable, "-m", *BENCHES[name].format(rounds=rounds).split()]
    env = {"QT_QPA_PLATFORM": "offscreen", **os.environ}
    bench = subprocess.Popen(
        argv, cwd=ROOT, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    trouble = ""
    try:
        output, errors = bench.communicate(timeout=TIMEOUT_S)
    except subprocess.TimeoutExpired:
        os.killpg(bench.pid, signal.SIGKILL)
        output, errors = bench.communicate()
        trouble = f"not done after {TIMEOUT_S // 60} min"
    sys.stderr.write(output + errors)
    if not trouble and bench.returncode:
        said = [line for line in (errors or output).splitlines() if line.strip() and NOISE not in line]
        trouble = f"ended with {bench.returncode}: {said[-1] if said else 'it said nothing'}"
    return Run(output, trouble)


def _rows(name: str, done: Run) -> Iterator[str]:
    """The bench's lines of the table: what was printed before it broke counts still."""
    for figure in (figure for figure in FIGURES if figure.bench == name):
        value = figure.read(done.output)
        if value is None:
            why = figure.unmeasured or done.trouble or "not among what it printed"
            yield _row(figure, "–", f"not measured: {why}")
        else:
            yield _row(figure, f"{value:.3g} {figure.unit}".rstrip(), "holds" if figure.holds(value) else "short")


def _row(figure: Figure, value: str, verdict: str) -> str:
    bar = f"{'≥' if figure.at_least else '≤'} {figure.bar:g} {figure.unit}".rstrip()
    return f"| {figure.what} | {bar} | {value} | {verdict.replace('|', '/')} |"


def _heading(rounds: int, loads: Sequence[float], speeds: Sequence[float], seconds: float) -> str:
    cores, gib = psutil.cpu_count(), psutil.virtual_memory().total / 2**30
    machine = f"{cores} cores ({platform.machine()}), {gib:.0f} GiB, Python {platform.python_version()}"
    load = f"load {min(loads):.1f} to {max(loads):.1f}, of which the benches themselves make 1 to 2"
    speed = f"a loop of a million turns between the benches took {min(speeds):.0f} to {max(speeds):.0f} ms"
    return f"{time.strftime('%Y-%m-%d')}: {machine}; {rounds} rounds; {load}; {speed}; {seconds / 60:.0f} min in all."


def _loop_ms() -> float:
    """How fast the machine is just now: shared ones are half as fast at times, whatever their load says."""
    began = time.perf_counter()
    for _ in range(1_000_000):
        pass
    return 1000 * (time.perf_counter() - began)


def _put(page: Path, table: str) -> None:
    text = page.read_text("utf-8")
    if BEGIN not in text or END not in text:
        raise SystemExit(f"{page} has no place for the figures: {BEGIN} … {END}")
    before, rest = text.split(BEGIN, 1)
    page.write_text(f"{before}{BEGIN}\n{table}\n{END}{rest.split(END, 1)[1]}", "utf-8")


if __name__ == "__main__":
    sys.exit(main())
