"""A bounded thread in front: the same items, the same errors, and nothing left running."""

from __future__ import annotations

import threading
from collections.abc import Generator

import pytest

from studio.media.ahead import ahead, in_step


def test_the_same_items_in_their_order() -> None:
    assert list(ahead((n * n for n in range(50)), 3)) == [n * n for n in range(50)]
    assert list(ahead((n for n in ()), 3)) == []


def test_it_runs_ahead_as_far_as_asked_and_no_further() -> None:
    made: list[int] = []
    third = threading.Event()

    def items() -> Generator[int, None, None]:
        for n in range(10):
            made.append(n)
            if n == 3:
                third.set()
            yield n

    running = ahead(items(), 2)
    assert next(running) == 0
    assert third.wait(5)  # without being asked again: two wait, and one is in the making
    assert len(made) == 4
    running.close()
    assert len(made) == 4


def test_what_goes_wrong_is_raised_where_the_items_are_taken() -> None:
    def items() -> Generator[int, None, None]:
        yield 1
        raise ValueError("two")

    running = ahead(items(), 4)
    assert next(running) == 1
    with pytest.raises(ValueError, match="two"):
        next(running)


@pytest.mark.parametrize("taken", [0, 1, 5])
def test_closing_ends_the_thread_and_closes_the_items(taken: int) -> None:
    closed, before = [], threading.active_count()

    def items() -> Generator[int, None, None]:
        try:
            yield from range(100)
        finally:
            closed.append(threading.current_thread().name)

    running = ahead(items(), 2)
    for _ in range(taken):
        next(running)
    running.close()
    assert threading.active_count() == before
    assert closed == (["ahead"] if taken else [])


def test_work_on_threads_comes_back_in_order() -> None:
    both = threading.Barrier(2)

    def work(n: int) -> int:
        both.wait(30)  # passes only when two are at work at once
        return n * n

    assert list(in_step(work, iter(range(8)), 2)) == [n * n for n in range(8)]


def test_work_that_fails_is_raised_in_its_turn() -> None:
    running = in_step(lambda n: 6 // n, iter((3, 2, 0, 1)), 2)
    assert [next(running), next(running)] == [2, 3]
    with pytest.raises(ZeroDivisionError):
        next(running)
