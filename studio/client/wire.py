"""The server's job object, read tolerantly: every key but `id` and `status` is optional, unknown ones are ignored."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from studio.client.errors import without_paths

Standing = Literal["queued", "running", "done", "failed", "gone"]


class JobFault(BaseModel):
    """`error` of a failed job; the code may be an int or a string."""

    code: int | str = 500
    message: str = ""


class VideoJob(BaseModel):
    """One job as the server tells it (vllm-omni 0.30.0, protocol/videos.py)."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    id: str
    status: str
    prompt: str = ""
    progress: float = 0
    created_at: float = 0
    error: JobFault | None = None
    file_name: str | None = None
    num_frames: int | None = None
    inference_time_s: float | None = None
    stage_durations: dict[str, Any] = Field(default_factory=dict)
    peak_memory_mb: float | None = None

    @property
    def standing(self) -> Standing:
        """The states that matter; an unknown word counts as running. 0.30.0 says none of those that mean *gone*."""
        match self.status.lower():
            case "queued" | "pending":
                return "queued"
            case "completed" | "succeeded":
                return "done"
            case "failed":
                return "failed"
            case "cancelled" | "canceled" | "expired" | "deleted":
                return "gone"
            case _:
                return "running"

    @property
    def fault(self) -> str:
        """The server's own words on why it failed, without its temporary paths."""
        return without_paths(self.error.message) if self.error else ""


def as_job(body: Any) -> VideoJob | None:
    """The job in a body, if it is one (a failed job comes with a 4xx or 5xx status and `object: "video"`)."""
    if isinstance(body, dict) and body.get("object") == "video" and "id" in body:
        return VideoJob.model_validate(body)
    return None
