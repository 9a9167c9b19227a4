"""The settings, one versioned model. Unknown newer fields are kept on save."""

from __future__ import annotations

from pathlib import Path
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field

SETTINGS_VERSION: Final = 1


class _Part(BaseModel):
    model_config = ConfigDict(extra="allow", frozen=True)


class ServerSettings(_Part):
    """Which server a render goes to: the embedded rehearsal server, or a running one by address."""

    kind: Literal["rehearsal", "url"] = "rehearsal"
    url: str | None = None
    rehearsal_step_seconds: float = Field(default=0.15, ge=0, le=60)


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
