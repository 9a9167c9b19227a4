"""What a server needs around it: cards, memory, disk, port, programs, a user session, time limits."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Final, Literal

from studio.core.children import clean_environment
from studio.core.files import free_bytes
from studio.server import ports
from studio.server.doctor.check import Check, Level, passed, trouble
from studio.server.doctor.version import check_version
from studio.server.family import has_parent
from studio.server.fitting import reasons_against, usable
from studio.server.gpu_release import WORKER
from studio.server.launch import Launch
from studio.server.machine import GIB, Machine
from studio.server.profiles import TASKS, Profile

Keeper = Literal["quadlet", "podman", "docker"]
"""What keeps a container: systemd through a quadlet, or an engine by itself."""
_VRAM_MARGIN_GIB: Final = 2
_SHM_LEAST: Final = 8 * GIB
_RESULTS_LEAST: Final = GIB
_DRIVER_LEAST: Final = 580
_PODMAN_LEAST: Final = (4, 4)
"""The first with quadlet."""


def check_machine(profile: Profile, machine: Machine) -> Iterator[Check]:
    """Cards, driver, and main memory."""
    reasons = reasons_against(profile, machine)
    for reason in reasons:
        yield Check(Level.FAIL, reason)
    if profile.gpus and not reasons:
        yield passed("gpus", count=profile.gpus, name=usable(profile, machine)[0].name)
    if machine.driver:
        major = int(machine.driver.split(".")[0]) if machine.driver.split(".")[0].isdigit() else 0
        old = major < _DRIVER_LEAST
        yield (
            trouble(Level.WARN, "driver_old", driver=machine.driver) if old else passed("driver", driver=machine.driver)
        )
    if any(gpu.unified for gpu in machine.gpus):
        yield passed("unified")
    wanted, free = profile.host_ram_gib_min or 0, round(machine.ram_available / GIB, 1)
    if any(reason.code == "fit.ram" for reason in reasons):
        return
    if wanted and free < wanted * 0.9:
        yield trouble(Level.WARN, "ram_low", wanted=wanted, free=free)
    else:
        yield passed("ram", free=free)


def check_video_memory(profile: Profile, machine: Machine) -> Iterator[Check]:
    """Free memory on the cards that would be used, and who holds the rest."""
    wanted = _peak(profile)
    for gpu in usable(profile, machine)[: profile.gpus]:
        free = round(gpu.free / GIB, 1)
        if free >= wanted + _VRAM_MARGIN_GIB:
            yield passed("vram", index=gpu.index, free=free)
            continue
        who = ", ".join(f"{holder.name} (pid {holder.pid})" for holder in gpu.holders) or "–"
        yield trouble(Level.WARN, "vram_low", index=gpu.index, free=free, wanted=wanted, who=who)
    workers = {holder.pid for gpu in machine.gpus for holder in gpu.holders if holder.name.startswith(WORKER)}
    for pid in sorted(pid for pid in workers if not has_parent(pid)):
        yield trouble(Level.WARN, "worker_there", f"kill {pid}", pid=pid)


def check_disk(profile: Profile, root: str, storage: Path) -> Iterator[Check]:
    """Room for the download, where nothing is there yet, and for results."""
    folder = Path(root) if root else Path.home()
    free = round(free_bytes(folder) / GIB, 1)
    there = root and (Path(root) / (profile.model_path_suffix or "FL2VA")).is_dir()
    if not there and profile.disk_gib * 1.1 > free:
        yield trouble(Level.FAIL, "disk_low", wanted=round(profile.disk_gib * 1.1), free=free, path=str(folder))
    else:
        yield passed("disk", free=free, path=str(folder))
    if (room := free_bytes(storage)) < _RESULTS_LEAST:
        yield trouble(Level.WARN, "storage_low", free=round(room / GIB, 2), path=str(storage))


def check_port(launch: Launch) -> Iterator[Check]:
    """The port, and by whom it is taken. Blocking, some ms."""
    if ports.is_free(launch.place.host, launch.port):
        yield passed("port", port=launch.port)
        return
    who = ports.holder(launch.port)
    name = f"{who.name} (pid {who.pid})" if who.pid is not None else "–"
    yield trouble(Level.FAIL, "port_taken", port=launch.port, who=name, url=launch.url)


def check_programs(launch: Launch, engine: Keeper = "quadlet") -> Iterator[Check]:
    """What must be on PATH: the server's own program or a container engine, and ffmpeg where the server runs."""
    if launch.container is not None and engine == "docker":
        yield _docker()
        yield from _container_path(launch)
        return
    if launch.container is not None:
        yield _podman()
        yield from _container_path(launch)
        has_cdi = any(Path(folder).glob("*.y*ml") for folder in ("/etc/cdi", "/var/run/cdi") if Path(folder).is_dir())
        if launch.profile.vendor == "nvidia" and not has_cdi:
            yield trouble(Level.FAIL, "no_cdi", "sudo nvidia-ctk cdi generate --output=/etc/cdi/nvidia.yaml")
        if engine == "quadlet":
            yield from _user_session()
        return
    program = launch.profile.program[0]
    there = shutil.which(program) is not None
    yield passed("program", program=program) if there else trouble(Level.FAIL, "no_program", program=program)
    if launch.argv[0] == "numactl" and shutil.which("numactl") is None:
        yield trouble(Level.FAIL, "no_numactl")
    yield from check_version(program) if launch.profile.is_vllm else ()
    missing = [name for name in ("ffmpeg", "ffprobe") if shutil.which(name, path=launch.env.get("PATH")) is None]
    # What renders from clips alone has no use without.
    level = Level.FAIL if launch.profile.tasks == TASKS[2:] else Level.WARN
    yield trouble(level, "no_ffmpeg", names=", ".join(missing)) if missing else passed("ffmpeg")
    yield from _shared_memory()


