"""Work on threads with its results in order: an iterator ahead of its consumer, or one piece of work for each item."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from queue import SimpleQueue
from threading import Event, Semaphore, Thread
from typing import TypeVar

S = TypeVar("S")
T = TypeVar("T")


def ahead(items: Generator[T, None, None], most: int) -> Generator[T, None, None]:
    """The items in their order, of which at most `most` (and one in the making) wait to be taken.

    What the iterator raises is raised here. Close the generator when it is not used to its end: then the thread is
    gone and `items` is closed.
    """
    made: SimpleQueue[tuple[T] | BaseException | None] = SimpleQueue()
    room, stop = Semaphore(most), Event()
    thread = Thread(target=_run, args=(items, made, room, stop), daemon=True, name="ahead")
    thread.start()
    try:
        while (item := made.get()) is not None:
            if isinstance(item, BaseException):
                raise item
            room.release()
            yield item[0]
    finally:
        stop.set()
        room.release()
        thread.join()


def _run(
    items: Generator[T, None, None],
    made: SimpleQueue[tuple[T] | BaseException | None],
    room: Semaphore,
    stop: Event,
) -> None:
    try:
        for item in items:
            made.put((item,))
            room.acquire()
            if stop.is_set():
                break
        items.close()
        made.put(None)
    except BaseException as error:  # it is raised where the items are taken
        made.put(error)


def in_step(work: Callable[[S], T], items: Iterable[S], threads: int) -> Generator[T, None, None]:
    """`work` of every item, in their order, on so many threads."""
    with ThreadPoolExecutor(threads) as pool:
        waiting: deque[Future[T]] = deque()
        for item in items:
            waiting.append(pool.submit(work, item))
            if len(waiting) > threads:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
