"""A record on disk of every server that we started, so that it is known again after our own death.

`<data>/servers/<id>/record.json` beside its `stdout.log` and `stderr.log`; the last ten starts are kept.
"""

from __future__ import annotations

import contextlib
import json
import secrets
import shutil
import time
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, ValidationError

from studio.core import paths
from studio.core.children import ProcessId
from studio.core.files import write_atomic

KEEP = 10

StartedBy = Literal["window", "cli"]
Kind = Literal["rehearsal", "process", "unit", "container", "ssh"]


class ServerRecord(BaseModel):
    """Identity and address of a server that we started. `url` is None until it told us."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    id: str
    kind: Kind = "rehearsal"
    started_by: StartedBy
    profile: str | None = None
    """Id of the profile that it runs."""
    name: str = ""
    """Of the user unit, the container or the SSH host, where it is one."""
    place: str = ""
    """Of the server among those of the settings."""
    there: str = ""
    """Its folder on another machine, where it runs on one."""
    tasks: tuple[str, ...] = ()
    """What it can render, where no profile says it."""
    grace: float = 5.0
    """Seconds between SIGTERM and force."""
    pid: int
    started: float
    boot: str
    starter: dict[str, Any]
    """ProcessId of the studio that started it."""
    url: str | None = None
    displaced: tuple[str, ...] = ()
    """User units that its start ended, by `Conflicts=`."""
    time_limit: int | None = None
    """Seconds after which its first watchdog gives a render up; None when it has none, or none that we set."""

    @property
    def process(self) -> ProcessId:
        """The server's process."""
        return ProcessId(self.pid, self.started, self.boot)

    @property
    def starter_alive(self) -> bool:
        """Whether the studio that started it still runs."""
        return ProcessId(**self.starter).alive()

    @property
    def folder(self) -> Path:
        """Where its record and logs lie."""
        return servers_dir() / self.id

    @property
    def stdout(self) -> Path:
        """Its log records (and first line: its address)."""
        return self.folder / "stdout.log"

    @property
    def stderr(self) -> Path:
        """Its progress bar and start-up lines."""
        return self.folder / "stderr.log"

    def save(self) -> Self:
        """Write the record; it must be on disk before the server is used."""
        write_atomic(self.folder / "record.json", self.model_dump_json(indent=2).encode(), mode=0o600)
        return self


def servers_dir() -> Path:
    """The folder with one folder a start."""
    return paths.data_dir() / "servers"


def new_id() -> str:
    """A sortable id for a start."""
    return time.strftime("%Y%m%d-%H%M%S-") + secrets.token_hex(3)


def load(server_id: str) -> ServerRecord | None:
    """The record with that id, if it is there and readable."""
    with contextlib.suppress(OSError, ValueError, ValidationError):
        return ServerRecord.model_validate(json.loads((servers_dir() / server_id / "record.json").read_bytes()))
    return None


def living() -> list[ServerRecord]:
    """Servers of ours that still run, newest first."""
    folder = servers_dir()
    names = sorted((p.name for p in folder.iterdir()), reverse=True) if folder.is_dir() else []
    return [record for name in names if (record := load(name)) is not None and record.process.alive()]


def prune() -> None:
    """Forget all but the last ten starts; a running server's folder stays."""
    folder = servers_dir()
    if not folder.is_dir():
        return
    for old in sorted((p for p in folder.iterdir() if p.is_dir()), reverse=True)[KEEP:]:
        record = load(old.name)
        if record is None or not record.process.alive():
            shutil.rmtree(old, ignore_errors=True)
