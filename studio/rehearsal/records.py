"""Jobs as clients see them: exactly 24 keys, in memory only, forgotten when the process ends."""

from __future__ import annotations

import asyncio
import time
import uuid
from dataclasses import dataclass, field
from typing import Any, Literal

from studio.rehearsal.request import VideoGenerationRequest
from studio.rehearsal.uploads import References
from studio.rehearsal.worker import WorkerError

Status = Literal["queued", "in_progress", "completed", "failed"]


@dataclass
class Job:
    """One job. `stop_at` (monotonic s) is looked at before each step; `ended` is set when the engine is done with it.
    `fetched`: its file was answered to the end at least once."""

    request: VideoGenerationRequest
    references: References
    model: str
    id: str = field(default_factory=lambda: f"video_gen_{uuid.uuid4().hex}")
    created_at: int = field(default_factory=lambda: int(time.time()))
    asked_at: float = field(default_factory=time.monotonic)
    status: Status = "queued"
    completed_at: int | None = None
    error: WorkerError | None = None
    file_name: str | None = None
    inference_time_s: float | None = None
    frames: int | None = None
    stage_durations: dict[str, float] = field(default_factory=dict)
    peak_memory_mb: float = 0.0
    expires_at: int | None = None
    stop_at: float | None = None
    fetched: bool = False
    ended: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def open(self) -> bool:
        """Whether it still waits or runs."""
        return self.status in ("queued", "in_progress")

    @property
    def stopped(self) -> bool:
        """Whether it was cancelled and the cancel takes effect."""
        return self.stop_at is not None and time.monotonic() >= self.stop_at

    @property
    def awaits_fetching(self) -> bool:
        """Whether it has a file that nobody has taken yet."""
        return self.file_name is not None and not self.fetched

    def cancel(self, after: float = 0.0) -> None:
        """Ask the engine to let go of it, `after` seconds from now."""
        self.stop_at = time.monotonic() + after

    def fail(self, error: WorkerError) -> None:
        """The job ends without a result."""
        self.status, self.error = "failed", error
        self._close()

    def complete(self, frames: int) -> None:
        """The result is saved: `frames` is what was really made."""
        self.status, self.frames, self.file_name = "completed", frames, f"{self.id}.mp4"
        self._close()

    def _close(self) -> None:
        self.completed_at = int(time.time())
        self.inference_time_s = time.monotonic() - self.asked_at

    def _seconds(self) -> float | None:
        if self.frames is not None:
            return self.frames / self.request.rate
        if self.request.seconds is not None:
            return float(self.request.seconds)
        return self.request.frames / self.request.rate if self.request.frames is not None else None

    def record(self) -> dict[str, Any]:
        """The JSON object, keys in the server's order."""
        asked = self.request
        return {
            "model": self.model,
            "prompt": asked.prompt,
            "id": self.id,
            "object": "video",
            "status": self.status,
            "size": asked.size,
            "progress": 100 if self.status == "completed" else 0,
            "seconds": asked.seconds or "4",
            "quality": asked.quality or "default",
            "completed_at": self.completed_at,
            "created_at": self.created_at,
            "remixed_from_video_id": None,
            "error": {"code": self.error.code, "message": self.error.message} if self.error else None,
            "media_type": "video/mp4",
            "expires_at": self.expires_at,
            "file_name": self.file_name,
            "inference_time_s": self.inference_time_s,
            "fps": asked.rate,
            "num_frames": self.frames if self.frames is not None else asked.frames,
            "duration_s": self._seconds(),
            "metrics": self._metrics(),
            "stage_durations": self.stage_durations,
            "peak_memory_mb": self.peak_memory_mb,
            "action": None,
        }

    def _metrics(self) -> dict[str, Any] | None:
        return dict(self.stage_durations) if self.request.return_stage_metrics and self.frames is not None else None


class Jobs:
    """All jobs of this process, oldest first."""

    def __init__(self) -> None:
        self._jobs: dict[str, Job] = {}

    def add(self, job: Job) -> None:
        """Remember a new job."""
        self._jobs[job.id] = job

    def get(self, id: str) -> Job | None:
        """The job of this id."""
        return self._jobs.get(id)

    def drop(self, id: str) -> None:
        """Forget one."""
        self._jobs.pop(id, None)

    def clear(self) -> None:
        """Forget all."""
        self._jobs.clear()

    def any_open(self) -> bool:
        """Whether one still waits or runs."""
        return any(job.open for job in self._jobs.values())

    def any_to_fetch(self, within: float) -> bool:
        """Whether one that ended in the last `within` seconds has a file that nobody has taken yet."""
        oldest = time.time() - within
        return any(job.awaits_fetching and (job.completed_at or 0) >= oldest for job in self._jobs.values())

    def count(self, status: Status) -> int:
        """Jobs in this state."""
        return sum(job.status == status for job in self._jobs.values())

    def page(self, after: str | None, limit: int | None, order: str) -> dict[str, Any]:
        """The list answer, jobs in `data`. Ties in `created_at` (whole seconds) keep their order, also descending."""
        jobs = sorted(self._jobs.values(), key=lambda job: job.created_at, reverse=order == "desc")
        if after is not None:
            place = next((i for i, job in enumerate(jobs) if job.id == after), len(jobs))
            jobs = jobs[place + 1 :]
        shown = jobs if limit is None else jobs[:limit]
        return {
            "first_id": shown[0].id if shown else None,
            "last_id": shown[-1].id if shown else None,
            "has_more": len(shown) < len(jobs),
            "data": shown,
            "object": "list",
        }
