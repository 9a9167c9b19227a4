"""The queue's database: SQLite in WAL mode, its tables, and how an older file becomes a present one."""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path
from typing import Final

from studio.core.errors import StudioError
from studio.core.words import Message

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
    """
    ALTER TABLE job ADD COLUMN position INTEGER NOT NULL DEFAULT 0;
    UPDATE job SET position = (
        SELECT count(*) FROM job AS other WHERE (other.created, other.id) <= (job.created, job.id)
    );
    CREATE INDEX job_position ON job(position);
    CREATE TABLE pause (lane TEXT PRIMARY KEY, at REAL NOT NULL, cause TEXT NOT NULL);
    CREATE TABLE evidence (
        lane TEXT NOT NULL, rows INTEGER NOT NULL, worked INTEGER NOT NULL, seconds_per_step REAL, at REAL NOT NULL,
        job TEXT NOT NULL
    );
    CREATE INDEX evidence_lane ON evidence(lane, rows);
    """,
    """
    CREATE INDEX job_created ON job(created DESC, id);
    CREATE INDEX job_updated ON job(updated);
    CREATE INDEX job_batch ON job(json_extract(body, '$.batch'));
    """,
)
SCHEMA: Final = len(_MIGRATIONS)


class StoreError(StudioError):
    """The database cannot be used."""


def open_database(path: Path) -> tuple[sqlite3.Connection, Message | None]:
    """The database, and what there is to say of it: a damaged one is kept aside and a new one begun.

    Raises StoreError when the disk refuses, or when a newer version of the studio wrote it (it is left as it is).
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        return _connect(path), None
    except sqlite3.DatabaseError as error:
        if isinstance(error, sqlite3.OperationalError):
            raise StoreError("disk.write", mend="disk.write.mend", path=str(path), reason=str(error)) from error
    kept = path.with_name(f"jobs.damaged-{time.strftime('%y%m%d-%H%M%S')}.sqlite")
    path.replace(kept)
    for suffix in ("-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    return _connect(path), Message("store.damaged", {"kept": str(kept)})


def _connect(path: Path) -> sqlite3.Connection:
    db = sqlite3.connect(path, timeout=15, isolation_level=None, check_same_thread=False)
    try:
        db.execute("PRAGMA journal_mode=WAL")
        db.execute("PRAGMA synchronous=FULL")
        have = int(db.execute("PRAGMA user_version").fetchone()[0])
        if have > SCHEMA:
            raise StoreError("store.newer", mend="store.newer.mend")
        if have < SCHEMA:
            _migrate(db)
        db.execute("SELECT count(*) FROM job").fetchone()
    except BaseException:
        db.close()
        raise
    return db


def _migrate(db: sqlite3.Connection) -> None:
    # Two studios may start at once: whoever comes second finds it done.
    db.execute("BEGIN IMMEDIATE")
    have = int(db.execute("PRAGMA user_version").fetchone()[0])
    for script in _MIGRATIONS[have:]:
        for statement in filter(str.strip, script.split(";")):
            db.execute(statement)
    db.execute(f"PRAGMA user_version={SCHEMA}")
    db.execute("COMMIT")
