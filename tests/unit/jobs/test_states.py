"""The state machine: only its own ways, and the store holds to them."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.core import paths
from studio.core.errors import StudioError
from studio.jobs import Job, JobState, JobStore
from studio.jobs.states import NEXT, IllegalTransition, require
from tests.helpers.jobs import small_shot

STATES = st.sampled_from(JobState)


@given(old=STATES, new=STATES)
def test_only_ways_of_the_machine_are_open(old: JobState, new: JobState) -> None:
    if new in NEXT[old]:
        require(old, new)
    else:
        with pytest.raises(IllegalTransition):
            require(old, new)


def test_every_state_can_be_ended_and_done_is_the_end() -> None:
    for state in JobState:
        if not state.finished:
            ways = NEXT[state]
            assert ways & {JobState.CANCELLED, JobState.CANCELLING}, state
            assert JobState.FAILED in ways or state is JobState.CANCELLING, state
    assert not NEXT[JobState.DONE]


@pytest.fixture
def store() -> Iterator[JobStore]:
    with closing(JobStore()) as made:
        yield made


def a_job(job_id: str = "j1") -> Job:
    return Job(id=job_id, created=1.0, shot=small_shot())


def test_a_change_is_written_with_its_cause(store: JobStore) -> None:
    job = store.move(store.add(a_job()), JobState.CHECKING, "begun", "user")
    assert store.get("j1") == job
    assert [(c["from"], c["to"], c["cause"], c["who"]) for c in store.changes("j1")] == [
        ("draft", "checking", "begun", "user")
    ]


def test_an_illegal_change_leaves_the_store_as_it_was(store: JobStore) -> None:
    job = store.add(a_job())
    with pytest.raises(IllegalTransition):
        store.move(job, JobState.DONE, "no")
    assert store.get("j1") == job
    assert store.changes("j1") == []


def test_a_late_save_does_not_turn_the_state_back(store: JobStore) -> None:
    old = store.add(a_job())
    moved = store.move(old, JobState.CHECKING, "begun")
    store.save(old.model_copy(update={"name": "late"}))
    assert store.get("j1") == moved


CLAIM = "from studio.jobs import JobStore; print(JobStore().claim('j1'))"


def test_a_job_of_a_living_studio_is_not_taken(store: JobStore) -> None:
    store.add(a_job())
    said = subprocess.run([sys.executable, "-c", CLAIM], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == str(store._me.pid)
    store.release("j1")
    said = subprocess.run([sys.executable, "-c", CLAIM], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == "None"


def test_a_job_of_a_dead_studio_is_taken(store: JobStore) -> None:
    add = "from studio.jobs import JobStore; from tests.unit.jobs.test_states import a_job; JobStore().add(a_job())"
    subprocess.run([sys.executable, "-c", add], check=True, cwd=Path(__file__).parents[3])
    assert store.orphans() == ["j1"]
    assert store.claim("j1") is None
    assert store.orphans() == []


def test_a_newer_database_is_left_alone(store: JobStore) -> None:
    store.close()
    with closing(sqlite3.connect(store.path)) as db, db:
        db.execute("PRAGMA user_version=99")
    before = store.path.read_bytes()
    with pytest.raises(StudioError, match="newer version"):
        JobStore()
    assert store.path.read_bytes() == before


def test_a_damaged_database_is_set_aside_and_said() -> None:
    path = paths.data_dir() / "jobs.sqlite"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"this is no database at all" * 100)
    with closing(JobStore()) as store:
        assert store.all() == []
        assert store.trouble is not None and store.trouble.code == "store.damaged"
    kept = list(path.parent.glob("jobs.damaged-*.sqlite"))
    assert len(kept) == 1 and kept[0].read_bytes().startswith(b"this is no database")
