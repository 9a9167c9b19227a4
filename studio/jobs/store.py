"""The durable queue: SQLite in WAL mode, every change of state written before it is acted on.

The window and the command line use the same file at the same time. Each unfinished job has an owner (pid, start time,
boot id); a process touches only jobs that it owns or whose owner is dead.
"""

from __future__ import annotations

import contextlib
import sqlite3
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from studio.core import paths
from studio.core.children import ProcessId, boot_id
from studio.jobs import body
from studio.jobs.job import Job, Who
from studio.jobs.schema import StoreError, open_database
from studio.jobs.states import FINISHED, IllegalTransition, JobState, require

STALE_AFTER: Final = 30.0
"""Seconds without a renewal after which an owner of another boot or machine counts as dead."""


class JobStore:
    """All jobs. Blocking and thread-safe; the service calls it on a thread of its own."""

    def __init__(self, path: Path | None = None) -> None:
        self.path = path or paths.data_dir() / "jobs.sqlite"
        self._me = ProcessId.mine()
        self._lock = threading.Lock()
        self._db, self.trouble = open_database(self.path)

    def close(self) -> None:
        """Close the database."""
        with self._lock:
            self._db.close()

    def read(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        """Rows of a query."""
        with self._lock:
            return self._db.execute(sql, values).fetchall()

    def add(self, job: Job) -> Job:
        """Write a new job at the end of the queue, owned by this process."""
        with self.transaction() as db:
            (last,) = db.execute("SELECT coalesce(max(position), 0) FROM job").fetchone()
            job = job.model_copy(update={"updated": time.time(), "position": last + 1})
            db.execute(
                "INSERT INTO job(id, created, updated, state, body, position, owner_pid, owner_started, owner_boot,"
                " renewed) VALUES (?,?,?,?,?,?,?,?,?,?)",
                (
                    job.id,
                    job.created,
                    job.updated,
                    job.state,
                    body.dump(job),
                    job.position,
                    *self._owner(),
                    time.time(),
                ),
            )
        return job

    def save(self, job: Job) -> Job:
        """Write a job's data; its state must not have changed."""
        job = job.model_copy(update={"updated": time.time()})
        with self.transaction() as db:
            db.execute(
                "UPDATE job SET updated=?, body=? WHERE id=? AND state=?",
                (job.updated, body.dump(job), job.id, job.state),
            )
        return job

    def move(self, job: Job, new: JobState, cause: str, who: Who = "studio", **changes: Any) -> Job:
        """Change a job's state, with its cause, in one transaction.

        Raises IllegalTransition when the machine has no such way, or somebody else has moved the job meanwhile.
        """
        require(job.state, new)
        now = time.time()
        moved = job.model_copy(update={**changes, "state": new, "updated": now})
        with self.transaction() as db:
            done = db.execute(
                "UPDATE job SET state=?, updated=?, body=? WHERE id=? AND state=?",
                (new, now, body.dump(moved), job.id, job.state),
            )
            if done.rowcount != 1:
                raise IllegalTransition(f"{job.id} is not {job.state} any more: it cannot become {new}")
            db.execute("INSERT INTO change VALUES (?,?,?,?,?,?)", (job.id, now, job.state, new, cause, who))
            if new.finished:
                db.execute("UPDATE job SET owner_pid=NULL, wish=NULL WHERE id=?", (job.id,))
        return moved

    def get(self, job_id: str) -> Job | None:
        """The job with that id."""
        return next(map(_job, self.read(f"{_SELECT} WHERE id=?", job_id)), None)

    def all(self, limit: int | None = None) -> list[Job]:
        """Jobs, newest first: all of them, or the newest `limit`."""
        return list(map(_job, self.read(f"{_SELECT} ORDER BY created DESC, id LIMIT ?", limit or -1)))

    def ended(self, limit: int, after: Job | None = None) -> list[Job]:
        """Jobs that have ended, newest first: a page of them, from behind `after` on."""
        created, job_id = (after.created, after.id) if after is not None else (float("inf"), "")
        marks = ",".join("?" * len(FINISHED))
        # The plus keeps SQLite from collecting all that have ended by their state, and sorting them for each page.
        behind = f"created <= ? AND (created < ? OR id > ?) AND +state IN ({marks})"
        sql = f"{_SELECT} WHERE {behind} ORDER BY created DESC, id LIMIT ?"
        return list(map(_job, self.read(sql, created, created, job_id, *FINISHED, limit)))

    def batch(self, batch: str) -> list[Job]:
        """The jobs that belong together, oldest first."""
        return list(
            map(_job, self.read(f"{_SELECT} WHERE json_extract(body, '$.batch')=? ORDER BY created, id", batch))
        )

    def updated_since(self, at: float) -> list[Job]:
        """Jobs that were written at that time or later, and all that are on their way: their places may be others."""
        return list(map(_job, self.read(f"{_SELECT} WHERE updated >= ? OR {_UNDER_WAY}", at, *_WAYS)))

    def unfinished(self) -> list[Job]:
        """Jobs on their way, in the order of the queue."""
        return list(map(_job, self.read(f"{_SELECT} WHERE {_UNDER_WAY} ORDER BY position", *_WAYS)))

    def remote_ids(self) -> set[str]:
        """The server's ids of all jobs that are in here."""
        rows = self.read("SELECT json_extract(body, '$.remote_id') FROM job")
        return {remote_id for (remote_id,) in rows if remote_id}

    def reorder(self, ids: Sequence[str]) -> None:
        """Let these jobs stand in this order, in the places that they have together. Unknown ids are left out."""
        marks = ",".join("?" * len(ids))
        with self.transaction() as db:
            found = dict(db.execute(f"SELECT id, position FROM job WHERE id IN ({marks})", tuple(ids)).fetchall())
            known = [job_id for job_id in ids if job_id in found]
            places = zip(sorted(found.values()), known, strict=True)
            db.executemany("UPDATE job SET position=? WHERE id=?", list(places))

    def to_the_end(self, job_id: str) -> None:
        """Let a job stand behind all others."""
        with self.transaction() as db:
            db.execute("UPDATE job SET position=(SELECT max(position) + 1 FROM job) WHERE id=?", (job_id,))

    def positions(self) -> dict[str, int]:
        """The place of every job that is on its way."""
        return dict(self.read(f"SELECT id, position FROM job WHERE {_UNDER_WAY}", *_WAYS))

    def pause(self, lane: str, cause: str) -> None:
        """Let no new job begin in a lane; "" stands for all of them."""
        with self.transaction() as db:
            db.execute("INSERT OR REPLACE INTO pause VALUES (?,?,?)", (lane, time.time(), cause))

    def go_on(self, lane: str) -> None:
        """Take a pause back."""
        with self.transaction() as db:
            db.execute("DELETE FROM pause WHERE lane=?", (lane,))

    def pauses(self) -> dict[str, str]:
        """Lane → cause of everything that is paused."""
        return dict(self.read("SELECT lane, cause FROM pause"))

    def changes(self, job_id: str) -> list[dict[str, Any]]:
        """Every change of state of a job, oldest first."""
        rows = self.read("SELECT at, old, new, cause, who FROM change WHERE job=? ORDER BY rowid", job_id)
        return [dict(zip(("at", "from", "to", "cause", "who"), row, strict=True)) for row in rows]

    def claim(self, job_id: str) -> int | None:
        """Become a job's owner. None when that worked; else the pid of its living owner."""
        with self.transaction() as db:
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

    def orphans(self) -> list[str]:
        """Unfinished jobs whose owner died without letting go of them, in the order of the queue."""
        rows = self.read(
            "SELECT id, owner_pid, owner_started, owner_boot, renewed FROM job WHERE owner_pid IS NOT NULL"
            f" AND {_UNDER_WAY} ORDER BY position",
            *_WAYS,
        )
        others = ((job_id, owner, renewed) for job_id, *owner, renewed in rows if tuple(owner) != self._owner())
        return [
            job_id for job_id, (pid, started, boot), renewed in others if not self._lives(pid, started, boot, renewed)
        ]

    def release(self, job_id: str) -> None:
        """Give up a job, so that any studio may take it."""
        with self.transaction() as db:
            db.execute("UPDATE job SET owner_pid=NULL WHERE id=? AND owner_pid=?", (job_id, self._me.pid))

    def renew(self) -> dict[str, str]:
        """Say that this process lives; gives the wishes that others left for its jobs (id → "cancel")."""
        with self.transaction() as db:
            mine = (self._me.pid, self._me.boot)
            db.execute("UPDATE job SET renewed=? WHERE owner_pid=? AND owner_boot=?", (time.time(), *mine))
            return dict(
                db.execute(
                    "SELECT id, wish FROM job WHERE owner_pid=? AND owner_boot=? AND wish IS NOT NULL", mine
                ).fetchall()
            )

    def wish(self, job_id: str, wish: str) -> None:
        """Ask a job's owner for something; it looks every few seconds."""
        with self.transaction() as db:
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
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Everything or nothing of what is written inside. Raises StoreError when the disk refuses."""
        with self._lock:
            try:
                self._db.execute("BEGIN IMMEDIATE")
                yield self._db
                self._db.execute("COMMIT")
            except BaseException as error:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                if isinstance(error, sqlite3.OperationalError):
                    reason = str(error)
                    raise StoreError(
                        "disk.write", mend="disk.write.mend", path=str(self.path), reason=reason
                    ) from error
                raise


_SELECT: Final = "SELECT body, position FROM job"
_WAYS: Final = tuple(state for state in JobState if not state.finished)
_UNDER_WAY: Final = f"state IN ({','.join('?' * len(_WAYS))})"
"""Named one by one: SQLite's index does not help to find what is not in a list."""


def _job(row: tuple[Any, ...]) -> Job:
    text, position = row
    return body.load(text).model_copy(update={"position": position})
