"""A podman or docker container that stands there already, by name; it is started and stopped, never changed."""

from __future__ import annotations

import json
from typing import Any, Final, Literal

from studio.core.children import ProcessId
from studio.core.errors import StudioError
from studio.core.words import say
from studio.server import escaping, records
from studio.server.ending import Ending
from studio.server.launchers.commands import follow, run
from studio.server.records import ServerRecord, StartedBy

Engine = Literal["podman", "docker"]
_SLACK: Final = 30.0


class ContainerLauncher:
    """Starts, stops and follows a container by name."""

    name_code = "server.name.container"

    def __init__(
        self, started_by: StartedBy, name: str, url: str, *, engine: Engine = "podman", grace: float = 60
    ) -> None:
        self.started_by = started_by
        self.name = escaping.container_name(name)
        self.url = url
        self.engine = engine
        self.grace = grace

    async def state(self) -> dict[str, Any]:
        """`inspect`'s State: Status, Running, ExitCode, OOMKilled, Pid. Raises StudioError."""
        shown = await run(self.engine, "inspect", self.name, "--format", "{{json .State}}")
        try:
            return dict(json.loads(shown))
        except ValueError as error:
            raise StudioError("tool.failed", tool=f"{self.engine} inspect", status=0, said=shown[:200]) from error

    async def start(self) -> ServerRecord:
        """Start the container. Raises StudioError."""
        await run(self.engine, "start", self.name)
        state = await self.state()
        try:
            process = ProcessId.of(int(state.get("Pid") or 0))
        except ProcessLookupError as error:
            code = "container.oom" if state.get("OOMKilled") else "container.ended"
            status = int(state.get("ExitCode") or 0)
            raise StudioError(
                code, mend="container.ended.mend", name=self.name, status=status, engine=self.engine
            ) from error
        return self._record(process)

    async def stop(self, record: ServerRecord, ending: Ending | None = None) -> list[ProcessId]:
        """`stop -t GRACE`: the engine's own ten seconds are too short for vLLM."""
        ending = ending or Ending()
        grace = int(record.grace if ending.grace is None else ending.grace)
        await run(self.engine, "stop", "-t", str(grace), self.name, limit=grace + _SLACK)
        gone = await Ending().wait(lambda: not record.process.alive(), 10)
        return [] if gone else [record.process]

    async def follow_log(self, record: ServerRecord) -> None:
        """The container's log of this run."""
        await follow((self.engine, "logs", "-f", "--since", str(int(record.started) - 1), self.name), record.stdout)

    def takes(self, record: ServerRecord) -> bool:
        """Whether it is this container."""
        return record.kind == "container" and record.name == f"{self.engine}:{self.name}"

    def how_it_ended(self, record: ServerRecord) -> str:
        """The engine knows; what the server said is in the log."""
        return say("server.exit.container", {"name": self.name, "engine": self.engine})

    def _record(self, process: ProcessId) -> ServerRecord:
        records.prune()
        record = ServerRecord(
            id=records.new_id(),
            kind="container",
            started_by=self.started_by,
            pid=process.pid,
            started=process.started,
            boot=process.boot,
            starter=ProcessId.mine().as_dict(),
            name=f"{self.engine}:{self.name}",
            grace=self.grace,
            url=self.url,
        ).save()
        for log in (record.stdout, record.stderr):
            log.touch()
        return record
