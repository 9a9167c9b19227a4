"""Asking a disk that may never answer: a share that is gone, a stick that was pulled out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeVar

from studio.media.errors import MediaError
from studio.media.workers import Workers

T = TypeVar("T")

ANSWER_S: Final = 10.0


async def ask(workers: Workers, fn: Callable[..., T], *args: Any, name: str) -> T:
    """`fn(*args)` in a worker: a thread of ours that asks a dead mount would never come back.

    Raises what `fn` raises, and MediaError `media.io` about the file `name` when nothing comes within `ANSWER_S`.
    """
    try:
        return await workers.run(fn, *args, timeout=ANSWER_S)
    except MediaError as error:
        raise (MediaError("media.io", name=name) if error.code == "media.timeout" else error) from error
