"""The index: SQLite with full-text search. It holds nothing that is not beside the results, but what a look found.

Deleting the file costs one reading of the results folder. Blocking and thread-safe; the library calls it on a thread.
"""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
import threading
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, NamedTuple

from studio.core.words import Message
from studio.jobs.library.entry import Entry
from studio.jobs.library.marks import Marks
from studio.jobs.library.query import Query, folded, refines, statement, words_of, words_to_read_for

SCHEMA: Final = 1
"""Raise it when a table changes: an index with a lower number is thrown away and made anew."""

_TABLES: Final = """
DROP TABLE IF EXISTS result; DROP TABLE IF EXISTS tag; DROP TABLE IF EXISTS words;
CREATE TABLE result (
    id INTEGER PRIMARY KEY, path BLOB NOT NULL UNIQUE, job TEXT NOT NULL, sha256 TEXT NOT NULL, created REAL NOT NULL,
    prompt TEXT NOT NULL, task TEXT NOT NULL, seed INTEGER NOT NULL, steps INTEGER NOT NULL, width INTEGER NOT NULL,
    height INTEGER NOT NULL, frames INTEGER NOT NULL, size INTEGER NOT NULL, rehearsal INTEGER NOT NULL,
    star INTEGER NOT NULL, reject INTEGER NOT NULL, tags TEXT NOT NULL, notes TEXT NOT NULL, stamp INTEGER NOT NULL,
    trashed INTEGER NOT NULL, missing INTEGER NOT NULL DEFAULT 0, flaws TEXT, faults INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX result_created ON result(trashed, created);
CREATE INDEX result_job ON result(job);
CREATE TABLE tag (name TEXT NOT NULL, result INTEGER NOT NULL, PRIMARY KEY (name, result)) WITHOUT ROWID;
CREATE VIRTUAL TABLE words USING fts5(text, tokenize='trigram');
"""
_COLUMNS: Final = (
    *("path", "job", "sha256", "created", "prompt", "task", "seed", "steps", "width", "height", "frames", "size"),
    *("rehearsal", "star", "reject", "tags", "notes", "stamp", "trashed"),
)
_BLANK: Final = Marks()
_AT_ONCE: Final = 500
"""SQLite takes at least 999 parameters in a statement."""


class Known(NamedTuple):
    """What decides whether a result must be read again."""

    id: int
    stamp: int
    missing: bool


class _Found(NamedTuple):
    """What was found last, while the data had that version."""

    version: int
    query: Query
    ids: list[int]


@dataclass(frozen=True, slots=True)
class Totals:
    """Bytes of all videos that are there, and of those in the trash."""

    results: int = 0
    trash: int = 0


