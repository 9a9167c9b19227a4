"""What past runs teach about a server: rows, seconds a step, peak memory, and how long the end of a render takes.

Kept in each finished job (`Job.learned`), found again by the server that it ran on (`Target.lane`).
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, ValidationError

from studio.contract import PastRun
from studio.jobs.job import Job
from studio.jobs.store import JobStore

_MOST: Final = 40
"""Runs that count: a server of half a year ago is another server."""

_ALIKE: Final = 0.05
"""Share by which the rows of a run of the same shape may differ: prompts count in them."""


class Learned(BaseModel):
    """What one run taught. Bytes and seconds; None where it was not seen."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    rows: int
    seconds_per_step: float
    peak_bytes: int | None = None
    cold: bool = False
    """The first job after the server's start: it compiles, and does not count for the pace."""
    denoised_at: float | None = None
    """Wall time of the last step."""
    tail_seconds: float | None = None
    """From the last step to the verified file."""

    def past_run(self) -> PastRun:
        """The same, for the estimate."""
        return PastRun(self.rows, self.seconds_per_step, self.peak_bytes, self.cold)


def learned(store: JobStore, server_key: str) -> list[Learned]:
    """What the last runs on a server taught, newest first. Blocking."""
    rows = store.read(
        "SELECT json_extract(body, '$.learned') FROM job WHERE state = 'done' AND"
        " json_extract(body, '$.learned.server') = ? ORDER BY created DESC LIMIT ?",
        server_key,
        _MOST,
    )
    found: list[Learned] = []
    for (text,) in rows:
        with contextlib.suppress(ValidationError):  # written by a studio that kept something else
            found.append(Learned.model_validate_json(text))
    return found


def past_runs(store: JobStore, server_key: str) -> list[PastRun]:
    """The last runs on a server (its `Target.lane`), newest first, for `contract.cost`. Blocking."""
    return [one.past_run() for one in learned(store, server_key)]


def tails(known: Sequence[Learned], rows: int) -> list[float]:
    """Seconds from the last step to the file that a run of so many rows may take, from what past runs took.

    Runs of the same shape tell it. Where there is none, others are taken by their rows: decoding, encoding and
    checking grow with the picture. The first run after a start compiles, and counts only where no other is known.
    """
    warm = [one for one in known if not one.cold and one.tail_seconds is not None]
    ended = [(one.rows, one.tail_seconds) for one in warm or known if one.tail_seconds is not None]
    alike = [seconds for other, seconds in ended if abs(other - rows) <= _ALIKE * rows]
    return alike or [seconds * rows / other for other, seconds in ended if rows > 0 and other > 0]


def served_before(store: JobStore, server_id: str, job_id: str) -> bool:
    """Whether this start of a server has finished another job: then the next one is not cold. Blocking."""
    sql = "SELECT 1 FROM job WHERE state = 'done' AND id <> ? AND json_extract(body, '$.target.server_id') = ? LIMIT 1"
    return bool(store.read(sql, job_id, server_id))


def last_alike(store: JobStore, job: Job) -> tuple[Path, float] | None:
    """The recording of the last finished run of the same shape on the same server, before `job`, and its beginning.

    The same shape: as many rows and as many steps. Blocking.
    """
    rows = store.read(
        "SELECT json_extract(body, '$.telemetry'), json_extract(body, '$.posted_at') FROM job WHERE state = 'done'"
        " AND created < ? AND json_extract(body, '$.resolved.rows') = ? AND json_extract(body, '$.resolved.steps') = ?"
        " AND json_extract(body, '$.learned.server') = ? AND json_extract(body, '$.telemetry') IS NOT NULL"
        " ORDER BY created DESC LIMIT 1",
        job.created,
        job.rows,
        job.resolved.get("steps"),
        job.target.lane,
    )
    return next(((Path(path), float(began or 0.0)) for path, began in rows), None)


def plain(one: Learned, server_key: str) -> dict[str, Any]:
    """As it is kept in a job."""
    return {"server": server_key, **one.model_dump(exclude_none=True)}
