"""Reads denoise steps and render phases out of a vLLM-Omni server's log streams.

The server's only per-step signal is tqdm's bar on stderr (server-api §7). Servers that we start print one line a step
(`H3STEP|desc|n|total|elapsed|rate`); the default bar, separated by CR, is understood too. Bytes go in as they come,
readings come out; lines may be split anywhere. H3's bar has no description: any other description is not a step.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass, field
from enum import StrEnum

BAR_FORMAT = "H3STEP|{desc}|{n}|{total}|{elapsed_s:.3f}|{rate_fmt}\n"
"""`TQDM_BAR_FORMAT` for every server that we start, with `TQDM_MININTERVAL=0`."""

_ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_PREFIX = re.compile(r"^\([^)]*pid=\d+\)\s*")
_OURS = re.compile(r"H3STEP\|([^|]*)\|(\d+)\|(\d+)\|([\d.]+)\|\s*(\S*)")
_BAR = re.compile(r"(\S*)\s*\b(\d+)%\|[^|]*\|\s*(\d+)/(\d+)\s*\[([^<\]]+)<([^,\]]+),\s*([^\]]+)\]")
_LINE = re.compile(r"H3STEP (\d+)/(\d+) ([\d:]+)<[\d:?]+\s+(\S+)")
_QUEUED = re.compile(r"StepScheduler add_request: .*\(step=0/(\d+)")
_STEPPED = "MiniMax H3 denoise step:"
_RATE = re.compile(r"([\d.]+)\s*(it/s|s/it)")
_LIMIT = 1 << 16


class Phase(StrEnum):
    """Where a running render stands, as far as the log tells."""

    PREPARE = "prepare"
    DENOISE = "denoise"
    DECODE = "decode"
    MUX = "mux"
    SAVED = "saved"


@dataclass(frozen=True, slots=True)
class Step:
    """Denoise step `n` of `total`, `elapsed` seconds after the bar began; seconds a step when known.

    `exact`: the seconds have decimals, as in the bar that we ask for; the default bar cuts them.
    """

    n: int
    total: int
    elapsed: float
    seconds_per_step: float | None
    exact: bool = field(default=True, compare=False)


Reading = Step | Phase

_PHASES: tuple[tuple[str, Phase], ...] = (
    ("Video sampling params:", Phase.PREPARE),
    ("Video response encoding route selected:", Phase.MUX),
    ("persisted ", Phase.SAVED),
)


class ProgressReader:
    """Feed it the bytes of one log stream; it gives the steps and phases in them, each once."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._rest = ""
        self._last: tuple[int, int] | None = None
        self._scheduled = 0
        self._counted = 0

    def feed(self, data: bytes) -> list[Reading]:
        """Readings in `data`, in order. An unfinished line waits for its end, except a bar that is complete."""
        text = self._rest + self._decoder.decode(data)
        *lines, self._rest = re.split(r"[\r\n]", text)
        self._rest = self._rest[-_LIMIT:]
        readings: list[Reading] = []
        for line in lines:
            readings += self._line(line)
        # The default bar ends in CR only at its *next* update: a complete one at the end of the data counts now.
        if _BAR.search(_plain(self._rest)):
            readings += self._line(self._rest)
            self._rest = ""
        return readings

    def _line(self, raw: str) -> list[Reading]:
        line = _plain(raw)
        if (step := _step(line)) is not None:
            return self._new(step)
        if (counted := self._count(line)) is not None:
            return self._new(counted)
        for text, phase in _PHASES:
            if text in line and (phase is not Phase.SAVED or "output file" in line):
                self._last = None
                return [phase]
        return []

    def _count(self, line: str) -> Step | None:
        """With `--step-execution` there is no bar: at debug level the scheduler's lines are counted instead."""
        if found := _QUEUED.search(line):
            self._scheduled, self._counted = int(found[1]), 0
            return Step(0, self._scheduled, 0.0, None, False)
        if _STEPPED in line and self._counted < self._scheduled:
            self._counted += 1
            return Step(self._counted, self._scheduled, 0.0, None, False)
        return None

    def _new(self, step: Step) -> list[Reading]:
        at = (step.n, step.total)
        if at == self._last:  # the last value comes twice: at the update and at the close
            return []
        self._last = at
        readings: list[Reading] = [Phase.DENOISE, step] if step.n == 0 else [step]
        if step.n >= step.total > 0:
            readings.append(Phase.DECODE)
        return readings


def _plain(line: str) -> str:
    return _PREFIX.sub("", _ANSI.sub("", line).strip())


def _step(line: str) -> Step | None:
    if found := _OURS.search(line):
        desc, n, total, elapsed, rate = found.groups()
        return None if desc.strip() else Step(int(n), int(total), float(elapsed), _seconds_per_step(rate))
    if found := _LINE.search(line):
        n, total, elapsed, rate = found.groups()
        return Step(int(n), int(total), _clock(elapsed), _seconds_per_step(rate), False)
    if found := _BAR.search(line):
        desc, _, n, total, elapsed, _, rate = found.groups()
        return None if desc else Step(int(n), int(total), _clock(elapsed), _seconds_per_step(rate), False)
    return None


def _seconds_per_step(rate: str) -> float | None:
    found = _RATE.search(rate)
    if not found or not (value := float(found[1])):
        return None
    return value if found[2] == "s/it" else 1 / value


def _clock(text: str) -> float:
    seconds = 0.0
    for part in text.strip().split(":"):
        seconds = seconds * 60 + float(part) if part.replace(".", "", 1).isdigit() else seconds
    return seconds
