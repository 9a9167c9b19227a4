"""Whether a profile fits a machine, and if not, why: each reason with the number and what is asked for."""

from __future__ import annotations

import re
from typing import Final

from studio.core.words import Message, Param
from studio.server.machine import GIB, Gpu, Machine
from studio.server.profiles import Profile

# A "96 GB" card shows 94.97 GiB to NVML, a "24 GB" one 23.5.
_CARD_SLACK: Final = 0.96
_RAM_SLACK: Final = 0.95


def reasons_against(profile: Profile, machine: Machine) -> tuple[Message, ...]:
    """Why the profile does not fit; empty when it does."""
    if not profile.launchable:
        return (Message("fit.not_launchable", {"why": profile.compat_0_30_0}),)
    found = [_cards(profile, machine), _ram(profile, machine), _processor(profile, machine)]
    return tuple(reason for reason in found if reason is not None)


def usable(profile: Profile, machine: Machine) -> list[Gpu]:
    """The cards that have the memory and the architecture that the profile asks for."""
    return [gpu for gpu in machine.gpus if _arch_fits(profile, gpu) and _memory_fits(profile, gpu)]


def _cards(profile: Profile, machine: Machine) -> Message | None:
    params: dict[str, Param] = {
        "wanted": profile.gpus,
        "found": len(machine.gpus),
        "gib": profile.vram_gib_per_gpu,
        "arch": profile.arch,
    }
    if profile.gpus == 0:
        return None
    if profile.vendor == "amd":
        return Message("fit.amd", params)
    if len(machine.gpus) < profile.gpus:
        return Message("fit.no_gpu" if not machine.gpus else "fit.gpus", params)
    with_arch = [gpu for gpu in machine.gpus if _arch_fits(profile, gpu)]
    if len(with_arch) < profile.gpus:
        return Message("fit.arch", params | {"name": machine.gpus[0].name, "has": machine.gpus[0].arch})
    if len(usable(profile, machine)) < profile.gpus:
        smallest = min(with_arch, key=lambda gpu: gpu.total)
        return Message("fit.vram", params | {"name": smallest.name, "has": round(smallest.total / GIB, 1)})
    return None


def _arch_fits(profile: Profile, gpu: Gpu) -> bool:
    wanted = set(re.findall(r"\d{2,3}", profile.arch.partition("(")[0])) if profile.arch.startswith("sm_") else set()
    return not wanted or not gpu.arch or gpu.arch.removeprefix("sm_") in wanted


def _memory_fits(profile: Profile, gpu: Gpu) -> bool:
    return gpu.total >= profile.vram_gib_per_gpu * GIB * _CARD_SLACK and gpu.unified >= profile.unified_memory


def _ram(profile: Profile, machine: Machine) -> Message | None:
    wanted = profile.host_ram_gib_min or 0
    if machine.ram_total >= wanted * GIB * _RAM_SLACK:
        return None
    return Message("fit.ram", {"wanted": wanted, "has": round(machine.ram_total / GIB, 1)})


def _processor(profile: Profile, machine: Machine) -> Message | None:
    wanted = "aarch64" if "aarch64" in profile.arch else ""
    if wanted and machine.processor != wanted:
        return Message("fit.processor", {"wanted": wanted, "has": machine.processor})
    return None