def _peak(profile: Profile) -> float:
    peak = profile.measured.get("peak_gib_per_gpu")
    values = peak.values() if isinstance(peak, dict) else (peak,)
    known = [float(value) for value in values if isinstance(value, int | float)]
    return max(known, default=profile.vram_gib_per_gpu * 0.8)


def _podman() -> Check:
    if shutil.which("podman") is None:
        return trouble(Level.FAIL, "no_podman")
    argv = ("podman", "version", "--format", "{{.Client.Version}}")
    try:
        done = subprocess.run(argv, capture_output=True, text=True, timeout=5, check=True, env=clean_environment())
        version = done.stdout.strip()
        numbers = tuple(map(int, version.split(".")[:2]))
    except (OSError, ValueError, subprocess.SubprocessError):
        return trouble(Level.WARN, "podman_silent")
    old = numbers < _PODMAN_LEAST
    return trouble(Level.FAIL, "podman_old", version=version) if old else passed("podman", version=version)


def _container_path(launch: Launch) -> Iterator[Check]:
    """Where the model lies in the container: images before 0.30 know it by that folder's name alone."""
    there = launch.profile.runtime.container_model if launch.profile.runtime is not None else ""
    if launch.profile.is_vllm and there and PurePosixPath(there).name != "MiniMax-H3":
        yield trouble(Level.WARN, "container_path", path=there)


def _docker() -> Check:
    """Whether docker's service answers this user."""
    if shutil.which("docker") is None:
        return trouble(Level.FAIL, "no_docker")
    argv = ("docker", "info", "--format", "{{.ServerVersion}}")
    try:
        done = subprocess.run(argv, capture_output=True, text=True, timeout=5, check=True, env=clean_environment())
    except (OSError, subprocess.SubprocessError):
        return trouble(Level.FAIL, "docker_silent")
    return passed("docker", version=done.stdout.strip())


def _user_session() -> Iterator[Check]:
    if shutil.which("systemctl") is None or not os.environ.get("XDG_RUNTIME_DIR"):
        yield trouble(Level.FAIL, "no_session")
        return
    yield passed("session")
    with contextlib.suppress(KeyError, OSError):
        import pwd

        user = pwd.getpwuid(os.getuid()).pw_name
        if not (Path("/var/lib/systemd/linger") / user).exists():
            yield trouble(Level.WARN, "no_linger", "loginctl enable-linger", user=user)


def _shared_memory() -> Iterator[Check]:
    try:
        stat = os.statvfs("/dev/shm")
    except OSError:
        return
    size = stat.f_blocks * stat.f_frsize
    gib = round(size / GIB, 1)
    yield trouble(Level.WARN, "shm_small", gib=gib) if size < _SHM_LEAST else passed("shm", gib=gib)
