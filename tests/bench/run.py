"""Every figure that the program must reach, measured in one go beside its peer: `make bench`.

    python -m tests.bench.run [--only NAME …] [--rounds 5] [--write]

Runs the scripts of this folder one after the other, takes the figures from what they print, prints the table, and with
`--write` puts it between the marks in README.md beside this and in the README of the project. Each figure is a median
over the rounds. It takes about an hour, and whatever else runs spoils it: the load is written along.
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import psutil

ROOT = Path(__file__).resolve().parents[2]
PAGES = (ROOT / "tests" / "bench" / "README.md", ROOT / "README.md")
BEGIN, END = "<!-- figures: make bench -->", "<!-- end of figures -->"
TIMEOUT_S = 3600


@dataclass(frozen=True, slots=True)
class Figure:
    """One line of the table. `pattern`'s group is the number; several hits in one output: their worst."""

    what: str
    pattern: str
    bar: float
    unit: str = ""
    at_least: bool = False

    def read(self, output: str) -> float | None:
        """The number in a script's output; None when it is not there."""
        hits = [float(hit.replace(",", "")) for hit in re.findall(self.pattern, output)]
        return (min(hits) if self.at_least else max(hits)) if hits else None

    def holds(self, value: float) -> bool:
        """Whether the bar is reached."""
        return value >= self.bar if self.at_least else value <= self.bar


@dataclass(frozen=True, slots=True)
class Script:
    """A bench: its words after `python -m`, with {rounds}; one without is run that often as a whole."""

    name: str
    words: str
    figures: tuple[Figure, ...]


SCRIPTS = (
    Script(
        "prepare",
        "tests.bench.media_speed prepare {rounds}",
        (
            Figure("prepare 1080p60 → 540p24 with B-frames ÷ ffmpeg", r"with B-frames: ratio ([\d.]+)", 0.9, "×"),
            Figure("the same without B-frames ÷ ffmpeg", r"prepare, without: ratio ([\d.]+)", 1.0, "×"),
            Figure("PSNR of the prepared clip − ffmpeg's", r"PSNR .* \(([-+][\d.]+) dB\)", -0.1, "dB", at_least=True),
        ),
    ),
    Script(
        "seek",
        "tests.bench.media_speed seek {rounds}",
        (
            Figure("exact frame of 362, GOP 250 ÷ plain PyAV seek", r"nothing cached: ratio ([\d.]+)", 0.7, "×"),
            Figure("the same from the cache, p95", r"from the cache: .* p95 ([\d.]+) ms", 5, "ms"),
        ),
    ),
    Script(
        "measures",
        "tests.bench.compare_measures {rounds}",
        (
            Figure("measures of 362 pairs from files ÷ ffmpeg's filters", r"files / ffmpeg wall +([\d.]+)", 1.0, "×"),
            Figure("the same from cached frames ÷ ffmpeg's filters", r"cached / ffmpeg wall +([\d.]+)", 0.35, "×"),
        ),
    ),
    Script(
        "viewer",
        "tests.bench.compare_viewer {rounds}",
        (
            Figure("playback of 362 frames in difference mode, dropped in all rounds", r"dropped .* (\d+) in all", 0),
            Figure("the same when not held back", r"not held back: ([\d.]+)", 40, "frames/s", at_least=True),
            Figure("memory comparing two 15 s clips, workers included", r"with its workers (\d+) MiB", 1144, "MiB"),
        ),
    ),
    Script(
        "start",
        "tests.bench.startup {rounds}",
        (
            Figure("start to the usable window ÷ bare window, warm", r"usable window: ratio ([\d.]+)", 1.0, "×"),
            Figure("processor when idle, server connected", r"idle, .*?: ([\d.]+) %", 1, "% of a core"),
            Figure("memory when idle", r"resident (\d+) MiB", 286, "MiB"),
        ),
    ),
    Script(
        "stalls",
        "tests.bench.stalls {rounds}",
        (
            Figure("event-loop gap in the busiest session, p99", r"busiest session: p99 ([\d.]+) ms", 16, "ms"),
            Figure("the same, worst", r"busiest session: .*worst ([\d.]+) ms", 50, "ms"),
        ),
    ),
    Script(
        "plot",
        "tests.bench.telemetry_plot",
        (Figure("repaint of 8 curves over an hour", r"whole hour: median ([\d.]+)", 8, "ms"),),
    ),
    Script(
        "log",
        "tests.bench.server_log",
        (
            Figure("a million lines of log", r"lines in .*, (\d+) MiB more", 200, "MiB"),
            Figure("gap at 5,000 lines a second, worst", r"5,000 lines/s .* worst ([\d.]+) ms", 16, "ms"),
        ),
    ),
    Script(
        "library",
        "tests.bench.library",
        (
            Figure("library of 10,000 results: open", r"opened again: (\d+) ms", 120, "ms"),
            Figure("the same: from a key to the painted grid", r"“.*median ([\d.]+) ms,", 20, "ms"),
        ),
    ),
)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="*", choices=[script.name for script in SCRIPTS])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--write", action="store_true", help="put the table into the pages")
    args = parser.parse_args()
    if args.only and args.write:
        parser.error("a part of the table is not written in place of the whole: leave out --only or --write")
    began, loads, rows, broken = time.monotonic(), [os.getloadavg()[0]], list[str](), False
    for script in SCRIPTS:
        if args.only and script.name not in args.only:
            continue
        values, failed = _measured(script, args.rounds)
        loads.append(os.getloadavg()[0])
        broken |= failed
        rows += [_row(figure, found) for figure, found in zip(script.figures, values, strict=True)]
        print("\n".join(rows[-len(values) :]), flush=True)
    table = "\n".join((_heading(args.rounds, loads, time.monotonic() - began), "", *_HEAD, *rows))
    print(f"\n{table}")
    if args.write:
        for page in PAGES:
            _put(page, table)
    return 1 if broken else 0


