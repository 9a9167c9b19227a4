"""`nvidia-smi` as text, here or on another machine behind an argv such as `ssh gpu-box`.

One process runs for as long as it is watched and prints all cards every second. Values carry units unless `nounits` is
asked for; what a card does not support comes as `[N/A]` or `[Not Supported]` (read on an H200, driver 580).
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import time
from collections.abc import Sequence
from typing import Final

from studio.core.children import clean_environment
from studio.core.words import Message
from studio.telemetry.readings import Card, GpuReading

FIELDS: Final = (
    "index,uuid,name,pci.bus_id,memory.total,memory.used,utilization.gpu,power.draw,temperature.gpu,clocks.current.sm"
)
_MIB: Final = 1 << 20
_OPEN_WITHIN: Final = 15.0
_STALE: Final = 5.0


class NvidiaSmiSampler:
    """`prefix` is put before `nvidia-smi`; nothing goes through a shell of ours."""

    local = False

    def __init__(self, prefix: Sequence[str] = (), program: str = "nvidia-smi") -> None:
        self.trouble: Message | None = None
        self._argv = [*prefix, program, f"--query-gpu={FIELDS}", "--format=csv,noheader,nounits", "-l", "1"]
        self._child: subprocess.Popen[bytes] | None = None
        self._rest = b""
        self._latest: dict[str, tuple[float, GpuReading]] = {}
        self._cards: dict[str, Card] = {}

    def open(self) -> tuple[Card, ...]:
        """Start it and wait for its first round, fifteen seconds at most."""
        self.close()
        try:
            self._child = subprocess.Popen(
                self._argv,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=clean_environment(),
                start_new_session=True,
            )
        except OSError as error:
            self.trouble = Message("gpu.no_tool", {"tool": self._argv[0], "said": error.strerror or str(error)})
            return ()
        assert self._child.stdout is not None
        os.set_blocking(self._child.stdout.fileno(), False)
        self._await_first_round(self._child)
        return tuple(self._cards.values())

    def sample(self) -> tuple[GpuReading, ...] | None:
        """The newest line of each card, not reported once it is older than five seconds; None when it ended."""
        if self._child is None or not self._take():
            return None
        now = time.monotonic()
        fresh = (self._latest[uuid] for uuid in self._cards)
        return tuple(reading if now - at < _STALE else GpuReading() for at, reading in fresh)

    def close(self) -> None:
        """End the process."""
        child, self._child = self._child, None
        self._rest, self._latest, self._cards = b"", {}, {}
        if child is None:
            return
        with child:
            child.kill()

    def _await_first_round(self, child: subprocess.Popen[bytes]) -> None:
        end = time.monotonic() + _OPEN_WITHIN
        seen = -1
        # A round has come when there are cards and another look finds no more of them.
        while time.monotonic() < end and not (self._cards and len(self._cards) == seen):
            seen = len(self._cards)
            if not self._take():
                self.trouble = Message("gpu.tool_ended", {"tool": " ".join(self._argv[:-4]), "said": _said(child)})
                self.close()
                return
            time.sleep(0.05)
        self.trouble = None if self._cards else Message("gpu.none")

    def _take(self) -> bool:
        """Read what has come; False once the process has ended."""
        assert self._child is not None and self._child.stdout is not None
        try:
            data = os.read(self._child.stdout.fileno(), 1 << 16)
        except BlockingIOError:
            return True
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            if (parsed := parse(line.decode("utf-8", "replace"))) is not None:
                card, reading = parsed
                self._cards.setdefault(card.uuid, card)
                self._latest[card.uuid] = time.monotonic(), reading
        return bool(data)


def parse(line: str) -> tuple[Card, GpuReading] | None:
    """A card and its reading out of one line of `FIELDS`; None when it is no such line."""
    words = [word.strip() for word in line.split(",")]
    if len(words) != FIELDS.count(",") + 1 or not words[0].isdigit():
        return None
    index, uuid, name, pci, *values = words
    total, used, busy, power, heat, clock = map(_number, values)
    card = Card(int(index), name, uuid, pci, None if total is None else int(total * _MIB))
    return card, GpuReading(None if used is None else int(used * _MIB), busy, power, heat, clock)


def _number(text: str) -> float | None:
    with contextlib.suppress(ValueError):
        return float(text)
    return None


def _said(child: subprocess.Popen[bytes]) -> str:
    """The last line of its complaint. It has closed its output, so this comes to an end; two seconds at most."""
    with contextlib.suppress(subprocess.TimeoutExpired):
        _, err = child.communicate(timeout=2)
        return (err or b"").decode("utf-8", "replace").strip().rpartition("\n")[2][-200:]
    return ""
