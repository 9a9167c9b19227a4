"""Where the cards of a job's server can be read."""

from __future__ import annotations

from urllib.parse import urlsplit

from studio.server import ServerRecord
from studio.server.launchers.ssh import ssh_host
from studio.settings.model import ServerSettings
from studio.telemetry import Source

_HERE = frozenset({"127.0.0.1", "localhost", "::1", "0.0.0.0"})


def source_of(record: ServerRecord | None, url: str | None, settings: ServerSettings) -> Source:
    """The rehearsal server's own figures; this machine for a server on it; else what the settings name, or nowhere."""
    if record is not None and record.kind == "ssh":
        return Source(remote=ssh_host(record).prefix)
    if record is not None:
        return Source(url=record.url) if record.kind == "rehearsal" else Source(local=True, pid=record.pid)
    if settings.gpu_command:
        return Source(remote=settings.gpu_command)
    return Source(local=urlsplit(url or "").hostname in _HERE)