_HEAD = ("| what | bar | measured | |", "| --- | --- | --- | --- |")


def _measured(script: Script, rounds: int) -> tuple[list[float | None], bool]:
    """The medians of a script's figures, and whether it broke."""
    times = 1 if "{rounds}" in script.words else rounds
    found: list[list[float]] = [[] for _ in script.figures]
    failed = False
    for _ in range(times):
        print(f"# {script.name}", file=sys.stderr, flush=True)
        argv = [sys.executable, "-m", *script.words.format(rounds=rounds).split()]
        env = {"QT_QPA_PLATFORM": "offscreen", **os.environ}
        done = subprocess.run(argv, cwd=ROOT, env=env, stdout=subprocess.PIPE, text=True, timeout=TIMEOUT_S)
        sys.stderr.write(done.stdout)
        failed |= done.returncode != 0
        for figure, values in zip(script.figures, found, strict=True):
            value = figure.read(done.stdout)
            if value is not None:
                values.append(value)
    return [median(values) if values else None for values in found], failed


def _row(figure: Figure, value: float | None) -> str:
    sign = "≥" if figure.at_least else "≤"
    bar = f"{sign} {figure.bar:g} {figure.unit}".rstrip()
    if value is None:
        return f"| {figure.what} | {bar} | – | not measured |"
    return f"| {figure.what} | {bar} | {value:.3g} {figure.unit} | {'holds' if figure.holds(value) else 'short'} |"


def _heading(rounds: int, loads: Sequence[float], seconds: float) -> str:
    cores, gib = psutil.cpu_count(), psutil.virtual_memory().total / 2**30
    machine = f"{cores} cores ({platform.machine()}), {gib:.0f} GiB, Python {platform.python_version()}"
    load = f"load {min(loads):.1f} to {max(loads):.1f}, of which the benches themselves make 1 to 2"
    return f"{time.strftime('%Y-%m-%d')}: {machine}; medians of {rounds} rounds; {load}; {seconds / 60:.0f} min in all."


def _put(page: Path, table: str) -> None:
    text = page.read_text("utf-8")
    if BEGIN not in text or END not in text:
        raise SystemExit(f"{page} has no place for the figures: {BEGIN} … {END}")
    before, rest = text.split(BEGIN, 1)
    page.write_text(f"{before}{BEGIN}\n{table}\n{END}{rest.split(END, 1)[1]}", "utf-8")


if __name__ == "__main__":
    sys.exit(main())
