"""A podman or docker container: one that stands there already, by name, or one of ours, made from a launch."""

from __future__ import annotations

import asyncio
import contextlib
import json
from typing import Any, Final, Literal

from studio.core.children import ProcessId, clean_environment
from studio.core.errors import StudioError
from studio.core.words import Param, say
from studio.server import escaping, records, topology
from studio.server.ending import Ending
from studio.server.launch import Launch, bound_to
from studio.server.launchers.commands import follow, run
from studio.server.records import ServerRecord, StartedBy
from studio.settings import secrets

Engine = Literal["podman", "docker"]
_SLACK: Final = 30.0
_LABEL: Final = "h3studio.profile"
_KEY: Final = "VLLM_API_KEY"
_PULL_LIMIT: Final = 3600.0


class ContainerLauncher:
    """Starts, stops and follows a container that somebody else made, by name; it is never changed."""

    name_code = "server.name.container"

    def __init__(
        self, started_by: StartedBy, name: str, url: str, *, engine: Engine = "podman", grace: float = 60
    ) -> None:
        self.started_by = started_by
        self.name = escaping.container_name(name)
        self.url = url
        self.engine = engine
        self.grace = grace
        self.profile: str | None = None
        self.time_limit: int | None = None
        self._last: dict[str, Any] = {}

    async def state(self) -> dict[str, Any]:
        """`inspect`'s State: Status, Running, ExitCode, OOMKilled, Pid. Raises StudioError."""
        shown = await run(self.engine, "inspect", self.name, "--format", "{{json .State}}")
        try:
            return dict(json.loads(shown))
        except ValueError as error:
            raise StudioError("tool.failed", tool=f"{self.engine} inspect", status=0, said=shown[:200]) from error

    async def environment(self) -> list[str]:
        """The variables that it was created with, as `NAME=VALUE`. Raises StudioError."""
        shown = await run(self.engine, "inspect", self.name, "--format", "{{json .Config.Env}}")
        try:
            return [str(word) for word in json.loads(shown) or ()]
        except (ValueError, TypeError) as error:
            raise StudioError("tool.failed", tool=f"{self.engine} inspect", status=0, said=shown[:200]) from error

    async def shared_memory(self) -> tuple[int, str]:
        """(bytes of its /dev/shm, how it shares memory with others: "host" has the machine's). Raises StudioError."""
        shown = await run(self.engine, "inspect", self.name, "--format", "{{json .HostConfig}}")
        try:
            made = json.loads(shown)
            return int(made.get("ShmSize") or 0), str(made.get("IpcMode") or "")
        except (ValueError, AttributeError) as error:
            raise StudioError("tool.failed", tool=f"{self.engine} inspect", status=0, said=shown[:200]) from error

    async def start(self) -> ServerRecord:
        """Start the container. Raises StudioError."""
        await run(self.engine, "start", self.name)
        return await self._running()

    async def _running(self) -> ServerRecord:
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
        """The container's log of this run; when it ends, so did the container, and the engine knows how."""
        await follow((self.engine, "logs", "-f", "--since", str(int(record.started) - 1), self.name), record.stdout)
        with contextlib.suppress(StudioError):  # removed meanwhile
            self._last = await self.state()

    def takes(self, record: ServerRecord) -> bool:
        """Whether it is this container."""
        return record.kind == "container" and record.name == f"{self.engine}:{self.name}"

    def how_it_ended(self, record: ServerRecord) -> str:
        """What the engine tells of its end; what the server said is in the log."""
        code = int(self._last.get("ExitCode") or 0)
        about: dict[str, Param] = {"name": self.name, "engine": self.engine, "code": code}
        if not self._last or self._last.get("Running"):
            return say("server.exit.container", about)
        killed = bool(self._last.get("OOMKilled")) or code == 137
        return say("server.exit.container_memory" if killed else "server.exit.container_code", about)

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
            profile=self.profile,
            name=f"{self.engine}:{self.name}",
            grace=self.grace,
            url=self.url,
            time_limit=self.time_limit,
        ).save()
        for log in (record.stdout, record.stderr):
            log.touch()
        return record


class OwnContainerLauncher(ContainerLauncher):
    """A container of ours, made anew at every start: no systemd, no file. It is published on this machine alone."""

    def __init__(self, started_by: StartedBy, launch: Launch, *, engine: Engine) -> None:
        super().__init__(started_by, launch.place.name, launch.url, engine=engine, grace=launch.profile.grace_s)
        self.launch = launch
        self.profile = launch.profile.id
        self.time_limit = launch.time_limit

    async def start(self) -> ServerRecord:
        """Make and start it; the image is fetched when it is not there. Raises StudioError.

        An ended container of ours of the same name is taken away first, one of somebody else's is left alone.
        """
        await self._make_room()
        self.launch.storage.mkdir(parents=True, exist_ok=True)
        key = await asyncio.to_thread(secrets.api_key, self.launch.url)
        # The key goes by the engine's environment: its argv can be read by everybody.
        env = clean_environment({_KEY: key} if key else {})
        await run(*run_argv(self.launch, self.engine, with_key=bool(key)), limit=_PULL_LIMIT, env=env)
        return await self._running()

    async def _make_room(self) -> None:
        labels = await run(self.engine, "inspect", self.name, "--format", "{{json .Config.Labels}}", check=False)
        if labels.strip() in ("", "[]"):
            return
        if _LABEL not in labels:
            raise StudioError("container.not_ours", mend="container.not_ours.mend", name=self.name, engine=self.engine)
        if (await self.state()).get("Running"):
            raise StudioError("container.runs", mend="container.runs.mend", name=self.name, engine=self.engine)
        await run(self.engine, "rm", self.name)


def run_argv(launch: Launch, engine: Engine, *, with_key: bool = False) -> tuple[str, ...]:
    """`ENGINE run …` for a launch in a container. Raises StudioError when it is none."""
    made = launch.container
    if made is None:
        raise StudioError("launch.no_container")
    words = [*_bound(launch, engine), "--detach", "--name", escaping.container_name(launch.place.name)]
    words += ["--label", f"{_LABEL}={launch.profile.id}", "--publish", made.publish, "--shm-size", "32g"]
    words += ["--stop-timeout", str(int(launch.profile.grace_s)), *_gpus(launch, engine)]
    for source, target, options in made.mounts:
        escaping.volume(source, target, options)  # refuses what a colon would tear apart
        words += ["--volume", f"{source}:{target}:{options}"]
    for name, value in launch.env.items():
        words += ["--env", f"{name}={value}"]
    words += ["--env", _KEY] if with_key else []
    return (*words, made.image, *launch.argv)


def _bound(launch: Launch, engine: Engine) -> list[str]:
    """`ENGINE run`, at one NUMA node if that is asked for.

    What podman starts inherits from podman itself, and its `--cpuset…` needs rights that users lack; docker's
    containers are its service's children.
    """
    assert launch.container is not None
    node = launch.container.numa
    if node is None:
        return [engine, "run"]
    if engine == "podman":
        return ["numactl", *bound_to(node), engine, "run"]
    processors = topology.processors_of(node)
    words = ["--cpuset-cpus", processors] if processors else []
    return [engine, "run", "--cpuset-mems", str(node), *words]


def _gpus(launch: Launch, engine: Engine) -> list[str]:
    """Docker has a flag for NVIDIA's cards, podman takes them as CDI devices; AMD's are plain devices for both."""
    assert launch.container is not None
    if engine == "docker" and launch.profile.vendor != "amd":
        return ["--gpus", "all"]
    return [word for device in launch.container.devices for word in ("--device", device)]