class Index:
    """Rows are `Entry` values. A file that is damaged is thrown away; one of a newer version is left alone, and the
    index is then in memory only. `trouble` says so, `fresh` whether it is empty and must be filled."""

    def __init__(self, path: Path) -> None:
        self.trouble: Message | None = None
        self.fresh = False
        self._lock = threading.Lock()
        self._texts: dict[int, str] = {}
        self._texts_version = 0
        self._found: _Found | None = None
        self._db = self._open(path)

    def close(self) -> None:
        """Close the database."""
        with self._lock:
            self._db.close()

    # Writing.

    def put(self, entries: Iterable[Entry]) -> list[int]:
        """Take in results, new or changed, found by their path. Gives the ids of those that are new."""
        new: list[int] = []
        with self._write() as db:
            for entry in entries:
                path = os.fsencode(entry.video)
                known = db.execute("SELECT id, sha256 FROM result WHERE path = ?", (path,)).fetchone()
                values = _values(entry)
                if known is None:
                    places = ", ".join("?" * len(_COLUMNS))
                    cursor = db.execute(f"INSERT INTO result ({', '.join(_COLUMNS)}) VALUES ({places})", values)
                    entry_id = int(cursor.lastrowid or 0)
                    new.append(entry_id)
                else:
                    entry_id = int(known[0])
                    places = ", ".join(f"{column} = ?" for column in _COLUMNS)
                    db.execute(f"UPDATE result SET {places}, missing = 0 WHERE id = ?", (*values, entry_id))
                    if known[1] != entry.sha256:
                        db.execute("UPDATE result SET flaws = NULL, faults = 0 WHERE id = ?", (entry_id,))
                self._write_words(replace(entry, id=entry_id))
        return new

    def set_marks(self, entry_id: int, marks: Marks, stamp: int) -> None:
        """Take in the marks of a result, as they are beside it since `stamp`."""
        with self._write() as db:
            db.execute(
                "UPDATE result SET star = ?, reject = ?, tags = ?, notes = ?, stamp = ? WHERE id = ?",
                (marks.star, marks.reject, json.dumps(marks.tags), _plain(marks.notes), stamp, entry_id),
            )
            for entry in _entries(db, [entry_id]):
                self._write_words(entry)

    def set_flaws(self, entry_id: int, found: Sequence[Message]) -> None:
        """Keep what a look at a result found."""
        said = json.dumps([(flaw.code, dict(flaw.params)) for flaw in found])
        with self._write() as db:
            db.execute("UPDATE result SET flaws = ?, faults = ? WHERE id = ?", (said, len(found), entry_id))

    def set_missing(self, entry_id: int, video: Path, missing: bool) -> bool:
        """Say whether a result was found at `video`; True when that is news, and it was not moved since."""
        with self._write() as db:
            cursor = db.execute(
                "UPDATE result SET missing = ? WHERE id = ? AND path = ? AND missing != ?",
                (missing, entry_id, os.fsencode(video), missing),
            )
            return cursor.rowcount > 0

    def set_place(self, entry_id: int, video: Path, *, trashed: bool) -> None:
        """A result was moved."""
        with self._write() as db:
            db.execute("DELETE FROM result WHERE path = ? AND id != ?", (os.fsencode(video), entry_id))
            db.execute(
                "UPDATE result SET path = ?, trashed = ?, missing = 0 WHERE id = ?",
                (os.fsencode(video), trashed, entry_id),
            )

    def remove(self, ids: Sequence[int]) -> None:
        """Forget results."""
        with self._write() as db:
            for entry_id in ids:
                db.execute("DELETE FROM result WHERE id = ?", (entry_id,))
                db.execute("DELETE FROM words WHERE rowid = ?", (entry_id,))
                db.execute("DELETE FROM tag WHERE result = ?", (entry_id,))

    # Reading.

    def find(self, query: Query) -> array[int]:
        """The ids of all results that fit, in order. While a text is typed, only what fitted before is looked at."""
        with self._lock:
            version, before = self._data_version(), self._found
            if before is not None and not (before.version == version and refines(query, before.query)):
                before = None
            words = words_to_read_for(query)
            # Among all results the full-text index is quicker; it takes no short words.
            if before is not None and (words or words_of(before.query)):
                ids = before.ids
                words = [word for word in words_of(query) if word not in words_of(before.query)]
            else:
                ids = [row[0] for row in self._db.execute(*statement(query))]
            for word in words:
                text_of = self._all_texts().get
                ids = [i for i in ids if word in text_of(i, "")]
            self._found = _Found(version, query, ids)
            return array("q", ids)

    def entries(self, ids: Sequence[int]) -> list[Entry]:
        """The results with these ids, in their order; those that are gone are left out."""
        with self._lock:
            return _entries(self._db, ids)

    def warm(self) -> None:
        """Do now what the first search for a short word would wait for."""
        with self._lock:
            self._all_texts()

    def holds_job(self, job: str) -> bool:
        """Whether the result of a job is in here, wherever it was moved."""
        with self._lock:
            return self._db.execute("SELECT 1 FROM result WHERE job = ? LIMIT 1", (job,)).fetchone() is not None

    def find_video(self, video: Path) -> int | None:
        """The id of the result at this path."""
        with self._lock:
            row = self._db.execute("SELECT id FROM result WHERE path = ?", (os.fsencode(video),)).fetchone()
        return None if row is None else int(row[0])

    def known(self, folder: Path) -> dict[Path, Known]:
        """What is known of every result in a folder and the folders in it, by path."""
        prefix = os.fsencode(folder).rstrip(b"/") + b"/"
        with self._lock:
            rows = self._db.execute("SELECT path, id, stamp, missing FROM result").fetchall()
        return {
            Path(os.fsdecode(path)): Known(entry_id, stamp, bool(missing))
            for path, entry_id, stamp, missing in rows
            if path.startswith(prefix)
        }

    def tags(self) -> list[tuple[str, int]]:
        """All tags with how many results have them, in order of the alphabet."""
        with self._lock:
            rows = self._db.execute(
                "SELECT name, count(*) FROM tag JOIN result ON result.id = tag.result WHERE NOT trashed GROUP BY name"
            ).fetchall()
        return sorted(rows, key=lambda row: str(row[0]).casefold())

    def totals(self) -> Totals:
        """How much there is."""
        with self._lock:
            rows = self._db.execute("SELECT trashed, sum(size) FROM result WHERE NOT missing GROUP BY trashed")
            by = {bool(trashed): int(size) for trashed, size in rows}
        return Totals(by.get(False, 0), by.get(True, 0))

    # How it is kept.

    def _all_texts(self) -> dict[int, str]:
        """The folded texts in memory (10 MB for 10,000): in SQLite, looking into each takes ten times as long."""
        version = self._data_version()
        if version != self._texts_version:
            self._texts, self._texts_version = dict(self._db.execute("SELECT rowid, text FROM words")), version
        return self._texts

    def _data_version(self) -> int:
        """Another number once another program has written."""
        return int(self._db.execute("PRAGMA data_version").fetchone()[0])

    def _write_words(self, entry: Entry) -> None:
        text = folded(_plain("\n".join((entry.prompt, *entry.marks.tags, entry.marks.notes, entry.video.stem))))
        self._db.execute("DELETE FROM words WHERE rowid = ?", (entry.id,))
        self._db.execute("INSERT INTO words (rowid, text) VALUES (?, ?)", (entry.id, text))
        self._db.execute("DELETE FROM tag WHERE result = ?", (entry.id,))
        self._db.executemany("INSERT INTO tag VALUES (?, ?)", [(_plain(tag), entry.id) for tag in entry.marks.tags])
        self._texts[entry.id] = text

    @contextlib.contextmanager
    def _write(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            self._found = None
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield self._db
            except BaseException:
                self._db.execute("ROLLBACK")
                raise
            self._db.execute("COMMIT")

    def _open(self, path: Path) -> sqlite3.Connection:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            try:
                return self._connect(path)
            except sqlite3.OperationalError:
                raise
            except sqlite3.DatabaseError:
                for suffix in ("", "-wal", "-shm"):
                    path.with_name(path.name + suffix).unlink(missing_ok=True)
                self.trouble = Message("library.damaged")
                return self._connect(path)
        except (OSError, sqlite3.OperationalError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            self.trouble = Message("library.index_unwritable", {"path": str(path.parent), "reason": reason})
            return self._connect(Path(":memory:"))

    def _connect(self, path: Path) -> sqlite3.Connection:
        db = sqlite3.connect(path, timeout=15, isolation_level=None, check_same_thread=False)
        try:
            have = int(db.execute("PRAGMA user_version").fetchone()[0])
            if have > SCHEMA:
                db.close()
                self.trouble = Message("library.newer")
                return self._connect(Path(":memory:"))
            db.execute("PRAGMA journal_mode=WAL")
            # What a power cut takes from it can be read from the results again.
            db.execute("PRAGMA synchronous=NORMAL")
            if have < SCHEMA:
                self.fresh = True
                db.executescript(f"BEGIN IMMEDIATE; {_TABLES} PRAGMA user_version={SCHEMA}; COMMIT;")
            db.execute("SELECT count(*) FROM result").fetchone()
        except BaseException:
            db.close()
            raise
        return db


def _values(entry: Entry) -> tuple[Any, ...]:
    return (
        os.fsencode(entry.video),
        _plain(entry.job),
        entry.sha256,
        entry.created,
        _plain(entry.prompt),
        _plain(entry.task),
        entry.seed,
        entry.steps,
        entry.width,
        entry.height,
        entry.frames,
        entry.size_bytes,
        entry.rehearsal,
        entry.marks.star,
        entry.marks.reject,
        json.dumps(entry.marks.tags),
        _plain(entry.marks.notes),
        entry.stamp,
        entry.trashed,
    )


def _entries(db: sqlite3.Connection, ids: Sequence[int]) -> list[Entry]:
    found: dict[int, Entry] = {}
    columns = ", ".join((*_COLUMNS, "missing", "flaws", "id"))
    for start in range(0, len(ids), _AT_ONCE):
        part = list(ids[start : start + _AT_ONCE])
        marks = ", ".join("?" * len(part))
        for row in db.execute(f"SELECT {columns} FROM result WHERE id IN ({marks})", part):
            found[row[-1]] = _entry(dict(zip((*_COLUMNS, "missing", "flaws", "id"), row, strict=True)))
    return [found[entry_id] for entry_id in ids if entry_id in found]


def _entry(row: dict[str, Any]) -> Entry:
    marks = _BLANK
    if row["star"] or row["reject"] or row["tags"] != "[]" or row["notes"]:
        marks = Marks(star=row["star"], reject=row["reject"], tags=json.loads(row["tags"]), notes=row["notes"])
    flaws = row["flaws"]
    return Entry(
        video=Path(os.fsdecode(row["path"])),
        created=row["created"],
        prompt=row["prompt"],
        task=row["task"],
        seed=row["seed"],
        steps=row["steps"],
        width=row["width"],
        height=row["height"],
        frames=row["frames"],
        size_bytes=row["size"],
        rehearsal=bool(row["rehearsal"]),
        sha256=row["sha256"],
        job=row["job"],
        marks=marks,
        stamp=row["stamp"],
        trashed=bool(row["trashed"]),
        missing=bool(row["missing"]),
        flaws=None if flaws is None else tuple(Message(code, params) for code, params in json.loads(flaws)),
        id=row["id"],
    )


def _plain(text: str) -> str:
    """Text that SQLite takes: lone surrogates of odd file names and damaged prompts become question marks."""
    return text.encode("utf-8", "replace").decode("utf-8")
