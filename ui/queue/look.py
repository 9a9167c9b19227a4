"""How each state of a job is shown (its icon, the token role of icon and word), and each stage of it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from studio.jobs import JobState
from ui.queue.stages import WAITS

_UNDER_WAY: Final = ("play", "text")

LOOK: Final[Mapping[JobState, tuple[str, str]]] = MappingProxyType(
    {
        **dict.fromkeys(JobState, _UNDER_WAY),
        JobState.DRAFT: ("clock", "dim"),
        JobState.WAITING: ("clock", "dim"),
        JobState.QUEUED: ("clock", "dim"),
        JobState.DOWNLOADING: ("download", "text"),
        JobState.CANCELLING: ("stop", "dim"),
        JobState.DONE: ("check", "good"),
        JobState.FAILED: ("error", "bad"),
        JobState.CANCELLED: ("stop", "dim"),
        JobState.LOST: ("warning", "warn"),
    }
)

_SHARES: Final = {"denoise": 0.62, "prepare": 0.40, "decode": 0.46, "mux": 0.34, "running": 0.50, "saved": 0.34}
"""How much of the text colour a band carries; what the GPU works on stands out. Others are lighter."""
_OTHER, _WAITING = 0.26, 0.12


def share_of(stage: str) -> float:
    """How strongly a stage's band is drawn, 0…1."""
    return _SHARES.get(stage, _WAITING if stage in WAITS else _OTHER)
