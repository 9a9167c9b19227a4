"""How each state of a job is shown: its icon, and the token role of icon and word."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from studio.jobs import JobState

_UNDER_WAY: Final = ("play", "text")

LOOK: Final[Mapping[JobState, tuple[str, str]]] = MappingProxyType(
    {
        **dict.fromkeys(JobState, _UNDER_WAY),
        JobState.DRAFT: ("clock", "dim"),
        JobState.WAITING: ("clock", "dim"),
        JobState.QUEUED: ("clock", "dim"),
        JobState.DOWNLOADING: ("download", "text"),
        JobState.DONE: ("check", "good"),
        JobState.FAILED: ("error", "bad"),
        JobState.CANCELLED: ("stop", "dim"),
        JobState.LOST: ("warning", "warn"),
    }
)
