"""An iterator that runs ahead of its consumer on a thread of its own, so that both work at once."""

from __future__ import annotations

from collections.abc import Generator
from queue import SimpleQueue
from threading import Event, Semaphore, Thread
from typing import TypeVar

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
