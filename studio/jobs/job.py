"""A job: one shot on its way to a verified video. An immutable value; the store holds the present one."""

from __future__ import annotations

import secrets
import time
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from studio.contract import Shot, without_mentions
from studio.core.errors import StudioError
from studio.core.words import Message, say
from studio.jobs.states import JobState

Param = str | int | float | bool | None
Who = Literal["user", "studio", "server"]


class _Value(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class Target(_Value):
    """Where a job is to be rendered. `server_id` names the start of a server of ours once one has taken it."""

    kind: Literal["rehearsal", "url"] = "rehearsal"
    url: str | None = None
    server_id: str | None = None


class Fault(_Value):
    """Why a job did not end well: a code with parameters, and the code of what to do."""

    code: str
    params: dict[str, Param] = Field(default_factory=dict)
    mend: str | None = None

    @classmethod
    def of(cls, error: StudioError) -> Fault:
        """The fault that an error is."""
        return cls(code=error.code, params=error.params, mend=error.mend)

    def text(self) -> str:
        """What went wrong and what to do, in the current language."""
        said = say(self.code, self.params)
        return f"{said} {say(self.mend, self.params)}" if self.mend else said

    @property
    def message(self) -> Message:
        """What went wrong, as a sentence to be."""
        return Message(self.code, self.params)


class Progress(_Value):
    """How far the present state is. `fraction` 0…1 when known; steps while denoising."""

    phase: str | None = None
    fraction: float | None = None
    step: int | None = None
    steps: int | None = None
    seconds_per_step: float | None = None
    since: float = 0.0
    """Wall time at which this phase began."""


class Sent(_Value):
    """A reference as it was uploaded."""

    reference: str
    path: Path
    filename: str
    content_type: str
    sha256: str
    receipt: dict[str, Any] = Field(default_factory=dict)


class Job(_Value):
    """One render, from the shot to the file. Times are wall seconds since the epoch."""

    id: str
    created: float
    state: JobState = JobState.DRAFT
    shot: Shot
    name: str = ""
    """What the shot is called, for people."""
    out_dir: Path | None = None
    """Where the result was asked to go; None means the user's results folder."""
    target: Target = Target()
    sent: tuple[Sent, ...] = ()
    wire: tuple[tuple[str, str], ...] = ()
    resolved: dict[str, Any] = Field(default_factory=dict)
    posted_at: float | None = None
    remote_id: str | None = None
    server: dict[str, Any] = Field(default_factory=dict)
    progress: Progress = Progress()
    fault: Fault | None = None
    findings: tuple[dict[str, Any], ...] = ()
    video: Path | None = None
    """Final place of the MP4, decided before the download begins."""
    sidecar: Path | None = None
    verified: dict[str, Any] | None = None
    timings: dict[str, float] = Field(default_factory=dict)
    updated: float = 0.0

    @property
    def prompt(self) -> str:
        """The prompt as it was sent, or before that the prompt without its mentions."""
        return dict(self.wire).get("prompt") or without_mentions(self.shot.prompt)

    @property
    def title(self) -> str:
        """What the job is called: its shot's name, or the first words of its prompt."""
        return self.name or " ".join(self.prompt.split())[:80]

    @property
    def source_clip(self) -> Path | None:
        """The first clip of the shot: what a result is compared with."""
        return next((r.path for r in self.shot.sent() if r.kind == "video"), None)


def new_job_id() -> str:
    """A sortable, readable id."""
    return time.strftime("%y%m%d-%H%M%S-") + secrets.token_hex(2)
