"""A job: one shot on its way to a verified video. An immutable value; the store holds the present one."""

from __future__ import annotations

import secrets
import time
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field

from studio.contract import Shot
from studio.contract.labels import readable
from studio.core.errors import StudioError
from studio.core.words import Message, say
from studio.jobs.states import JobState
from studio.settings.model import ServerSettings

Param = str | int | float | bool | None
Who = Literal["user", "studio", "server"]
Purpose = Literal["render", "smoke", "draft"]


class _Value(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class Target(_Value):
    """The server of a job: the rehearsal server, one at an address, one of a launch profile, or a user unit.

    `name` is the profile's id or the unit's name. `server_id` names the start of a server of ours
    once one has taken the job.
    """

    kind: Literal["rehearsal", "url", "profile", "unit"] = "rehearsal"
    url: str | None = None
    name: str | None = None
    place: str = ""
    """Of the server among those of the settings."""
    title: str = ""
    """What the user calls it."""
    server_id: str | None = None

    @classmethod
    def of(cls, chosen: ServerSettings) -> Target:
        """A server of the settings."""
        place, title = chosen.place, chosen.title
        match chosen.kind:
            case "url" if chosen.url:
                return cls(kind="url", url=chosen.url.rstrip("/"), place=place, title=title)
            case "profile" if chosen.profile:
                return cls(kind="profile", name=chosen.profile, place=place, title=title)
            case "unit" if chosen.unit:
                return cls(kind="unit", name=chosen.unit, place=place, title=title)
            case _:
                return cls(place=place, title=title)

    @property
    def label(self) -> Message:
        """What people call the server."""
        if self.title:
            return Message("target.titled", {"name": self.title})
        where = urlsplit(self.url).netloc if self.url else self.name
        return Message(f"target.{self.kind}", {"name": where or ""})

    @property
    def lane(self) -> str:
        """Names the server among all others: one job at a time runs in a lane."""
        server = self.name or self.kind
        return self.url or (f"{server} {self.place}" if self.place else server)


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
    """A file as it was uploaded in `field`: a reference, or what an edit needs of it."""

    reference: str
    field: str = "input_references"
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
    purpose: Purpose = "render"
    """A smoke tells whether a shape works at all; a draft is a cheap look at it."""
    batch: str | None = None
    """Jobs that belong together have the same."""
    position: int = 0
    """Place in the queue: the store's own, changed only through `JobStore.reorder`."""
    out_dir: Path | None = None
    """Where the result was asked to go; None means the user's results folder."""
    target: Target = Target()
    sent: tuple[Sent, ...] = ()
    wire: tuple[tuple[str, str], ...] = ()
    resolved: dict[str, Any] = Field(default_factory=dict)
    posted_at: float | None = None
    posted_there: float | None = None
    """The same by the server's clock, which may be another."""
    remote_id: str | None = None
    server: dict[str, Any] = Field(default_factory=dict)
    progress: Progress = Progress()
    stalled: float | None = None
    """Since when nothing was heard of it, once that is too long."""
    fault: Fault | None = None
    findings: tuple[dict[str, Any], ...] = ()
    video: Path | None = None
    """Final place of the MP4, decided before the download begins."""
    sidecar: Path | None = None
    telemetry: Path | None = None
    """What was recorded while it was rendered."""
    learned: dict[str, Any] = Field(default_factory=dict)
    """What it taught about its server (`calibration.Learned`)."""
    verified: dict[str, Any] | None = None
    timings: dict[str, float] = Field(default_factory=dict)
    updated: float = 0.0

    @property
    def rows(self) -> int | None:
        """Padded rows of a denoise step, once the shot was checked."""
        return self.resolved.get("rows")

    @property
    def prompt(self) -> str:
        """The prompt as it was sent; before that as it can be read."""
        return dict(self.wire).get("prompt") or readable(self.shot)

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
