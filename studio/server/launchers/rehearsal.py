"""The embedded rehearsal server, as a child that outlives us."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Final

from studio.core.children import ProcessId
from studio.core.errors import StudioError
from studio.core.program import own_argv
from studio.core.words import say
from studio.server.ending import Ending, end
from studio.server.launch import READABLE_LOG, storage_of
from studio.server.launchers.outliving import Outliving, last_line
from studio.server.profiles import PARTITION_TASKS, TASKS
from studio.server.records import ServerRecord, StartedBy

_START_TIMEOUT: Final = 30.0
_GRACE: Final = 5.0
_KEPT: Final = {"VLLM_OMNI_SERVER_STORAGE__FILE_TTL": str(24 * 3600)}
"""A day for a result that could not be fetched before the server ended (`jobs.salvage`); the next start clears it."""


class RehearsalLauncher:
    """Starts `h3studio rehearse` on a free port. `step_seconds` is its pace; `faults` go to `--fail`.

    `task_type` is the partition that it plays: combined, fl2va or ref2va.
    """

    name_code = "server.name.rehearsal"

    def __init__(
        self,
        started_by: StartedBy,
        *,
        step_seconds: float = 0.15,
        faults: tuple[str, ...] = (),
        task_type: str = "combined",
    ) -> None:
        self.started_by = started_by
        self.step_seconds = step_seconds
        self.faults = faults
        self.task_type = task_type
        self._children = Outliving()

    async def start(self) -> ServerRecord:
        """Start it and wait for its address on the first line of its output."""
        return await self.announced(await self._children.start(self._spawn))

    async def stop(self, record: ServerRecord, ending: Ending | None = None) -> list[ProcessId]:
        """SIGTERM to the process, five seconds, then everything of it."""
        return await end(record, lambda: self._children.running(record), ending or Ending())

    async def follow_log(self, record: ServerRecord) -> None:
        """It writes its log files itself."""

    def takes(self, record: ServerRecord) -> bool:
        """Whether it is a rehearsal server of the same partition."""
        return record.kind == "rehearsal" and (record.tasks or TASKS) == PARTITION_TASKS[self.task_type]

    def how_it_ended(self, record: ServerRecord) -> str:
        """Exit code or signal, if we were its parent."""
        return self._children.how_it_ended(record)

    def _spawn(self) -> ServerRecord:
        argv = own_argv("rehearse", "--port", "0", "--step-seconds", str(self.step_seconds))
        argv += ["--storage", str(storage_of("rehearsal"))]
        if self.task_type != "combined":
            argv += ["--task-type", self.task_type]
        for fault in self.faults:
            argv += ["--fail", fault]
        env = READABLE_LOG | _KEPT
        record = self._children.spawn(argv, env, kind="rehearsal", started_by=self.started_by, grace=_GRACE)
        return record.model_copy(update={"tasks": PARTITION_TASKS[self.task_type]}).save()

    async def announced(self, record: ServerRecord) -> ServerRecord:
        """Wait for the address of one that was started, by us or by a studio that died meanwhile. Raises StudioError
        when it gives none; it is ended then."""
        try:
            async with asyncio.timeout(_START_TIMEOUT):
                while (url := _address(record.stdout)) is None:
                    if not self._children.running(record):
                        raise StudioError(
                            "server.start_failed",
                            mend="server.start_failed.mend",
                            name=say(self.name_code),
                            last_line=last_line(record.stderr),
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


def _address(stdout: Path) -> str | None:
    with stdout.open("rb") as fp:
        line = fp.readline(4096)
    if not line.endswith(b"\n"):
        return None
    try:
        return str(json.loads(line)["url"])
    except (ValueError, KeyError, TypeError):
        return None
