"""NVIDIA cards through NVML. It ignores CUDA_VISIBLE_DEVICES and counts in PCI order, as `nvidia-smi` does.

`used` is that of the second memory call, which is what `nvidia-smi` shows; the first counts what the driver reserves as
used (read on an H200, driver 580). Settings of a card are only read, never changed.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import psutil

from studio.core.words import Message
from studio.telemetry.readings import Card, GpuReading, Holder
from studio.telemetry.samplers.processes import Names

_THERMAL: Final = 0x20 | 0x40
"""Clock reasons: slowed by heat in software, in hardware (nvml.h)."""
_GONE: Final = ("Uninitialized", "DriverNotLoaded", "LibRmVersionMismatch")
"""The driver itself has ended; a single card that fell off is `GpuIsLost`."""


@dataclass(frozen=True, slots=True)
class _Unit:
    """What is read as one card: a whole one, or one instance of a split one."""

    card: Card
    memory: Any
    whole: Any


class NvmlSampler:
    """`library` gives a module of pynvml's face (the real one by default)."""

    local = True

    def __init__(self, library: Callable[[], Any] | None = None) -> None:
        self.trouble: Message | None = None
        self._load = library or _pynvml
        self._nvml: Any = None
        self._units: list[_Unit] = []
        self._refused: set[tuple[str, int]] = set()
        self._v1_memory: set[int] = set()
        self._names = Names()

    def open(self) -> tuple[Card, ...]:
        """Initialise the driver's library and list its cards; `trouble` says why there are none."""
        self.close()
        nvml = self._load()
        try:
            nvml.nvmlInit()
        except nvml.NVMLError as error:
            self.trouble = _why(nvml, error)
            return ()
        self._nvml = nvml
        try:
            for index in range(nvml.nvmlDeviceGetCount()):
                self._units += self._units_of(index)
        except nvml.NVMLError as error:
            self.trouble = _why(nvml, error)
            self.close()
            return ()
        self.trouble = None if self._units else Message("gpu.none")
        return tuple(unit.card for unit in self._units)

    def sample(self) -> tuple[GpuReading, ...] | None:
        """What each card shows. A card that fell off reads as not reported; None when the driver itself is gone."""
        if self._nvml is None:
            return None
        readings = tuple(self._read(position, unit) for position, unit in enumerate(self._units))
        return readings if self._nvml is not None else None

    def close(self) -> None:
        """Leave the library."""
        nvml, self._nvml = self._nvml, None
        self._units.clear()
        self._refused.clear()
        self._v1_memory.clear()
        if nvml is not None:
            with contextlib.suppress(nvml.NVMLError):
                nvml.nvmlShutdown()

    def _units_of(self, index: int) -> list[_Unit]:
        nvml = self._nvml
        whole = nvml.nvmlDeviceGetHandleByIndex(index)
        name = _text(self._ask("nvmlDeviceGetName", index, whole)) or "NVIDIA GPU"
        pci = self._ask("nvmlDeviceGetPciInfo", index, whole)
        bus = _text(getattr(pci, "busId", "")) if pci is not None else ""
        hot = self._ask("nvmlDeviceGetTemperatureThreshold", index, whole, nvml.NVML_TEMPERATURE_THRESHOLD_SLOWDOWN)
        mode = self._ask("nvmlDeviceGetMigMode", index, whole)
        if mode and mode[0]:
            return self._instances(index, whole, name, bus, hot)
        total, unified = self._total(index, whole)
        card = Card(index, name, self._uuid(index, whole), bus, total, unified=unified, hot=hot)
        return [_Unit(card, whole, whole)]

    def _instances(self, index: int, whole: Any, name: str, bus: str, hot: float | None) -> list[_Unit]:
        found: list[_Unit] = []
        for number in range(self._ask("nvmlDeviceGetMaxMigDeviceCount", index, whole) or 0):
            try:
                part = self._nvml.nvmlDeviceGetMigDeviceHandleByIndex(whole, number)
            except self._nvml.NVMLError:  # a slot without an instance
                continue
            total, _ = self._total(index, part)
            found.append(_Unit(Card(index, name, self._uuid(index, part), bus, total, number, hot=hot), part, whole))
        return found

    def _total(self, index: int, handle: Any) -> tuple[int | None, bool]:
        """Bytes of a card, and whether they are the machine's own (NVML has no figure there, or says 0)."""
        memory = self._memory(index, handle)
        if memory is not None and memory.total:
            return int(memory.total), False
        return psutil.virtual_memory().total, True

    def _read(self, position: int, unit: _Unit) -> GpuReading:
        index, whole, nvml = unit.card.index, unit.whole, self._nvml
        if unit.card.unified:
            memory = psutil.virtual_memory()
            used: int | None = memory.total - memory.available
        else:
            shown = self._memory(index, unit.memory)
            used = None if shown is None else int(shown.used)
        load = self._ask("nvmlDeviceGetUtilizationRates", index, whole)
        power = self._ask("nvmlDeviceGetPowerUsage", index, whole)
        reasons = self._ask("nvmlDeviceGetCurrentClocksThrottleReasons", index, whole)
        return GpuReading(
            used=used,
            utilisation=None if load is None else float(load.gpu),
            power=None if power is None else power / 1000,
            temperature=self._ask("nvmlDeviceGetTemperature", index, whole, nvml.NVML_TEMPERATURE_GPU),
            clock=self._ask("nvmlDeviceGetClockInfo", index, whole, nvml.NVML_CLOCK_SM),
            throttled=None if reasons is None else bool(reasons & _THERMAL),
            holders=self._holders(index, unit.memory),
        )

    def _memory(self, index: int, handle: Any) -> Any:
        if index not in self._v1_memory:
            shown = self._ask("nvmlDeviceGetMemoryInfo", index, handle, self._nvml.nvmlMemory_v2)
            if shown is not None or ("nvmlDeviceGetMemoryInfo", index) not in self._refused:
                return shown
            self._refused.discard(("nvmlDeviceGetMemoryInfo", index))
            self._v1_memory.add(index)
        return self._ask("nvmlDeviceGetMemoryInfo", index, handle)

    def _holders(self, index: int, handle: Any) -> tuple[Holder, ...]:
        found = self._ask("nvmlDeviceGetComputeRunningProcesses", index, handle) or ()
        return tuple(
            Holder(int(one.pid), self._names.of(int(one.pid)), None if one.usedGpuMemory is None else one.usedGpuMemory)
            for one in found
        )

    def _uuid(self, index: int, handle: Any) -> str:
        return _text(self._ask("nvmlDeviceGetUUID", index, handle))

    def _ask(self, call: str, index: int, handle: Any, *more: Any) -> Any:
        """The answer of one call, or None. A call that a card does not support is not made again: it may cost 14 ms."""
        nvml = self._nvml
        if nvml is None or (call, index) in self._refused:
            return None
        try:
            return getattr(nvml, call)(handle, *more)
        except (nvml.NVMLError_NotSupported, nvml.NVMLError_FunctionNotFound, nvml.NVMLError_NoPermission):
            self._refused.add((call, index))
        except nvml.NVMLError as error:
            if type(error).__name__.endswith(_GONE):
                self.trouble = _why(nvml, error)
                self._nvml = None
        return None


def _pynvml() -> Any:
    import pynvml

    return pynvml


def _why(nvml: Any, error: Exception) -> Message:
    """Why there are no readings, for people."""
    kind = type(error).__name__.removeprefix("NVMLError_")
    known = {"LibraryNotFound": "gpu.no_driver", "DriverNotLoaded": "gpu.no_driver"}
    known |= {"LibRmVersionMismatch": "gpu.driver_changed", "NoPermission": "gpu.no_permission"}
    return Message(known.get(kind, "gpu.failed"), {"said": str(error)})


def _text(value: Any) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value or "")
