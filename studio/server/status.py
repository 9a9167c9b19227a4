"""What there is to know of the one server: its state, three readings, how far a start or a stop is, what is wrong."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from studio.core.children import ProcessId
from studio.core.events import Event
from studio.core.words import Message
from studio.server.failures import Explained
from studio.server.phases import StartProgress
from studio.server.records import ServerRecord


class Seen(Protocol):
    """What tells of a server: a manager, or whichever server is in view."""

    changed: Event[ServerStatus]

    @property
    def status(self) -> ServerStatus:
        """How it stands now."""


class ServerState(StrEnum):
    """Where the one server stands."""

    STOPPED = "stopped"
    STARTING = "starting"
    READY = "ready"
    STOPPING = "stopping"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Readings:
    """Process, API and engine, each by itself; None when it cannot be known (a process on another machine)."""

    process: bool | None = None
    api: bool | None = None
    engine: bool | None = None


@dataclass(frozen=True, slots=True)
class ServerStatus:
    """What there is to know of the server; `ours` tells whether we may stop it."""

    state: ServerState = ServerState.STOPPED
    url: str | None = None
    ours: bool = False
    rehearsal: bool = False
    model: str | None = None
    tasks: tuple[str, ...] = ()
    """What it can render (t2va, fl2va, ref2va); empty when that cannot be known: the API does not tell."""
    record: ServerRecord | None = None
    trouble: Message | None = None
    since: float = field(default_factory=time.time)
    """When this state began, s since the epoch."""
    readings: Readings = Readings()
    progress: StartProgress | None = None
    """Of a start, from the log."""
    loading: bool = False
    """A server of somebody else that is not ready yet is waited for."""
    cause: Explained | None = None
    """The first failure in the log that is known."""
    displaced: tuple[str, ...] = ()
    """User units that the start of a stopped server had ended: they can be had back."""
    leftovers: tuple[ProcessId, ...] = ()
    """Processes of a stopped server that still live."""
