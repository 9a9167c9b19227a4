"""Stand-in programs on PATH, and a module of pynvml's face."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

NAMES = ("vllm", "systemctl", "journalctl", "podman", "docker", "numactl", "nvidia-smi")


def install(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put the stand-ins first on PATH; gives the folder that holds their state."""
    state, programs = folder / "state", folder / "bin"
    state.mkdir()
    programs.mkdir()
    source = Path(__file__).parent / "programs.py"
    for name in NAMES:
        script = programs / name
        script.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{source}" {name} "$@"\n')
        script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("STANDIN_STATE", str(state))
    return state


class NvmlError(Exception):
    """What a call of the driver's library raises."""


@dataclass
class Nvml:
    """pynvml's face over cards that a test describes: memory in bytes, processes as pid → bytes."""

    total: int = 96 << 30
    count: int = 2
    capability: tuple[int, int] = (12, 0)
    unified: bool = False
    driver: str = "580.105.08"
    cuda: int = 13000
    mig: bool = False
    power: tuple[int, int] = (600_000, 600_000)
    NVMLError = NvmlError

    def __post_init__(self) -> None:
        self.held: dict[int, int] = {}

    def nvmlDeviceGetCount(self) -> int:
        return self.count

    def nvmlDeviceGetHandleByIndex(self, index: int) -> int:
        return index

    def nvmlDeviceGetName(self, _handle: int) -> str:
        return "NVIDIA RTX PRO 6000 Blackwell"

    def nvmlDeviceGetMemoryInfo(self, _handle: int) -> Any:
        if self.unified:
            raise NvmlError("Not Supported")
        used = sum(self.held.values())
        return SimpleNamespace(total=self.total, free=self.total - used, used=used)

    def nvmlDeviceGetCudaComputeCapability(self, _handle: int) -> tuple[int, int]:
        return self.capability

    def nvmlDeviceGetComputeRunningProcesses(self, handle: int) -> list[Any]:
        return [SimpleNamespace(pid=pid, usedGpuMemory=used) for pid, used in self.held.items() if handle == 0]

    def nvmlSystemGetDriverVersion(self) -> str:
        return self.driver

    def nvmlSystemGetCudaDriverVersion_v2(self) -> int:
        return self.cuda

    def nvmlDeviceGetMigMode(self, _handle: int) -> list[int]:
        return [int(self.mig), 0]

    def nvmlDeviceGetPowerManagementLimit(self, _handle: int) -> int:
        return self.power[0]

    def nvmlDeviceGetPowerManagementDefaultLimit(self, _handle: int) -> int:
        return self.power[1]
