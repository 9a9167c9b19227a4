"""What goes wrong rarely: driver and CUDA apart, MIG, a throttled card, WSL, huge pages, the deploy file, the cards."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from studio.server.deploy_file import FLAG, located
from studio.server.doctor.check import Check, Level, passed, trouble
from studio.server.launch import Launch
from studio.server.machine import GIB, Machine

_CUDA_LEAST: Final = (13, 0)
_DRIVER_OF_CUDA_13: Final = 580
_POWER_LEAST: Final = 0.9
"""Share of a card's own limit under which a set one is worth a word."""
_SET_ASIDE: Final = 0.05
_SHM_WANTED: Final = 32


def check_cards_state(machine: Machine) -> Iterator[Check]:
    """The driver against its CUDA, and what was set on the cards."""
    major = machine.driver.split(".")[0]
    if machine.cuda and major.isdigit() and int(major) >= _DRIVER_OF_CUDA_13 and machine.cuda < _CUDA_LEAST:
        # libcuda of another driver is first on the library path, as in images that bring a compat folder.
        cuda = ".".join(map(str, machine.cuda))
        yield trouble(Level.WARN, "cuda_apart", driver=machine.driver, cuda=cuda)
    for gpu in machine.gpus:
        if gpu.mig:
            yield trouble(Level.FAIL, "mig", f"sudo nvidia-smi -i {gpu.index} -mig 0", index=gpu.index)
        if gpu.power_default and gpu.power_limit < gpu.power_default * _POWER_LEAST:
            command = f"sudo nvidia-smi -i {gpu.index} -pl {gpu.power_default:.0f}"
            limits = {"limit": round(gpu.power_limit), "default": round(gpu.power_default)}
            yield trouble(Level.WARN, "power", command, index=gpu.index, **limits)


def check_system(proc: Path = Path("/proc")) -> Iterator[Check]:
    """WSL, and memory that is set aside as huge pages. Reads two files under `proc`."""
    if "microsoft" in _text(proc / "version").lower():
        yield trouble(Level.WARN, "wsl")
    words = {name: int(rest.split()[0]) for name, rest in _fields(_text(proc / "meminfo")) if rest.split()}
    aside = words.get("HugePages_Free", 0) * words.get("Hugepagesize", 0)
    if aside > _SET_ASIDE * words.get("MemTotal", 0) > 0:
        gib = round(aside * 1024 / GIB, 1)
        yield trouble(Level.WARN, "hugepages", "sudo sysctl vm.nr_hugepages=0", gib=gib)


def check_launch_extras(launch: Launch) -> Iterator[Check]:
    """The order of the cards, and the deploy file of a launch in stages."""
    devices = [name for name in launch.place.devices.split(",") if name]
    if devices and len(devices) != launch.profile.gpus:
        names, wanted = launch.place.devices, launch.profile.gpus
        yield trouble(Level.FAIL, "devices", devices=names, count=len(devices), wanted=wanted)
    if FLAG not in launch.argv:
        return
    if launch.container is not None:
        yield Check(Level.UNKNOWN, trouble(Level.UNKNOWN, "deploy_there", gpus=launch.profile.gpus).message)
    elif (path := located(launch.argv)) is None:
        name = launch.argv[launch.argv.index(FLAG) + 1]
        yield trouble(Level.FAIL, "no_deploy", name=name, program=launch.argv[0])
    else:
        yield passed("deploy", path=str(path), gpus=launch.profile.gpus)


def check_shared_memory_of(container: str, size: int, ipc: str) -> Iterator[Check]:
    """`/dev/shm` of a container, in bytes: 64 MB unless it was made with more, or shares the machine's."""
    if ipc == "host" or size >= 8 * GIB:
        yield passed("container_shm", name=container)
    else:
        mib = round(size / (1 << 20))
        yield trouble(Level.FAIL, "container_shm_small", f"--shm-size {_SHM_WANTED}g", name=container, mib=mib)


def _fields(text: str) -> Iterator[tuple[str, str]]:
    for line in text.splitlines():
        name, colon, rest = line.partition(":")
        if colon:
            yield name, rest


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8", "replace")
    except OSError:
        return ""
