"""The settings, one versioned model. Unknown newer fields are kept on save."""

from __future__ import annotations

from pathlib import Path
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field

SETTINGS_VERSION: Final = 1


class _Part(BaseModel):
    model_config = ConfigDict(extra="allow", frozen=True)


class ServerSettings(_Part):
    """Which server a render goes to: the embedded rehearsal server, a running one by address, one of a profile, or a
    user unit that stands there already."""

    kind: Literal["rehearsal", "url", "profile", "unit"] = "rehearsal"
    url: str | None = None
    rehearsal_step_seconds: float = Field(default=0.15, ge=0, le=60)
    profile: str | None = None
    """Id of the launch profile."""
    model_root: str = ""
    """The folder that holds FL2VA and Ref2VA."""
    port: int | None = Field(default=None, ge=1, le=65535)
    """Instead of the profile's own."""
    run_as: Literal["process", "quadlet"] = "process"
    unit: str = ""
    """Name of the user unit, with `.service`."""
    unit_url: str = "http://127.0.0.1:8091"
    confirmed: tuple[str, ...] = ()
    """Profiles of the user's own that were looked at and may be started."""


class Settings(_Part):
    """Everything the user chose. Immutable: change it with `model_copy(update=…)` through the store."""

    version: int = SETTINGS_VERSION
    language: str | None = None
    theme: Literal["system", "dark", "light"] = "system"
    results_dir: Path | None = None
    short_edge: int | None = 540
    server: ServerSettings = ServerSettings()
    tidy_server: bool = False
    """Delete the server's copy once the local one is verified."""
    closing: Literal["ask", "keep", "after", "now"] = "ask"
    """What closing the window does to a running render."""
