"""The durable queue: SQLite in WAL mode, every change of state written before it is acted on.

The window and the command line use the same file at the same time. Each unfinished job has an owner (pid, start time,
boot id); a process touches only jobs that it owns or whose owner is dead.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from studio.core import paths
from studio.core.children import ProcessId, boot_id
from studio.core.errors import StudioError
from studio.core.words import Message
from studio.jobs.job import Job, Who
from studio.jobs.states import FINISHED, JobState, require

SCHEMA: Final = 1
STALE_AFTER: Final = 30.0
"""Seconds without a renewal after which an owner of another boot or machine counts as dead."""

_MIGRATIONS: Final[tuple[str, ...]] = (
    """
    CREATE TABLE job (
        id TEXT PRIMARY KEY, created REAL NOT NULL, updated REAL NOT NULL, state TEXT NOT NULL, body TEXT NOT NULL,
        wish TEXT, owner_pid INTEGER, owner_started REAL, owner_boot TEXT, renewed REAL
    );
    CREATE INDEX job_state ON job(state);
    CREATE TABLE change (
        job TEXT NOT NULL REFERENCES job(id), at REAL NOT NULL, old TEXT NOT NULL, new TEXT NOT NULL,
        cause TEXT NOT NULL, who TEXT NOT NULL
    );
    CREATE INDEX change_job ON change(job, at);
    """,
)


class StoreError(StudioError):
    """The database cannot be used."""


class JobStore:
    """All jobs. Blocking and thread-safe; the service calls it on a thread of its own."""

    def __init__(self, path: Path | None = None) -> None:
        self.path = path or paths.data_dir() / "jobs.sqlite"
        self.trouble: Message | None = None
        self._me = ProcessId.mine()
        self._lock = threading.Lock()
        self._db = self._open()

    def close(self) -> None:
        """Close the database."""
        with self._lock:
            self._db.close()

    def add(self, job: Job) -> Job:
        """Write a new job, owned by this process."""
        job = job.model_copy(update={"updated": time.time()})
        with self._write() as db:
            db.execute(
                "INSERT INTO job(id, created, updated, state, body, owner_pid, owner_started, owner_boot, renewed)"
                " VALUES (?,?,?,?,?,?,?,?,?)",
                (job.id, job.created, job.updated, job.state, job.model_dump_json(), *self._owner(), time.time()),
            )
        return job

    def save(self, job: Job) -> Job:
        """Write a job's data; its state must not have changed."""
        job = job.model_copy(update={"updated": time.time()})
        with self._write() as db:
            db.execute(
                "UPDATE job SET updated=?, body=? WHERE id=? AND state=?",
                (job.updated, job.model_dump_json(), job.id, job.state),
            )
        return job

    def move(self, job: Job, new: JobState, cause: str, who: Who = "studio", **changes: Any) -> Job:
        """Change a job's state, with its cause, in one transaction. Raises IllegalTransition."""
        require(job.state, new)
        now = time.time()
        moved = job.model_copy(update={**changes, "state": new, "updated": now})
        with self._write() as db:
            db.execute(
                "UPDATE job SET state=?, updated=?, body=? WHERE id=?", (new, now, moved.model_dump_json(), job.id)
            )
            db.execute("INSERT INTO change VALUES (?,?,?,?,?,?)", (job.id, now, job.state, new, cause, who))
            if new.finished:
                db.execute("UPDATE job SET owner_pid=NULL, wish=NULL WHERE id=?", (job.id,))
        return moved

    def get(self, job_id: str) -> Job | None:
        """The job with that id."""
        with self._lock:
            row = self._db.execute("SELECT body FROM job WHERE id=?", (job_id,)).fetchone()
        return Job.model_validate_json(row[0]) if row else None

    def all(self, limit: int = 1000) -> list[Job]:
        """Jobs, newest first."""
        with self._lock:
            rows = self._db.execute("SELECT body FROM job ORDER BY created DESC LIMIT ?", (limit,)).fetchall()
        return [Job.model_validate_json(body) for (body,) in rows]

    def unfinished(self) -> list[Job]:
        """Jobs on their way, oldest first."""
        marks = ",".join("?" * len(FINISHED))
        with self._lock:
            rows = self._db.execute(
                f"SELECT body FROM job WHERE state NOT IN ({marks}) ORDER BY created", tuple(FINISHED)
            ).fetchall()
        return [Job.model_validate_json(body) for (body,) in rows]

    def remote_ids(self) -> set[str]:
        """The server's ids of all jobs that are in here."""
        with self._lock:
            rows = self._db.execute("SELECT json_extract(body, '$.remote_id') FROM job").fetchall()
        return {remote_id for (remote_id,) in rows if remote_id}

    def changes(self, job_id: str) -> list[dict[str, Any]]:
        """Every change of state of a job, oldest first."""
        with self._lock:
            rows = self._db.execute(
                "SELECT at, old, new, cause, who FROM change WHERE job=? ORDER BY at, rowid", (job_id,)
            ).fetchall()
        return [dict(zip(("at", "from", "to", "cause", "who"), row, strict=True)) for row in rows]

    def claim(self, job_id: str) -> int | None:
        """Become a job's owner. None when that worked; else the pid of its living owner."""
        with self._write() as db:
            row = db.execute(
                "SELECT owner_pid, owner_started, owner_boot, renewed FROM job WHERE id=?", (job_id,)
            ).fetchone()
            if row and row[0] is not None and self._lives(*row):
                return int(row[0])
            db.execute(
                "UPDATE job SET owner_pid=?, owner_started=?, owner_boot=?, renewed=? WHERE id=?",
                (*self._owner(), time.time(), job_id),
            )
        return None

    def release(self, job_id: str) -> None:
        """Give up a job, so that any studio may take it."""
        with self._write() as db:
            db.execute("UPDATE job SET owner_pid=NULL WHERE id=? AND owner_pid=?", (job_id, self._me.pid))

    def renew(self) -> dict[str, str]:
        """Say that this process lives; gives the wishes that others left for its jobs (id → "cancel")."""
        with self._write() as db:
            mine = (self._me.pid, self._me.boot)
            db.execute("UPDATE job SET renewed=? WHERE owner_pid=? AND owner_boot=?", (time.time(), *mine))
            return dict(
                db.execute(
                    "SELECT id, wish FROM job WHERE owner_pid=? AND owner_boot=? AND wish IS NOT NULL", mine
                ).fetchall()
            )

    def wish(self, job_id: str, wish: str) -> None:
        """Ask a job's owner for something; it looks every few seconds."""
        with self._write() as db:
            db.execute("UPDATE job SET wish=? WHERE id=?", (wish, job_id))

    def version(self) -> int:
        """A number that changes whenever another process has written."""
        with self._lock:
            return int(self._db.execute("PRAGMA data_version").fetchone()[0])

    def _owner(self) -> tuple[int, float, str]:
        return self._me.pid, self._me.started, self._me.boot

    def _lives(self, pid: int, started: float, boot: str, renewed: float) -> bool:
        owner = ProcessId(pid, started, boot)
        if owner == self._me:
            return False
        # A pid of another boot tells nothing here (it may be another machine on the same home): its renewals do.
        return owner.alive() if boot == boot_id() else abs(time.time() - renewed) < STALE_AFTER

    @contextlib.contextmanager
    def _write(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield self._db
            except BaseException:
                self._db.execute("ROLLBACK")
                raise
            self._db.execute("COMMIT")

    def _open(self) -> sqlite3.Connection:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        try:
            return self._connect()
        except sqlite3.DatabaseError as error:
            if isinstance(error, sqlite3.OperationalError):
                raise StoreError(
                    "disk.write", mend="disk.write.mend", path=str(self.path), reason=str(error)
                ) from error
        kept = self.path.with_name(f"jobs.damaged-{time.strftime('%y%m%d-%H%M%S')}.sqlite")
        self.path.replace(kept)
        for suffix in ("-wal", "-shm"):
            self.path.with_name(self.path.name + suffix).unlink(missing_ok=True)
        self.trouble = Message("store.damaged", {"kept": str(kept)})
        return self._connect()

    def _connect(self) -> sqlite3.Connection:
        db = sqlite3.connect(self.path, timeout=15, isolation_level=None, check_same_thread=False)
        try:
            db.execute("PRAGMA journal_mode=WAL")
            db.execute("PRAGMA synchronous=FULL")
            have = int(db.execute("PRAGMA user_version").fetchone()[0])
            if have > SCHEMA:
                raise StoreError("store.newer", mend="store.newer.mend")
            if have < SCHEMA:
                # Two studios may start at once: whoever comes second finds it done.
                db.execute("BEGIN IMMEDIATE")
                have = int(db.execute("PRAGMA user_version").fetchone()[0])
                for script in _MIGRATIONS[have:]:
                    for statement in filter(str.strip, script.split(";")):
                        db.execute(statement)
                db.execute(f"PRAGMA user_version={SCHEMA}")
                db.execute("COMMIT")
            db.execute("SELECT count(*) FROM job").fetchone()
        except BaseException:
            db.close()
            raise
        return db


def as_plain(job: Job, changes: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    """A job as plain JSON data for the command line."""
    data: dict[str, Any] = json.loads(job.model_dump_json())
    if job.fault is not None:
        data["fault"]["message"] = job.fault.text()
    if changes is not None:
        data["changes"] = changes
    return data
