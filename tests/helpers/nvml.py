"""A driver's library of pynvml's face, with as many cards as a test wants, whose calls can be made to fail."""

from __future__ import annotations

import types
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pynvml

GIB = 1 << 30
H200 = {"name": "NVIDIA H200", "total": 143_771 << 20, "used": 20 * GIB, "uuid": "GPU-aaaa1111"}


@dataclass(slots=True)
class FakeNvml:
    """Handles are indices; a part of a split card is (index, part). `fails`: call name → error, or (name, index)."""

    cards: Sequence[Mapping[str, Any]] = (H200,)
    fails: dict[Any, type[Exception]] = field(default_factory=dict)
    init: type[Exception] | None = None
    calls: list[tuple[str, Any]] = field(default_factory=list)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if name.startswith(("NVMLError", "NVML_", "nvmlMemory")):
            return getattr(pynvml, name)
        return lambda *args: self._call(name, *args)

    def _call(self, name: str, *args: Any) -> Any:
        handle = args[0] if args else None
        self.calls.append((name, handle))
        if name == "nvmlInit":
            if self.init is not None:
                raise self.init()
            return None
        index = handle[0] if isinstance(handle, tuple) else handle
        for key in (name, (name, index)):
            if key in self.fails:
                raise self.fails[key]()
        return getattr(self, f"_{name}", lambda *_: None)(*args)

    def count(self, name: str) -> int:
        """How often a call was made."""
        return sum(call == name for call, _ in self.calls)

    def _nvmlDeviceGetCount(self) -> int:
        return len(self.cards)

    def _nvmlDeviceGetHandleByIndex(self, index: int) -> int:
        return index

    def _nvmlDeviceGetName(self, handle: int) -> str:
        return str(self.cards[handle]["name"])

    def _nvmlDeviceGetUUID(self, handle: Any) -> str:
        index, part = handle if isinstance(handle, tuple) else (handle, None)
        uuid = str(self.cards[index]["uuid"])
        return uuid if part is None else f"MIG-{uuid}-{part}"

    def _nvmlDeviceGetPciInfo(self, handle: int) -> Any:
        return types.SimpleNamespace(busId=f"00000000:0{handle}:00.0")

    def _nvmlDeviceGetMemoryInfo(self, handle: Any, version: int | None = None) -> Any:
        index, part = handle if isinstance(handle, tuple) else (handle, None)
        card = self.cards[index]
        if version is not None and card.get("no_v2"):
            raise pynvml.NVMLError(pynvml.NVML_ERROR_FUNCTION_NOT_FOUND)
        share = 1 if part is None else len(card["mig"])
        # The first call counts what the driver reserves as used.
        used = card["used"] + (0 if version else 600 << 20)
        return types.SimpleNamespace(total=card["total"] // share, used=used // share)

    def _nvmlDeviceGetMigMode(self, handle: int) -> list[int]:
        return [1, 1] if self.cards[handle].get("mig") else [0, 0]

    def _nvmlDeviceGetMaxMigDeviceCount(self, handle: int) -> int:
        return 7

    def _nvmlDeviceGetMigDeviceHandleByIndex(self, handle: int, part: int) -> tuple[int, int]:
        if part not in self.cards[handle]["mig"]:
            raise pynvml.NVMLError(pynvml.NVML_ERROR_NOT_FOUND)
        return handle, part

    def _nvmlDeviceGetUtilizationRates(self, handle: int) -> Any:
        return types.SimpleNamespace(gpu=99, memory=40)

    def _nvmlDeviceGetPowerUsage(self, handle: int) -> int:
        return 691_000

    def _nvmlDeviceGetTemperature(self, handle: int, sensor: int) -> int:
        return int(self.cards[handle].get("heat", 57))

    def _nvmlDeviceGetTemperatureThreshold(self, handle: int, kind: int) -> int:
        return 89

    def _nvmlDeviceGetClockInfo(self, handle: int, kind: int) -> int:
        return 1980

    def _nvmlDeviceGetCurrentClocksThrottleReasons(self, handle: int) -> int:
        return int(self.cards[handle].get("reasons", 1))

    def _nvmlDeviceGetComputeRunningProcesses(self, handle: Any) -> list[Any]:
        index = handle[0] if isinstance(handle, tuple) else handle
        return [types.SimpleNamespace(pid=pid, usedGpuMemory=used) for pid, used in self.cards[index].get("held", ())]


def error(code: int) -> type[Exception]:
    """The error class that pynvml raises for a code."""
    return type(pynvml.NVMLError(code))
