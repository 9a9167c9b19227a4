"""What the ends of renders told of their servers, by row count: what fits, and how long a step takes."""

from __future__ import annotations

from typing import Final, Literal

from studio.contract import PastRun
from studio.jobs.job import Job
from studio.jobs.smoke import Verdict
from studio.jobs.states import JobState
from studio.jobs.store import JobStore

TOO_MUCH: Final = frozenset({"job.out_of_memory", "job.too_many_rows"})
"""Faults that speak of a shape, not of a server or a network."""

_AS_MANY: Final = 1.02
"""Row counts this near count as the same: a longer prompt adds a few."""

_RUNS: Final = 30
"""Past renders that an estimate is made from."""


class Evidence:
    """What renders on each server told of their row counts. Blocking, thread-safe as the store is."""

    def __init__(self, store: JobStore) -> None:
        self._store = store

    def add(self, job: Job, at: float) -> None:
        """Learn from a job that has ended; most faults say nothing."""
        failed = job.fault is not None and job.fault.code in TOO_MUCH
        if job.rows is None or not (job.state is JobState.DONE or failed):
            return
        steps, spent = job.shot.steps, job.timings.get("render")
        pace = spent / steps if spent and steps > 0 and not failed else None
        values = (job.target.lane, job.rows, int(not failed), pace, at, job.id)
        with self._store.transaction() as db:
            db.execute("INSERT INTO evidence VALUES (?,?,?,?,?,?)", values)

    def verdict(self, lane: str, rows: int) -> Verdict | None:
        """What is known of so many rows; None when nothing at all is known of the server.

        A later end counts more than an earlier one: a server whose settings were mended is believed.
        """
        found = self._store.read("SELECT rows, worked FROM evidence WHERE lane=? ORDER BY at DESC", lane)
        if not found:
            return None
        most_known, least_failed = 0, None
        for size, worked in found:
            if worked and (least_failed is None or size < least_failed):
                most_known = max(most_known, size)
            elif not worked and size > most_known:
                least_failed = size if least_failed is None else min(least_failed, size)
        outcome: Literal["works", "fails", "unknown"] = "works" if rows <= most_known * _AS_MANY else "unknown"
        if least_failed is not None and rows >= least_failed:
            outcome = "fails"
        return Verdict(outcome, rows, most_known, least_failed)

    def history(self, lane: str) -> list[PastRun]:
        """The last renders of a server, newest first. Their seconds a step hold what is beside the denoising, too."""
        found = self._store.read(
            "SELECT rows, seconds_per_step FROM evidence WHERE lane=? AND seconds_per_step IS NOT NULL"
            " ORDER BY at DESC LIMIT ?",
            lane,
            _RUNS,
        )
        return [PastRun(rows, pace) for rows, pace in found]
