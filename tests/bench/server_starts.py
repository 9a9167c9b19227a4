"""Fifty starts and stops of stand-ins that crash, hang, ignore SIGTERM, leave workers, daemonise, or lose the port.

python tests/bench/server_starts.py [TURNS]     prints what each way ended in, how long a stop took, and orphans
"""

from __future__ import annotations

import asyncio
import collections
import os
import socket
import sys
import tempfile
import time
from pathlib import Path

import psutil
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from studio.core.errors import StudioError
from studio.server import ProcessLauncher, Profile, ServerManager
from studio.server.launch import Place, plan
from tests.helpers.standins import install
from tests.helpers.standins.programs import free_port

WAYS = ("", "crash", "hang", "deaf", "workers,deaf_workers", "daemon,deaf_workers", "usage", "killed", "port", "dies")


async def turn(way: str) -> tuple[str, float]:
    os.environ["STANDIN_VLLM"] = way
    port = free_port()
    profile = Profile(id="standin", title="Stand-in", grace_s=0.5, args=("--port", "{port}"))
    manager = ServerManager(ProcessLauncher("cli", plan(profile, Place("/m", port=port))), nvml=lambda: None)
    taken = socket.create_server(("127.0.0.1", port)) if way == "port" else None
    ended = "ready"
    try:
        async with asyncio.timeout(4 if way == "hang" else 60):
            await manager.start()
    except TimeoutError:
        ended = "given up"
    except StudioError as error:
        ended = error.code
    began = time.monotonic()
    await manager.stop()
    seconds = time.monotonic() - began
    await manager.aclose()
    if taken is not None:
        taken.close()
    return f"{ended}, then {manager.status.state}", seconds


async def run(turns: int) -> None:
    ends: dict[str, collections.Counter[str]] = collections.defaultdict(collections.Counter)
    slowest = 0.0
    for number in range(turns):
        way = WAYS[number % len(WAYS)]
        ended, seconds = await turn(way)
        ends[way or "well"][ended] += 1
        slowest = max(slowest, seconds)
    for way, counted in ends.items():
        print(f"{way:<24} {dict(counted)}")
    mark = f"STANDIN_STATE={os.environ['STANDIN_STATE']}".encode()
    orphans = [pid for pid in psutil.pids() if pid != os.getpid() and mark in environment(pid)]
    print(f"{turns} starts, slowest stop {slowest:.1f} s, orphans: {orphans}")


def environment(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return b""


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", f"{folder}/data")
        install(Path(folder), patch)
        asyncio.run(run(int(sys.argv[1]) if len(sys.argv) > 1 else 50))
