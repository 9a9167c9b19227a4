"""A server as a user unit of systemd: one that stands there already by name, or our own quadlet.

`active` is not ready: with `--sdnotify=conmon` a unit is active as soon as its process runs. A unit's files are only
written when they are ours (`QuadletLauncher`).
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from studio.core import paths
from studio.core.children import ProcessId
from studio.core.errors import StudioError
from studio.core.files import write_atomic
from studio.core.words import say
from studio.server import escaping, records, texts
from studio.server.ending import Ending
from studio.server.launch import Launch
from studio.server.launchers.commands import follow, properties, run
from studio.server.records import ServerRecord, StartedBy
from studio.settings import secrets

_SYSTEMCTL: Final = ("systemctl", "--user")
_SHOWN: Final = (
    "LoadState,ActiveState,SubState,Result,ExecMainStatus,MainPID,Conflicts,FragmentPath,SourcePath,InvocationID"
)
_START_LIMIT: Final = 1800.0
_INACTIVE: Final = 5.0
_OURS: Final = "# Written by H3 Studio for the profile "


async def start_units(names: Sequence[str]) -> None:
    """Start user units again that another one had ended. Raises StudioError."""
    if names:
        await run(*_SYSTEMCTL, "start", "--no-block", *map(escaping.unit_name, names))


async def _running(units: Iterable[str]) -> list[str]:
    found = []
    for name in units:
        if name != "shutdown.target":
            shown = properties(await run(*_SYSTEMCTL, "show", name, "-p", "ActiveState"))
            found += [name] if shown.get("ActiveState") in ("active", "activating") else []
    return found


class UnitLauncher:
    """Starts, stops and follows a user unit that somebody else wrote; its files are never touched."""

    name_code = "server.name.unit"

    def __init__(self, started_by: StartedBy, unit: str, url: str, *, grace: float = 60, profile: str | None = None):
        self.started_by = started_by
        self.unit = escaping.unit_name(unit)
        self.url = url
        self.grace = grace
        self.profile = profile
        self.time_limit: int | None = None
        self._displaced: tuple[str, ...] = ()

    async def state(self) -> dict[str, str]:
        """`systemctl show` of the unit. Raises StudioError."""
        return properties(await run(*_SYSTEMCTL, "show", self.unit, "-p", _SHOWN))

    async def displaced(self) -> list[str]:
        """Units that run now and that a start would end, by their `Conflicts=` (shutdown.target apart)."""
        return await _running((await self.state()).get("Conflicts", "").split())

    async def start(self) -> ServerRecord:
        """Start the unit and wait until it has a process; cancelled, it is stopped again. Raises StudioError."""
        if (await self.state()).get("LoadState") == "not-found":
            raise StudioError("unit.unknown", mend="unit.unknown.mend", unit=self.unit)
        self._displaced = tuple(await self.displaced())
        try:
            await run(*_SYSTEMCTL, "start", "--no-block", self.unit)
            return await self._has_process()
        except asyncio.CancelledError:
            await run(*_SYSTEMCTL, "stop", "--no-block", self.unit, check=False)
            raise

    async def _has_process(self) -> ServerRecord:
        loop = asyncio.get_running_loop()
        began = loop.time()
        while True:
            shown = await self.state()
            pid, active = int(shown.get("MainPID") or 0), shown.get("ActiveState")
            waited = loop.time() - began
            # Inactive is also what a unit is before systemd gets to it.
            if active == "failed" or (active == "inactive" and waited > _INACTIVE) or waited > _START_LIMIT:
                raise self._failed(shown)
            if pid and active in ("active", "activating"):
                with contextlib.suppress(ProcessLookupError):
                    return self._record(ProcessId.of(pid))
            await asyncio.sleep(0.2)

    async def stop(self, record: ServerRecord, ending: Ending | None = None) -> list[ProcessId]:
        """Have systemd stop the unit; it has its own patience, cut short by *End now*."""
        ending = ending or Ending()
        await run(*_SYSTEMCTL, "stop", "--no-block", self.unit)
        if not await ending.wait(lambda: not record.process.alive(), record.grace + 30):
            await run(*_SYSTEMCTL, "kill", "--signal=SIGKILL", self.unit, check=False)
            await Ending().wait(lambda: not record.process.alive(), 10)
        return [record.process] if record.process.alive() else []

    async def follow_log(self, record: ServerRecord) -> None:
        """The journal of this run. `cat` gives a message's bytes as they were, carriage returns included."""
        since = f"@{int(record.started) - 1}"
        argv = ("journalctl", "--user", "-u", self.unit, "-f", "-n", "all", "--since", since, "-o", "cat", "--all")
        await follow(argv, record.stdout)

    def takes(self, record: ServerRecord) -> bool:
        """Whether it is this unit."""
        return record.kind == "unit" and record.name == self.unit

    def how_it_ended(self, record: ServerRecord) -> str:
        """systemd knows; what it said is in the log."""
        return say("server.exit.unit", {"unit": self.unit})

    def _failed(self, shown: dict[str, str]) -> StudioError:
        params = {"unit": self.unit, "result": shown.get("Result", ""), "status": shown.get("ExecMainStatus", "")}
        code = "unit.oom" if shown.get("Result") == "oom-kill" else "unit.failed"
        return StudioError(code, mend="unit.failed.mend", **params)

    def _record(self, process: ProcessId) -> ServerRecord:
        records.prune()
        record = ServerRecord(
            id=records.new_id(),
            kind="unit",
            started_by=self.started_by,
            pid=process.pid,
            started=time.time() if process.started <= 0 else process.started,
            boot=process.boot,
            starter=ProcessId.mine().as_dict(),
            profile=self.profile,
            name=self.unit,
            grace=self.grace,
            url=self.url,
            time_limit=self.time_limit,
            displaced=self._displaced,
        ).save()
        for log in (record.stdout, record.stderr):
            log.touch()
        return record


