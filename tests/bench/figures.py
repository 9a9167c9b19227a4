"""The figures of `make bench`: which bench prints each, how it is found there, and the bar it is held against."""

from __future__ import annotations

import re
from dataclasses import dataclass

# A bench's words after `python -m`. Each plays its rounds by itself, in one process.
BENCHES = {
    "vectors": "tests.bench.contract_vectors",
    "check": "tests.bench.contract_check",
    "prepare": "tests.bench.media_speed prepare {rounds}",
    "seek": "tests.bench.media_speed seek {rounds}",
    "measures": "tests.bench.compare_measures {rounds}",
    "viewer": "tests.bench.compare_viewer {rounds}",
    "start": "tests.bench.startup {rounds}",
    "stalls": "tests.bench.stalls {rounds}",
    "prompt": "tests.bench.compose_prompt",
    "marks": "tests.bench.compose_follow",
    "plot": "tests.bench.telemetry_plot",
    "log": "tests.bench.server_log",
    "library": "tests.bench.library",
    "painting": "tests.bench.rehearsal_painting {rounds}",
}


@dataclass(frozen=True, slots=True)
class Figure:
    """One line of the table. `pattern`'s group is the number; of several hits in one output the worst counts."""

    bench: str
    what: str
    pattern: str
    bar: float
    unit: str = ""
    at_least: bool = False
    unmeasured: str = ""
    """Why it cannot be measured here at all."""

    def read(self, output: str) -> float | None:
        """The number in a bench's output; None when it is not there."""
        hits = [float(hit.replace(",", "")) for hit in re.findall(self.pattern, output)] if self.pattern else []
        return (min(hits) if self.at_least else max(hits)) if hits else None

    def holds(self, value: float) -> bool:
        """Whether the bar is reached."""
        return value >= self.bar if self.at_least else value <= self.bar


FIGURES = (
    Figure("vectors", "recorded cases of the server that the contract differs in", r"agree, (\d+) do not", 0),
    Figure("check", "check of 12 references", r"12 references +check +([\d.]+)", 2, "ms"),
    Figure("prepare", "prepare 1080p60 → 540p24, B-frames ÷ ffmpeg", r"with B-frames: ratio ([\d.]+)", 0.9, "×"),
    Figure("prepare", "the same without B-frames ÷ ffmpeg", r"prepare, without: ratio ([\d.]+)", 1.0, "×"),
    Figure(
        "prepare", "PSNR of the prepared clip − ffmpeg's", r"PSNR .* \(([-+][\d.]+) dB\)", -0.1, "dB", at_least=True
    ),
    Figure("seek", "exact frame of 362, GOP 250 ÷ plain PyAV seek", r"nothing cached: ratio ([\d.]+)", 0.7, "×"),
    Figure("seek", "a picture near it", r"a picture near it: p50 ([\d.]+) ms", 40, "ms"),
    Figure("seek", "exact frame from the cache, p95", r"from the cache: .* p95 ([\d.]+) ms", 5, "ms"),
    Figure("seek", "two clips cached ÷ decoded by PyAV", r"two clips cached: ratio ([\d.]+)", 1.2, "×"),
    Figure("measures", "362 pairs from files ÷ ffmpeg's filters", r"wall +files, first .*/ ffmpeg +([\d.]+)", 1.0, "×"),
    Figure("measures", "the same from cached frames", r"wall +cached, first .*/ ffmpeg +([\d.]+)", 0.35, "×"),
    Figure("viewer", "playback in difference mode: dropped in all rounds", r"dropped .* (\d+) in all", 0),
    Figure("viewer", "the same when not held back", r"not held back: ([\d.]+)", 40, "frames/s", at_least=True),
    Figure("viewer", "its processor time ÷ video-compare", "", 0.6, "×", unmeasured="Debian has no package of that"),
    Figure("viewer", "memory comparing two 15 s clips, workers included", r"with its workers (\d+) MiB", 1144, "MiB"),
    Figure("start", "start to the usable window ÷ bare window, warm", r"usable window, wall: ratio ([\d.]+)", 1.0, "×"),
    Figure("start", "processor when idle, server connected", r"idle, .*?: ([\d.]+) %", 1, "% of a core"),
    Figure("start", "memory when idle", r"resident (\d+) MiB", 286, "MiB"),
    Figure("stalls", "loop gap in the busiest session, p99", r"busiest session: p99 ([\d.]+) ms", 16, "ms"),
    Figure("stalls", "the same, worst", r"busiest session: .*worst ([\d.]+) ms", 50, "ms"),
    Figure("prompt", "a key in a prompt of 100,000 characters", r"a key, 100,000 .*?p50 +([\d.]+)", 16, "ms"),
    Figure("prompt", "cost of 11 references", r"cost of 11 .*?p50 +([\d.]+)", 50, "ms"),
    Figure("marks", "rules after an act on marks", r"rules with new marks: ([\d.]+) ms", 5, "ms"),
    Figure("plot", "repaint of 8 curves of 3,600 points", r"3600 points: median ([\d.]+)", 8, "ms"),
    Figure("plot", "8 cards, 10 looks a second, of the GUI thread", r"a second: ([\d.]+) %", 3, "%"),
    Figure("log", "a million lines of log, memory", r"lines in .*, (\d+) MiB more", 200, "MiB"),
    Figure("log", "gap at 5,000 lines a second, worst", r"5,000 lines/s .* worst ([\d.]+) ms", 16, "ms"),
    Figure("library", "library of 10,000 results: open", r"opened again: (\d+) ms", 120, "ms"),
    Figure("library", "the same: from a key to the painted grid", r"“.*median ([\d.]+) ms,", 20, "ms"),
    Figure("painting", "a rehearsed render ÷ its encoding alone", r"ratio ([\d.]+)", 1.5, "×"),
)
