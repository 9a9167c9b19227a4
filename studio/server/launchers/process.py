"""A profile's program as a plain child process: `vllm serve …`, or whatever the profile names."""

from __future__ import annotations

from functools import partial
from typing import Final

from studio.core.children import ProcessId
from studio.core.errors import StudioError
from studio.server import ports
from studio.server.deploy_file import with_deploy_file
from studio.server.ending import Ending, end
from studio.server.launch import Launch
from studio.server.launchers.outliving import Outliving
from studio.server.records import ServerRecord, StartedBy
from studio.settings import secrets

_KEY: Final = "VLLM_API_KEY"


class ProcessLauncher:
    """Starts one launch; without one it can still stop what an earlier studio started."""

    name_code = "server.name.process"

    def __init__(self, started_by: StartedBy, launch: Launch | None = None) -> None:
        self.started_by = started_by
        self.launch = launch
        self._children = Outliving()

    async def start(self) -> ServerRecord:
        """Start the program, if its port is free. Raises StudioError."""
        if self.launch is None:
            raise StudioError("server.no_launch")
        return await self._children.start(partial(self._spawn, self.launch))

    async def stop(self, record: ServerRecord, ending: Ending | None = None) -> list[ProcessId]:
        """SIGTERM to the main process, the record's grace, then everything of it."""
        return await end(record, lambda: self._children.running(record), ending or Ending())

    async def follow_log(self, record: ServerRecord) -> None:
        """It writes its log files itself."""

    def takes(self, record: ServerRecord) -> bool:
        """Whether it runs the same profile at the same address; without a launch, whether it is any plain process."""
        if record.kind != "process" or self.launch is None:
            return record.kind == "process"
        return (record.profile, record.url) == (self.launch.profile.id, self.launch.url)

    def how_it_ended(self, record: ServerRecord) -> str:
        """Exit code or signal, if we were its parent."""
        return self._children.how_it_ended(record)

    def _spawn(self, launch: Launch) -> ServerRecord:
        if not ports.is_free(launch.place.host, launch.port):
            who = ports.holder(launch.port)
            code = "server.port_taken" if who.pid is not None else "server.port_taken_unknown"
            raise StudioError(code, mend="server.port_taken.mend", port=launch.port, pid=who.pid, name=who.name)
        launch.storage.mkdir(parents=True, exist_ok=True)
        key = secrets.api_key(launch.url)
        return self._children.spawn(
            with_deploy_file(launch.argv),
            {**launch.env, **({_KEY: key} if key else {})},
            kind="process",
            started_by=self.started_by,
            grace=launch.profile.grace_s,
            profile=launch.profile.id,
            url=launch.url,
            time_limit=launch.time_limit,
        )
