"""Runs `systemctl`, `journalctl`, `podman` and their like: short commands with a limit, log followers into files."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from studio.core.children import clean_environment
from studio.core.errors import StudioError

_LIMIT: Final = 60.0


async def run(
    *argv: str, limit: float = _LIMIT, check: bool = True, env: Mapping[str, str] | None = None, given: bytes = b""
) -> str:
    """A command's output; `given` is its input. Raises StudioError (`tool.missing`, `tool.failed`, `tool.slow`);
    cancelling ends it.
    """
    try:
        child = await asyncio.create_subprocess_exec(
            *argv,
            stdin=asyncio.subprocess.PIPE if given else asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=clean_environment() if env is None else env,
        )
    except OSError as error:
        raise StudioError("tool.missing", mend="tool.missing.mend", tool=argv[0]) from error
    try:
        async with asyncio.timeout(limit):
            out, err = await child.communicate(given or None)
    except TimeoutError:
        raise StudioError("tool.slow", tool=" ".join(argv), seconds=int(limit)) from None
    finally:
        if child.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                child.kill()
            await child.wait()
    if check and child.returncode:
        said = (err or out).decode("utf-8", "replace").strip()
        tool = " ".join(argv)
        raise StudioError("tool.failed", detail=said, tool=tool, status=child.returncode, said=said[-300:])
    return out.decode("utf-8", "replace")


async def follow(argv: Sequence[str], log: Path) -> None:
    """Write a command's output into a fresh file until it ends or this is cancelled, which ends it."""
    with log.open("wb") as fp:
        child = await asyncio.create_subprocess_exec(
            *argv,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=fp,
            stderr=asyncio.subprocess.DEVNULL,
            env=clean_environment(),
        )
    try:
        await child.wait()
    finally:
        if child.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                child.send_signal(signal.SIGTERM)
            await child.wait()


def properties(text: str) -> dict[str, str]:
    """`Key=value` lines, as `systemctl show` prints them."""
    return dict(line.split("=", 1) for line in text.splitlines() if "=" in line)
