"""Ways to start a server, behind one interface."""

from __future__ import annotations

from typing import cast

from studio.server.launchers.base import Launcher
from studio.server.launchers.container import ContainerLauncher, Engine, OwnContainerLauncher
from studio.server.launchers.process import ProcessLauncher
from studio.server.launchers.rehearsal import RehearsalLauncher
from studio.server.launchers.ssh import SshLauncher
from studio.server.launchers.unit import QuadletLauncher, UnitLauncher, start_units
from studio.server.records import ServerRecord

__all__ = [
    "ContainerLauncher",
    "Launcher",
    "OwnContainerLauncher",
    "ProcessLauncher",
    "QuadletLauncher",
    "RehearsalLauncher",
    "SshLauncher",
    "UnitLauncher",
    "launcher_of",
    "start_units",
]


def launcher_of(record: ServerRecord) -> Launcher:
    """A launcher that can stop and follow a server of an earlier start."""
    match record.kind:
        case "unit":
            return UnitLauncher(record.started_by, record.name, record.url or "", grace=record.grace)
        case "container":
            engine, _, name = record.name.partition(":")
            engine = cast(Engine, engine)
            return ContainerLauncher(record.started_by, name, record.url or "", engine=engine, grace=record.grace)
        case "process":
            return ProcessLauncher(record.started_by)
        case "ssh":
            return SshLauncher(record.started_by, record.name)
        case _:
            return RehearsalLauncher(record.started_by)
