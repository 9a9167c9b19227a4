"""Keeps the machine from falling asleep while a render is under way (through wakepy)."""

from __future__ import annotations

import asyncio
import functools
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from typing import Any

from wakepy import keep

log = logging.getLogger(__name__)

Hold = Callable[[], AbstractContextManager[Any]]


def _keep_running() -> AbstractContextManager[Any]:
    # A machine without a desktop has nobody to ask, and does not fall asleep either.
    return keep.running(on_fail="pass")


class Awake:
    """`want` says whether the machine must stay awake; asking for it never blocks or fails a render.

    `hold` makes the context inside which it does. The desktop is asked on a thread of its own, since it may be slow to
    answer, and since what was asked for there must be given back there.
    """

    def __init__(self, hold: Hold = _keep_running) -> None:
        self._hold = hold
        self._held: AbstractContextManager[Any] | None = None
        self._wanted = False
        self._executor = ThreadPoolExecutor(1, thread_name_prefix="awake")

    def want(self, wanted: bool) -> None:
        """Keep the machine awake, or let it sleep again."""
        if wanted != self._wanted:
            self._wanted = wanted
            self._executor.submit(self._apply, wanted)

    async def aclose(self) -> None:
        """Let the machine sleep again."""
        self.want(False)
        await asyncio.to_thread(functools.partial(self._executor.shutdown, wait=True))

    def _apply(self, wanted: bool) -> None:
        try:
            if wanted:
                held = self._hold()
                held.__enter__()
                self._held = held
            elif self._held is not None:
                held, self._held = self._held, None
                held.__exit__(None, None, None)
        except Exception:  # whatever a desktop answers, the render goes on
            log.warning("the machine could not be kept awake", exc_info=True)
