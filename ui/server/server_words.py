"""A server of the settings in a few words: how it stands, where it is, what it renders."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlsplit

from studio.core.words import tr
from studio.server import ServerState, ServerStatus
from studio.settings.model import ServerSettings


def about(server: ServerSettings, status: ServerStatus, tasks: Sequence[str]) -> str:
    """One line below its name; the state first, as the end may not have room."""
    renders = "/".join(task.upper() for task in tasks) if len(tasks) < 3 else ""
    return " · ".join(part for part in (_state(status), where(server), renders) if part)


def where(server: ServerSettings) -> str:
    """In a word or two."""
    match server.kind:
        case "url":
            return urlsplit(server.url or "").netloc or tr("no address yet")
        case "unit":
            return server.unit or tr("unit or container")
        case "profile":
            return (server.host or tr("no machine yet")) if server.run_as == "ssh" else tr("this machine")
        case _:
            return tr("rehearsal")


def _state(status: ServerStatus) -> str:
    return {
        ServerState.STOPPED: tr("stopped"),
        ServerState.STARTING: tr("starting…"),
        ServerState.READY: tr("ready"),
        ServerState.STOPPING: tr("stopping…"),
        ServerState.FAILED: tr("failed"),
    }[status.state]