class QuadletLauncher(UnitLauncher):
    """Our own container unit: installed, started, stopped and removed here.

    A user's own additions, such as mounts, belong into `NAME.container.d/*.conf`, which podman's generator reads too:
    they are never touched.
    """

    def __init__(self, started_by: StartedBy, launch: Launch) -> None:
        name = escaping.container_name(launch.place.name)
        super().__init__(
            started_by, f"{name}.service", launch.url, grace=launch.profile.grace_s, profile=launch.profile.id
        )
        self.launch = launch
        self.time_limit = launch.time_limit

    @property
    def path(self) -> Path:
        """The unit file."""
        return Path.home() / texts.file_name("quadlet", self.launch.place.name)

    async def displaced(self) -> list[str]:
        """Units that run now and that a start would end: those of the place, the unit may not be installed yet."""
        return await _running(self.launch.place.conflicts)

    def install(self) -> None:
        """Write the unit file. Raises StudioError when a file of that name is not ours, OSError when it cannot."""
        if self.path.exists() and not self.path.read_text("utf-8", "replace").startswith(_OURS):
            raise StudioError("unit.not_ours", mend="unit.not_ours.mend", path=str(self.path))
        launch = self.launch
        launch.storage.mkdir(parents=True, exist_ok=True)
        if key := secrets.api_key(launch.url):
            file = paths.data_dir() / "keys" / f"{launch.place.name}.env"
            write_atomic(file, f"VLLM_API_KEY={key}\n".encode(), mode=0o600)
            launch = replace(launch, place=replace(launch.place, key_file=file))
        head = f"{_OURS}{self.launch.profile.id}; it is written anew at every start.\n"
        head += f"# Additions of your own, such as mounts, go into {self.path.name}.d/*.conf: they are kept.\n"
        write_atomic(self.path, (head + texts.quadlet(launch)).encode())

    async def start(self) -> ServerRecord:
        """Install, reload, start. Raises StudioError."""
        await asyncio.to_thread(self.install)
        await run(*_SYSTEMCTL, "daemon-reload")
        return await super().start()

    async def remove(self) -> None:
        """Take the unit file away again. Raises StudioError when it is not ours."""
        if self.path.exists():
            if not self.path.read_text("utf-8", "replace").startswith(_OURS):
                raise StudioError("unit.not_ours", mend="unit.not_ours.mend", path=str(self.path))
            self.path.unlink()
            await run(*_SYSTEMCTL, "daemon-reload")
