"""How processes that read media come into being: forked from one that has read the libraries, within milliseconds.

A process that is spawned reads PyAV, numpy and the contract anew: half a second of a core. So one process
(multiprocessing's fork server) reads them once and opens no file; all others are forks of it, also those that take the
place of one that was killed. It ends with the program.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
from collections.abc import Iterator, Mapping
from multiprocessing import forkserver, resource_tracker
from multiprocessing.context import ForkServerContext
from typing import Final

MEMORY_LIMIT: Final = 6 << 30
"""Bytes that one process may allocate; a decoded 8K clip needs about 2 GiB."""

_READ_ONCE: Final = ("studio.media.decoder", "studio.media.prepare", "studio.media.verify", "cv2", "pebble")
"""Modules; these bring PyAV, numpy, Pillow and the contract along."""


def context() -> ForkServerContext:
    """What makes the processes, and the pipes and locks that they share."""
    made = multiprocessing.get_context("forkserver")
    made.set_forkserver_preload([*_READ_ONCE])
    return made


def get_ready() -> None:
    """Have the libraries read, so that the first process need not wait for them. Returns at once."""
    with deaf_to_interrupts(), contextlib.suppress(OSError):  # who needs a process hears of it then
        context()
        forkserver.ensure_running()


@contextlib.contextmanager
def deaf_to_interrupts() -> Iterator[None]:
    """Threads and processes that are started in here never hear Ctrl+C: a terminal sends it to every process, and only
    the program answers it."""
    resource_tracker.ensure_running()  # it comes first in any case, and unblocks the signal again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def settle(environment: Mapping[str, str]) -> None:
    """First thing in a process: the program's `environment` of now, and bounds."""
    os.environ.clear()
    os.environ.update(environment)
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
        limit = MEMORY_LIMIT if hard == resource.RLIM_INFINITY else min(hard, MEMORY_LIMIT)
        resource.setrlimit(resource.RLIMIT_DATA, (limit, hard))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
