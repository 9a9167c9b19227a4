"""AMD cards through the kernel's own files: `/sys/class/drm/card*/device` (amdgpu driver, Linux ≥ 5.x)."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from studio.core.words import Message
from studio.telemetry.readings import Card, GpuReading

_AMD: Final = "0x1002"
_CARD: Final = re.compile(r"card\d+")


class AmdgpuSampler:
    """Each value is one small file; one that is missing or unreadable is not reported."""

    local = True

    def __init__(self, root: Path = Path("/sys/class/drm")) -> None:
        self.trouble: Message | None = None
        self._root = root
        self._devices: list[Path] = []

    def open(self) -> tuple[Card, ...]:
        """Find the cards, in PCI order."""
        self._devices = sorted(filter(_is_amd, self._candidates()), key=lambda device: _pci(device))
        self.trouble = None if self._devices else Message("gpu.none")
        return tuple(_card(index, device) for index, device in enumerate(self._devices))

    def sample(self) -> tuple[GpuReading, ...] | None:
        """What each card shows; None when all of them are gone."""
        if self._devices and not any(device.exists() for device in self._devices):
            return None
        return tuple(map(_reading, self._devices))

    def close(self) -> None:
        """No file stays open."""
        self._devices = []

    def _candidates(self) -> list[Path]:
        if not self._root.is_dir():
            return []
        return [entry / "device" for entry in self._root.iterdir() if _CARD.fullmatch(entry.name)]


def _is_amd(device: Path) -> bool:
    return _read(device / "vendor") == _AMD and (device / "mem_info_vram_total").exists()


def _card(index: int, device: Path) -> Card:
    name = _read(device / "product_name") or "AMD GPU"
    hot = _number(next(device.glob("hwmon/hwmon*/temp1_crit"), None))
    return Card(
        index,
        name,
        _read(device / "unique_id"),
        _pci(device),
        _whole(device / "mem_info_vram_total"),
        hot=None if hot is None else hot / 1000,
    )


def _reading(device: Path) -> GpuReading:
    power = _number(next(device.glob("hwmon/hwmon*/power1_average"), None))
    heat = _number(next(device.glob("hwmon/hwmon*/temp1_input"), None))
    clock = _number(next(device.glob("hwmon/hwmon*/freq1_input"), None))
    return GpuReading(
        used=_whole(device / "mem_info_vram_used"),
        utilisation=_number(device / "gpu_busy_percent"),
        power=None if power is None else power / 1e6,
        temperature=None if heat is None else heat / 1000,
        clock=None if clock is None else clock / 1e6,
    )


def _pci(device: Path) -> str:
    found = re.search(r"PCI_SLOT_NAME=(\S+)", _read(device / "uevent"))
    return found[1] if found else device.parent.name


def _whole(path: Path) -> int | None:
    value = _number(path)
    return None if value is None else int(value)


def _number(path: Path | None) -> float | None:
    try:
        return None if path is None else float(_read(path))
    except ValueError:
        return None


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8", "replace").strip()
    except OSError:
        return ""
