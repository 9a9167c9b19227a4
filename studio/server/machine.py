"""What this machine has: cards, memory, driver, and which processes hold a card's memory.

NVIDIA cards are read through a module of pynvml's face that is handed in (`nvml()` gives the real one); GB10 and its
like share the main memory with the processor: NVML has no memory figure there (`unified`).
"""

from __future__ import annotations

import contextlib
import platform
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import psutil

GIB: Final = 1 << 30


@dataclass(frozen=True, slots=True)
class Holder:
    """A process that holds memory of a card: `used` in bytes, 0 when the driver does not say."""

    pid: int
    name: str
    used: int


@dataclass(frozen=True, slots=True)
class Gpu:
    """One card; memory in bytes. `arch` is `sm_120` and the like, "" when unknown."""

    index: int
    name: str
    total: int
    free: int
    arch: str = ""
    unified: bool = False
    holders: tuple[Holder, ...] = ()
    mig: bool = False
    """Split into instances: a server sees one of them at most."""
    power_limit: float = 0.0
    power_default: float = 0.0
    """In W, as set and as made; 0 when the driver does not say."""


@dataclass(frozen=True, slots=True)
class Machine:
    """What a profile is held against; memory in bytes."""

    gpus: tuple[Gpu, ...]
    ram_total: int
    ram_available: int
    driver: str = ""
    cuda: tuple[int, int] | None = None
    """What the driver's library speaks, such as (13, 0)."""
    processor: str = platform.machine()


def nvml() -> Any | None:
    """The driver's own library through pynvml, initialised; None where there is no NVIDIA driver."""
    import pynvml

    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError:
        return None
    return pynvml


def read(library: Any | None) -> Machine:
    """Look at the machine now. Blocking, some ms; call it in a thread."""
    memory = psutil.virtual_memory()
    gpus = tuple(_gpu(library, index, memory) for index in range(_count(library)))
    driver, cuda = "", None
    if library is not None:
        with contextlib.suppress(library.NVMLError):
            driver = _text(library.nvmlSystemGetDriverVersion())
            version = int(library.nvmlSystemGetCudaDriverVersion_v2())
            cuda = version // 1000, version % 1000 // 10
    limit = _memory_limit(memory.total)
    return Machine(gpus, limit, min(memory.available, limit), driver, cuda)


def _memory_limit(total: int) -> int:
    """Main memory that processes here may use: all, or what a container's cgroup (version 2) allows; bytes."""
    try:
        return min(total, int(Path("/sys/fs/cgroup/memory.max").read_text()))
    except (OSError, ValueError):
        return total


def holders(library: Any | None) -> tuple[Holder, ...]:
    """Processes that hold memory of any card, each once with its sum over the cards."""
    held: dict[int, int] = {}
    for index in range(_count(library)):
        for pid, used in _processes(library, index):
            held[pid] = held.get(pid, 0) + used
    return tuple(Holder(pid, process_name(pid), used) for pid, used in sorted(held.items()))


def process_name(pid: int) -> str:
    """What a process calls itself (vLLM's workers set their titles); "" when it is gone or not ours to see."""
    with contextlib.suppress(psutil.Error):
        process = psutil.Process(pid)
        first = next(iter(process.cmdline()), "")
        return first.split("/")[-1][:80] or process.name()
    return ""


def _gpu(library: Any, index: int, memory: Any) -> Gpu:
    handle = library.nvmlDeviceGetHandleByIndex(index)
    try:
        info = library.nvmlDeviceGetMemoryInfo(handle)
        total, free, unified = int(info.total), int(info.free), False
    except library.NVMLError:
        total, free, unified = memory.total, memory.available, True
    arch = ""
    with contextlib.suppress(library.NVMLError):
        major, minor = library.nvmlDeviceGetCudaComputeCapability(handle)
        arch = f"sm_{major}{minor}"
    held = tuple(Holder(pid, process_name(pid), used) for pid, used in _processes(library, index))
    made = Gpu(index, _text(library.nvmlDeviceGetName(handle)), total, free, arch, unified, held)
    return replace(made, **_settings(library, handle))


def _settings(library: Any, handle: Any) -> dict[str, Any]:
    """What was set on a card, as far as it knows such settings."""
    found: dict[str, Any] = {}
    with contextlib.suppress(library.NVMLError):
        found["mig"] = library.nvmlDeviceGetMigMode(handle)[0] == 1
    with contextlib.suppress(library.NVMLError):
        found["power_limit"] = library.nvmlDeviceGetPowerManagementLimit(handle) / 1000
        found["power_default"] = library.nvmlDeviceGetPowerManagementDefaultLimit(handle) / 1000
    return found


def _count(library: Any | None) -> int:
    if library is None:
        return 0
    try:
        return int(library.nvmlDeviceGetCount())
    except library.NVMLError:
        return 0


def _processes(library: Any, index: int) -> list[tuple[int, int]]:
    try:
        found = library.nvmlDeviceGetComputeRunningProcesses(library.nvmlDeviceGetHandleByIndex(index))
    except library.NVMLError:
        return []
    return [(int(process.pid), int(process.usedGpuMemory or 0)) for process in found]


def _text(value: str | bytes) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value
