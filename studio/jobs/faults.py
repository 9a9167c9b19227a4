"""What a server's word on a failed job means, and which faults say what of the server."""

from __future__ import annotations

from typing import Final

from studio.client import VideoJob
from studio.core.errors import StudioError

LOST: Final = frozenset({"job.lost.forgot", "job.lost.died", "server.file_gone"})
"""The server no longer has it: it may be rendered again with the same seed."""

WAY_ONLY: Final = frozenset(
    {
        "server.unauthorized",
        "server.unreachable",
        "server.no_answer",
        "server.bad_answer",
        "server.broken_download",
        "disk.write",
    }
)
"""Only the way to the server, or our own disk, failed: the render there is followed, not made anew."""

OF_THE_SERVER: Final = frozenset({"job.out_of_memory", "job.engine_dead", "job.lost.died", "server.failed"})
"""Faults that the next job would meet as well."""

ONCE_IS_ENOUGH: Final = frozenset({"job.engine_dead"})
"""After these every later job fails until the server is started again."""

# Texts of vllm-omni 0.30.0 (server-api §5.4, §8) after which every job fails until the server is started again.
_DEAD: Final = ("no live replica", "engine is dead", "executor is closed", "enginecore encountered", "wave timed out")
_TOO_MANY_ROWS: Final = ("cudnn", "no valid engine configs", "attention graph")


def failure(remote: VideoJob) -> StudioError:
    """The error that a failed job is, with the server's own words."""
    said = remote.fault
    lower = said.lower()
    if "out of memory" in lower:
        return StudioError("job.out_of_memory", mend="job.out_of_memory.mend", said=said)
    if any(text in lower for text in _DEAD):
        return StudioError("job.engine_dead", mend="job.engine_dead.mend", said=said)
    if any(text in lower for text in _TOO_MANY_ROWS):
        return StudioError("job.too_many_rows", mend="job.out_of_memory.mend", said=said)
    return StudioError("job.failed_there", said=said)
