"""The order of the queue and its pauses are in the store; an older database gets them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing

import pytest

from studio.core import paths
from studio.jobs import Job, JobState, JobStore
from studio.jobs import schema as schema_of_store
from studio.jobs.states import IllegalTransition
from tests.helpers.jobs import small_shot


def a_job(job_id: str, created: float = 1.0) -> Job:
    return Job(id=job_id, created=created, shot=small_shot())


def order(store: JobStore) -> list[str]:
    return [job.id for job in store.unfinished()]


@pytest.fixture
def store() -> Iterator[JobStore]:
    with closing(JobStore()) as made:
        for name in "abcd":
            made.add(a_job(name))
        yield made


def test_jobs_stand_in_the_order_in_which_they_came(store: JobStore) -> None:
    assert order(store) == list("abcd")


def test_some_jobs_trade_places_and_the_others_stay(store: JobStore) -> None:
    store.reorder(["d", "b", "unknown"])
    assert order(store) == list("adcb")
    store.reorder(list("bacd"))
    assert order(store) == list("bacd")


def test_an_order_survives_what_a_run_writes_and_a_restart(store: JobStore) -> None:
    old = store.get("a")
    assert old is not None
    store.reorder(list("dcba"))
    store.save(store.move(old, JobState.CHECKING, "begun"))
    store.close()
    with closing(JobStore()) as again:
        assert order(again) == list("dcba")
        assert [job.position for job in again.unfinished()] == [1, 2, 3, 4]


def test_a_job_goes_to_the_end(store: JobStore) -> None:
    store.to_the_end("b")
    assert order(store) == list("acdb")


def test_pauses_are_kept(store: JobStore) -> None:
    store.pause("", "user")
    store.pause("http://gpu:8000", "job.out_of_memory")
    store.close()
    with closing(JobStore()) as again:
        assert again.pauses() == {"": "user", "http://gpu:8000": "job.out_of_memory"}
        again.go_on("")
        assert again.pauses() == {"http://gpu:8000": "job.out_of_memory"}


def test_a_move_from_a_state_that_is_no_more_is_refused(store: JobStore) -> None:
    old = store.get("a")
    assert old is not None
    store.move(old, JobState.CHECKING, "begun")
    with pytest.raises(IllegalTransition):
        store.move(old, JobState.CANCELLED, "late")
    present = store.get("a")
    assert present is not None and present.state is JobState.CHECKING


def test_a_database_of_the_first_version_gets_an_order() -> None:
    path = paths.data_dir() / "jobs.sqlite"
    path.parent.mkdir(parents=True)
    with closing(sqlite3.connect(path)) as db, db:
        for statement in filter(str.strip, schema_of_store._MIGRATIONS[0].split(";")):
            db.execute(statement)
        for name, created in (("late", 9.0), ("early", 3.0)):
            values = (name, created, created, "draft", a_job(name, created).model_dump_json(exclude={"position"}))
            db.execute("INSERT INTO job(id, created, updated, state, body) VALUES (?,?,?,?,?)", values)
        db.execute("PRAGMA user_version=1")
    with closing(JobStore()) as store:
        assert order(store) == ["early", "late"]
        assert store.add(a_job("new")).position == 3
