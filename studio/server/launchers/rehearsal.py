"""The embedded rehearsal server as a child that outlives us: own session, logs into files, never a pipe of ours.

A pipe whose reader died would break the server's denoise loop (serving facts §3.1): our death must not be noticed.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
from pathlib import Path

from studio.core.children import ProcessId, clean_environment
from studio.core.errors import StudioError
from studio.core.program import own_argv
from studio.core.words import say
from studio.server import records
from studio.server.records import ServerRecord, StartedBy
from studio.telemetry.steps import BAR_FORMAT

_START_TIMEOUT = 30.0


class _Outliving(subprocess.Popen[bytes]):
    """A child that is meant to go on when we drop it: Popen would warn of that."""

    def __del__(self, *_: object) -> None:
        return


class RehearsalLauncher:
    """Starts `h3studio rehearse` on a free port. `step_seconds` is its pace; `faults` go to `--fail`."""

    name_code = "server.name.rehearsal"
    grace = 5.0

    def __init__(self, started_by: StartedBy, *, step_seconds: float = 0.15, faults: tuple[str, ...] = ()) -> None:
        self.started_by = started_by
        self.step_seconds = step_seconds
        self.faults = faults
        self._children: dict[str, _Outliving] = {}

    async def start(self) -> ServerRecord:
        """Start it and wait for its address on the first line of its output."""
        return await self._announced(await asyncio.to_thread(self._spawn))

    async def stop(self, record: ServerRecord) -> None:
        """SIGTERM to the process, five seconds, then SIGKILL to its group."""
        record.process.send(signal.SIGTERM)
        if not await self._gone(record, self.grace):
            record.process.kill_group()
            await self._gone(record, 2.0)

    def how_it_ended(self, record: ServerRecord) -> str:
        """Exit code or signal, if we were its parent."""
        child = self._children.get(record.id)
        code = child.poll() if child is not None else None
        if code is None:
            return say("server.exit.unknown")
        if code < 0:
            return say("server.exit.signal", {"number": -code})
        return say("server.exit.code", {"code": code})

    def _spawn(self) -> ServerRecord:
        records.prune()
        server_id = records.new_id()
        folder = records.servers_dir() / server_id
        folder.mkdir(parents=True)
        argv = own_argv("rehearse", "--port", "0", "--step-seconds", str(self.step_seconds))
        for fault in self.faults:
            argv += ["--fail", fault]
        env = clean_environment(
            {
                "TQDM_BAR_FORMAT": BAR_FORMAT,
                "TQDM_MININTERVAL": "0",
                "VLLM_LOGGING_COLOR": "0",
                "PYTHONUNBUFFERED": "1",
            }
        )
        env.pop("TQDM_ASCII", None)  # makes every job of the real server fail (server-api §7.1)
        with (folder / "stdout.log").open("wb") as out, (folder / "stderr.log").open("wb") as err:
            child = _Outliving(
                argv, stdin=subprocess.DEVNULL, stdout=out, stderr=err, env=env, cwd="/", start_new_session=True
            )
        self._children[server_id] = child
        process = ProcessId.of(child.pid)
        return ServerRecord(
            id=server_id,
            started_by=self.started_by,
            pid=process.pid,
            started=process.started,
            boot=process.boot,
            starter=ProcessId.mine().as_dict(),
        ).save()

    async def _announced(self, record: ServerRecord) -> ServerRecord:
        try:
            async with asyncio.timeout(_START_TIMEOUT):
                while (url := _address(record.stdout)) is None:
                    if not self._running(record):
                        raise StudioError(
                            "server.start_failed",
                            mend="server.start_failed.mend",
                            name=say(self.name_code),
                            last_line=_last_line(record.stderr),
                            log=str(record.stderr),
                        )
                    await asyncio.sleep(0.05)
        except TimeoutError:
            await self.stop(record)
            raise StudioError(
                "server.start_timeout",
                mend="server.start_failed.mend",
                name=say(self.name_code),
                seconds=int(_START_TIMEOUT),
                log=str(record.stderr),
            ) from None
        except asyncio.CancelledError:
            record.process.kill_group()
            raise
        return record.model_copy(update={"url": url}).save()

    def _running(self, record: ServerRecord) -> bool:
        child = self._children.get(record.id)
        return child.poll() is None if child is not None else record.process.alive()

    async def _gone(self, record: ServerRecord, within: float) -> bool:
        loop = asyncio.get_running_loop()
        end, pause = loop.time() + within, 0.02
        while self._running(record):
            if loop.time() >= end:
                return False
            await asyncio.sleep(pause)
            pause = min(0.25, pause * 1.5)
        return True


def _address(stdout: Path) -> str | None:
    with stdout.open("rb") as fp:
        line = fp.readline(4096)
    if not line.endswith(b"\n"):
        return None
    try:
        return str(json.loads(line)["url"])
    except (ValueError, KeyError, TypeError):
        return None


def _last_line(log: Path) -> str:
    with log.open("rb") as fp:
        fp.seek(max(0, os.fstat(fp.fileno()).st_size - 4096))
        lines = [line for line in fp.read().decode("utf-8", "replace").splitlines() if line.strip()]
    return lines[-1][:300] if lines else ""
