"""Whether a port is free here, and who has it if not."""

from __future__ import annotations

import contextlib
import socket
from dataclasses import dataclass
from urllib.parse import urlsplit

import psutil

from studio.server.machine import process_name


@dataclass(frozen=True, slots=True)
class PortHolder:
    """Who has a port; `pid` is None when the system does not tell (another user's process)."""

    pid: int | None
    name: str


def is_free(host: str, port: int) -> bool:
    """Whether a server could bind there now. A server that loads has bound its port and refuses connections."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        # A connection in TIME_WAIT does not keep a server from binding: servers set this too.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
            probe.listen(1)
        except OSError:
            return False
    return True


def any_free(host: str) -> int:
    """A port that the system picks; it may be taken before it is used."""
    with socket.create_server((host, 0)) as probe:
        return int(probe.getsockname()[1])


def holder(port: int) -> PortHolder:
    """Who listens on a port of this machine. Blocking, some ms."""
    with contextlib.suppress(psutil.Error):
        for connection in psutil.net_connections("tcp"):
            if connection.laddr and connection.laddr.port == port and connection.status == psutil.CONN_LISTEN:
                pid = connection.pid
                return PortHolder(pid, process_name(pid) if pid is not None else "")
    return PortHolder(None, "")


def held_here(url: str) -> bool:
    """Whether an address is this machine's and its port is taken, listening or only bound."""
    parts = urlsplit(url)
    local = parts.hostname in ("127.0.0.1", "localhost", "::1")
    return local and not _bindable(parts.port or 80)


def _bindable(port: int) -> bool:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True
