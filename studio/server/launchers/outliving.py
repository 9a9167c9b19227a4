"""Child processes that outlive us: own session, logs into files, never a pipe of ours.

A pipe whose reader died would break the server's denoise loop (serving facts §3.1): our death must not be noticed.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from studio.core.children import ProcessId, clean_environment
from studio.core.errors import StudioError
from studio.core.tasks import on_thread
from studio.core.words import say
from studio.server import records
from studio.server.family import MARK
from studio.server.launch import REMOVED
from studio.server.records import Kind, ServerRecord, StartedBy


class _Child(subprocess.Popen[bytes]):
    """A child that is meant to go on when we drop it: Popen would warn of that."""

    def __del__(self, *_: object) -> None:
        return


class Outliving:
    """Starts such children and remembers them, so that their exit codes can be told while we are their parent."""

    def __init__(self) -> None:
        self._children: dict[str, _Child] = {}

    def spawn(
        self,
        argv: Sequence[str],
        env: Mapping[str, str],
        *,
        kind: Kind,
        started_by: StartedBy,
        grace: float,
        profile: str | None = None,
        url: str | None = None,
        time_limit: int | None = None,
    ) -> ServerRecord:
        """Start a program; its record is on disk when this returns. Blocking. Raises StudioError."""
        records.prune()
        server_id = records.new_id()
        folder = records.servers_dir() / server_id
        folder.mkdir(parents=True)
        environment = clean_environment({**env, MARK: server_id})
        for name in REMOVED:
            environment.pop(name, None)
        try:
            with (folder / "stdout.log").open("wb") as out, (folder / "stderr.log").open("wb") as err:
                child = _Child(
                    list(argv),
                    stdin=subprocess.DEVNULL,
                    stdout=out,
                    stderr=err,
                    env=environment,
                    cwd="/",
                    start_new_session=True,
                )
        except OSError as error:
            code = "server.no_program" if isinstance(error, FileNotFoundError) else "server.not_executable"
            why = error.strerror or str(error)
            raise StudioError(code, mend="server.no_program.mend", program=argv[0], why=why) from error
        self._children[server_id] = child
        process = ProcessId.of(child.pid)
        return ServerRecord(
            id=server_id,
            kind=kind,
            started_by=started_by,
            pid=process.pid,
            started=process.started,
            boot=process.boot,
            starter=ProcessId.mine().as_dict(),
            profile=profile,
            grace=grace,
            url=url,
            time_limit=time_limit,
        ).save()

    async def start(self, spawn: Callable[[], ServerRecord]) -> ServerRecord:
        """Call `spawn` on a thread. Cancelled meanwhile, what it started is ended: nobody else would know of it."""
        return await on_thread(spawn, dropped=lambda started: started.process.kill_group())

    def running(self, record: ServerRecord) -> bool:
        """Whether the server's main process still runs."""
        child = self._children.get(record.id)
        return child.poll() is None if child is not None else record.process.alive()

    def how_it_ended(self, record: ServerRecord) -> str:
        """Exit code or signal, if we were its parent."""
        child = self._children.get(record.id)
        code = child.poll() if child is not None else None
        if code is None:
            return say("server.exit.unknown")
        if code in (-9, 137):
            return say("server.exit.killed")
        if code < 0:
            return say("server.exit.signal", {"number": -code})
        return say("server.exit.usage" if code == 2 else "server.exit.code", {"code": code})


def last_line(log: Path) -> str:
    """The last line of a log that is not blank, at most 300 characters."""
    with log.open("rb") as fp:
        fp.seek(max(0, os.fstat(fp.fileno()).st_size - 4096))
        lines = [line for line in fp.read().decode("utf-8", "replace").splitlines() if line.strip()]
    return lines[-1][:300] if lines else ""
