"""Every process of a server that we started, also those that left its group: workers, daemons, orphans.

A process belongs to a server when it is in the session that the server leads, carries the server's mark in its
environment, or descends from it. vLLM's workers overwrite their environment with a title (setproctitle), so no single
sign is enough; each is checked against the time of the start, because pids are given out again.
"""

from __future__ import annotations

import contextlib
import os

import psutil

from studio.core.children import ProcessId, boot_id
from studio.server.records import ServerRecord

MARK = "H3STUDIO_SERVER"
"""The variable that holds the record's id."""


def members(record: ServerRecord) -> list[ProcessId]:
    """The server's living processes, itself included. Blocking, a few ms for some hundred processes."""
    if record.boot != boot_id():
        return []
    session = _session(record)
    wanted = f"{MARK}={record.id}".encode()
    found: dict[int, ProcessId] = {}
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error, OSError):
            if process.create_time() < record.started - 0.05 or process.status() == psutil.STATUS_ZOMBIE:
                continue
            in_session = session is not None and os.getsid(process.pid) == session
            if in_session or wanted in _environment(process.pid).split(b"\0"):
                found[process.pid] = ProcessId(process.pid, process.create_time(), boot_id())
    for process_id in _descendants(record):
        found.setdefault(process_id.pid, process_id)
    return list(found.values())


def _session(record: ServerRecord) -> int | None:
    """The session's id, unless its number now belongs to a stranger."""
    with contextlib.suppress(psutil.Error):
        now = psutil.Process(record.pid)
        if abs(now.create_time() - record.started) > 0.05:
            return None
    return record.pid if record.kind in ("rehearsal", "process", "ssh") else None


def _environment(pid: int) -> bytes:
    with contextlib.suppress(OSError), open(f"/proc/{pid}/environ", "rb") as fp:  # noqa: PTH123
        return fp.read()
    return b""


def _descendants(record: ServerRecord) -> list[ProcessId]:
    if record.kind not in ("rehearsal", "process", "ssh") or not record.process.alive():
        return []
    made = []
    with contextlib.suppress(psutil.Error):
        for child in psutil.Process(record.pid).children(recursive=True):
            with contextlib.suppress(psutil.Error):
                if child.status() != psutil.STATUS_ZOMBIE:
                    made.append(ProcessId(child.pid, child.create_time(), boot_id()))
    return made


def is_orphan(pid: int) -> bool:
    """Whether a process of this user lost its parent."""
    with contextlib.suppress(psutil.Error):
        process = psutil.Process(pid)
        return process.uids().real == os.getuid() and process.ppid() == 1
    return False


def has_parent(pid: int) -> bool:
    """Whether a worker's server is still there: one that lost it belongs to init, or to the user's systemd."""
    with contextlib.suppress(psutil.Error):
        parent = psutil.Process(pid).parent()
        return parent is not None and parent.pid != 1 and parent.name() not in ("systemd", "init")
    return False
