"""The doctor on another machine: one look over ssh gives everything that can be known of it."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from typing import Final

from studio.contract import Shot
from studio.core.errors import StudioError
from studio.core.words import Message
from studio.server.doctor.check import Check, Level, passed, trouble
from studio.server.doctor.flags import check_flags
from studio.server.doctor.requests import check_requests
from studio.server.doctor.version import ASK, judge
from studio.server.launch import Launch
from studio.server.machine import GIB
from studio.server.profiles import TASKS, Profile
from studio.server.ssh import SshHost

_SKEW_LEAST: Final = 5.0
_SHM_LEAST: Final = 8 * GIB
_VRAM_SLACK: Final = 0.96
# $1: the program, $2: the model's folder, $3: what a Python is asked for versions.
_LOOK: Final = """
echo "time=$(date +%s.%N)"
echo "program=$(command -v "$1")"
read -r first <"$(command -v "$1")" 2>/dev/null
case $first in "#!"*python*) "${first#??}" -I -c "$3" 2>/dev/null | sed 's/^/version=/' ;; esac
[ -f "$2/model_index.json" ] && echo model=1
for name in ffmpeg ffprobe; do command -v $name >/dev/null || echo "missing=$name"; done
df -Pk "$2" 2>/dev/null | awk 'NR==2 {print "disk=" $4}'
df -Pk /dev/shm 2>/dev/null | awk 'NR==2 {print "shm=" $2}'
awk '/^MemAvailable/ {print "ram=" $2}' /proc/meminfo
nvidia-smi --query-gpu=index,name,memory.total,memory.free,driver_version --format=csv,noheader,nounits 2>/dev/null |
    sed 's/^/gpu=/'
exit 0
"""


async def examine_remote(host: str, launch: Launch, shots: Iterable[Shot] = ()) -> list[Check]:
    """Every check of a launch on a host, worst first; one failed check when it cannot be reached.

    `shots` are what it is to render.
    """
    profile = launch.profile
    model = launch.argv[2] if profile.is_vllm and len(launch.argv) > 2 else launch.place.model_root
    ssh, sent = SshHost(host, "doctor"), time.time()
    try:
        said = await ssh.run(_LOOK, launch.argv[0], model, ASK)
        listens = await ssh.listens(launch.port)
    except StudioError as error:
        mend = None if error.mend is None else Message(error.mend, error.params)
        return [Check(Level.FAIL, error.message, mend)]
    there: dict[str, list[str]] = {}
    for line in said.splitlines():
        name, _, value = line.partition("=")
        there.setdefault(name, []).append(value)
    found = [passed("host", host=host), *_clock(host, there, sent, time.time()), *_cards(profile, there)]
    found += [
        *_programs(launch, host, there),
        *_room(launch, there),
        *(check_flags(profile) if profile.is_vllm else ()),
        *check_requests(profile, shots),
    ]
    if listens:
        found.append(trouble(Level.FAIL, "port_there", host=host, port=launch.port))
    return sorted(found, key=lambda check: -check.level)


def _clock(host: str, there: dict[str, list[str]], sent: float, got: float) -> Iterator[Check]:
    """Jobs are recognised after a break by the server's times (`created_at`): a clock that is off is told."""
    try:
        theirs = float(there["time"][0])
    except (KeyError, ValueError):
        return
    skew = theirs - got if theirs > got else min(0.0, theirs - sent)
    if abs(skew) >= _SKEW_LEAST:
        yield trouble(Level.WARN, "clock_off", "timedatectl set-ntp true", host=host, seconds=round(skew))
    else:
        yield passed("clock", host=host)


def _cards(profile: Profile, there: dict[str, list[str]]) -> Iterator[Check]:
    cards = [[word.strip() for word in row.split(",")] for row in there.get("gpu", [])]
    wanted = profile.vram_gib_per_gpu * 1024 * _VRAM_SLACK
    big = [card for card in cards if len(card) == 5 and card[2].isdigit() and int(card[2]) >= wanted]
    if len(big) < profile.gpus:
        count, gib = profile.gpus, profile.vram_gib_per_gpu
        yield trouble(Level.FAIL, "cards_there", wanted=count, gib=gib, found=len(cards))
        return
    if profile.gpus:
        yield passed("gpus", count=profile.gpus, name=big[0][1])
    if big and (driver := big[0][4]).split(".")[0].isdigit() and int(driver.split(".")[0]) < 580:
        yield trouble(Level.WARN, "driver_old", driver=driver)


def _programs(launch: Launch, host: str, there: dict[str, list[str]]) -> Iterator[Check]:
    if not there.get("program", [""])[0]:
        yield trouble(Level.FAIL, "no_program_there", program=launch.argv[0], host=host)
    else:
        yield passed("program", program=there["program"][0])
        if launch.profile.is_vllm:
            yield judge("\n".join(there.get("version", ())), launch.argv[0])
    if launch.profile.is_vllm and "model" not in there:
        yield trouble(Level.FAIL, "no_model_there", path=launch.argv[2], host=host)
    if missing := there.get("missing"):
        level = Level.FAIL if launch.profile.tasks == TASKS[2:] else Level.WARN
        yield trouble(level, "no_ffmpeg", names=", ".join(missing))


def _room(launch: Launch, there: dict[str, list[str]]) -> Iterator[Check]:
    shm, ram = (_kib(there, name) for name in ("shm", "ram"))
    if shm is not None:
        gib = round(shm / GIB, 1)
        yield trouble(Level.WARN, "shm_small", gib=gib) if shm < _SHM_LEAST else passed("shm", gib=gib)
    wanted = launch.profile.host_ram_gib_min or 0
    if ram is not None and ram / GIB < wanted * 0.9:
        yield trouble(Level.WARN, "ram_low", wanted=wanted, free=round(ram / GIB, 1))


def _kib(there: dict[str, list[str]], name: str) -> int | None:
    value = there.get(name, [""])[0]
    return int(value) * 1024 if value.isdigit() else None
