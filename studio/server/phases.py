"""Reads how far a start is from the server's log (vllm-omni 0.30.0's boot lines, serving facts §4.1).

Lines of workers come once a rank: a phase begins at its first line and never goes back. Ready is not among them: that
is `/health` from our own process.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

from studio.core import paths
from studio.core.files import write_atomic


class StartPhase(StrEnum):
    """Stages of a start, in order."""

    PROGRAM = "program"
    ENGINE = "engine"
    DEVICES = "devices"
    WORKERS = "workers"
    WEIGHTS = "weights"
    LOADED = "loaded"
    WORKER_READY = "worker_ready"
    ENGINE_READY = "engine_ready"
    HTTP = "http"


_ORDER: Final = tuple(StartPhase)
_LINES: Final[tuple[tuple[str, StartPhase], ...]] = (
    ("Detected diffusion model:", StartPhase.PROGRAM),
    ("[OmniEngine] Initializing with model", StartPhase.ENGINE),
    ("[OmniEngine] Launching Orchestrator thread", StartPhase.ENGINE),
    ("[stage_init] Set", StartPhase.DEVICES),
    ("Initialized device and distributed environment", StartPhase.WORKERS),
    ("created result MessageQueue", StartPhase.WORKERS),
    ("Loading weights took", StartPhase.LOADED),
    ("Model runner: Model loaded successfully", StartPhase.LOADED),
    ("ready to receive requests via shared memory", StartPhase.WORKER_READY),
    ("Model runner: Initialization complete", StartPhase.WORKER_READY),
    ("[Orchestrator] Starting event loop", StartPhase.ENGINE_READY),
    ("[OmniEngine] Orchestrator ready", StartPhase.ENGINE_READY),
    ("Starting vLLM API server", StartPhase.HTTP),
    ("Application startup complete", StartPhase.HTTP),
)
_SHARDS: Final = re.compile(
    r"(?:Multi-thread loading shards|Loading safetensors checkpoint shards):\s+\d+% Completed \| (\d+)/(\d+)"
)


@dataclass(frozen=True, slots=True)
class StartProgress:
    """How far a start is: its phase, when that began (s after the start), and shards loaded of all."""

    phase: StartPhase
    at: float
    shards: tuple[int, int] | None = None


class StartReader:
    """Feed it log lines with the seconds since the start; `progress` is the latest, `times` each phase's begin."""

    def __init__(self) -> None:
        self.progress: StartProgress | None = None
        self.times: dict[StartPhase, float] = {}

    def feed(self, line: str, at: float) -> bool:
        """Take a line in; whether the progress is another now."""
        if found := _SHARDS.search(line):
            return self._enter(StartPhase.WEIGHTS, at, (int(found[1]), int(found[2])))
        phase = next((phase for text, phase in _LINES if text in line), None)
        return phase is not None and self._enter(phase, at, None)

    def _enter(self, phase: StartPhase, at: float, shards: tuple[int, int] | None) -> bool:
        now = self.progress
        if now is not None and _ORDER.index(phase) < _ORDER.index(now.phase):
            return False
        if now is not None and phase is now.phase:
            if shards is None or shards == now.shards:
                return False
            self.progress = StartProgress(phase, now.at, shards)
            return True
        self.times[phase] = at
        self.progress = StartProgress(phase, at, shards)
        return True


def last_times(profile: str) -> Mapping[str, float]:
    """How long each phase of the last good start took to begin, in s after the start; `ready` is the whole."""
    try:
        plain = json.loads(_file().read_bytes())
        return {str(name): float(at) for name, at in plain.get(profile, {}).items()}
    except (OSError, ValueError, AttributeError, TypeError):
        return {}


def remember_times(profile: str, times: Mapping[StartPhase, float], ready: float) -> None:
    """Keep a good start's times. A folder that refuses only means that there is nothing to compare with."""
    try:
        known = json.loads(_file().read_bytes())
    except (OSError, ValueError):
        known = {}
    known = known if isinstance(known, dict) else {}
    known[profile] = {**{str(phase): round(at, 2) for phase, at in times.items()}, "ready": round(ready, 2)}
    try:
        write_atomic(_file(), json.dumps(known, indent=1).encode())
    except OSError:
        return


def _file() -> Path:
    return paths.data_dir() / "start-times.json"
