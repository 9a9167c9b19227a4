"""The states of a job and the only ways from one to another."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Final


class JobState(StrEnum):
    """Where a job stands. `RUNNING` has phases of its own (prepare, denoise step k/N, decode, mux)."""

    DRAFT = "draft"
    CHECKING = "checking"
    PREPARING = "preparing"
    WAITING = "waiting"
    """For a server that can take it."""
    UPLOADING = "uploading"
    QUEUED = "queued"
    """On the server, behind other jobs."""
    RUNNING = "running"
    DOWNLOADING = "downloading"
    VERIFYING = "verifying"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"
    LOST = "lost"
    """The server forgot it; it can be submitted again with the same seed."""

    @property
    def finished(self) -> bool:
        """Nothing more happens by itself."""
        return self in FINISHED

    @property
    def on_server(self) -> bool:
        """The server holds it: it goes on without us."""
        return self in (JobState.QUEUED, JobState.RUNNING, JobState.DOWNLOADING, JobState.VERIFYING)


S = JobState
FINISHED: Final = frozenset({S.DONE, S.FAILED, S.CANCELLED, S.LOST})
_ENDS: Final = frozenset({S.FAILED, S.CANCELLED})

NEXT: Final[Mapping[JobState, frozenset[JobState]]] = MappingProxyType(
    {
        S.DRAFT: frozenset({S.CHECKING}) | _ENDS,
        S.CHECKING: frozenset({S.PREPARING}) | _ENDS,
        S.PREPARING: frozenset({S.CHECKING, S.WAITING}) | _ENDS,
        S.WAITING: frozenset({S.CHECKING, S.UPLOADING}) | _ENDS,
        # An upload whose answer was lost is found on the server, or goes up once more.
        S.UPLOADING: frozenset({S.CHECKING, S.WAITING, S.QUEUED, S.RUNNING, S.LOST}) | _ENDS,
        S.QUEUED: frozenset({S.RUNNING, S.DOWNLOADING, S.LOST}) | _ENDS,
        S.RUNNING: frozenset({S.QUEUED, S.DOWNLOADING, S.LOST}) | _ENDS,
        S.DOWNLOADING: frozenset({S.VERIFYING, S.LOST}) | _ENDS,
        S.VERIFYING: frozenset({S.DOWNLOADING, S.DONE, S.LOST}) | _ENDS,
        S.DONE: frozenset(),
        # A new attempt starts from the beginning, with the same seed; what the server still holds is taken up there.
        S.FAILED: frozenset({S.CHECKING, S.RUNNING, S.DOWNLOADING}),
        S.CANCELLED: frozenset({S.CHECKING}),
        S.LOST: frozenset({S.CHECKING}),
    }
)


class IllegalTransition(Exception):
    """A change of state that the machine does not have: a bug of ours."""


def require(old: JobState, new: JobState) -> None:
    """Raise IllegalTransition unless `old` → `new` is a way of the machine."""
    if new not in NEXT[old]:
        raise IllegalTransition(f"{old} → {new}")
