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
    CANCELLING = "cancelling"
    """Its end was asked for; the server stops at its next step."""
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
_HERE: Final = frozenset({S.FAILED, S.CANCELLED})
_THERE: Final = frozenset({S.FAILED, S.CANCELLING})
"""How a job ends that is only here, and one that a server has heard of."""

NEXT: Final[Mapping[JobState, frozenset[JobState]]] = MappingProxyType(
    {
        S.DRAFT: frozenset({S.CHECKING}) | _HERE,
        S.CHECKING: frozenset({S.PREPARING}) | _HERE,
        S.PREPARING: frozenset({S.CHECKING, S.WAITING}) | _HERE,
        S.WAITING: frozenset({S.CHECKING, S.UPLOADING}) | _HERE,
        # An upload whose answer was lost is found on the server, or goes up once more; half of one makes no job there.
        S.UPLOADING: frozenset({S.CHECKING, S.WAITING, S.QUEUED, S.RUNNING, S.LOST, S.CANCELLED}) | _THERE,
        S.QUEUED: frozenset({S.RUNNING, S.DOWNLOADING, S.LOST}) | _THERE,
        S.RUNNING: frozenset({S.QUEUED, S.DOWNLOADING, S.LOST}) | _THERE,
        S.DOWNLOADING: frozenset({S.VERIFYING, S.LOST}) | _THERE,
        S.VERIFYING: frozenset({S.DOWNLOADING, S.DONE, S.LOST}) | _THERE,
        # What the server finished before it heard of it stays with the user's wish: it is not fetched.
        S.CANCELLING: frozenset({S.CANCELLED}),
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
