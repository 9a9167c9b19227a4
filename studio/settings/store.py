"""Loads and saves the settings: atomically, a damaged file set aside, a newer one never rewritten."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from studio.core import paths
from studio.core.events import Event
from studio.core.files import write_atomic
from studio.core.notices import Notice
from studio.core.words import Message
from studio.settings.model import SETTINGS_VERSION, Settings


class SettingsStore:
    """Holds the present settings and tells listeners of changes. `trouble` is what loading had to say, if anything."""

    def __init__(self, path: Path | None = None) -> None:
        self.path = path or paths.config_dir() / "settings.json"
        self.changed: Event[Settings] = Event()
        self.trouble: Notice | None = None
        self._read_only = False
        self.present = self._load()

    def update(self, **changes: Any) -> Settings:
        """Change fields and save. Raises OSError when the folder refuses; the present value changes all the same."""
        self.present = Settings.model_validate({**self.present.model_dump(), **changes})
        self.changed.emit(self.present)
        if not self._read_only:
            write_atomic(self.path, self.present.model_dump_json(indent=2).encode() + b"\n", mode=0o600)
        return self.present

    def _load(self) -> Settings:
        try:
            data = json.loads(self.path.read_bytes())
            settings = Settings.model_validate(data)
        except FileNotFoundError:
            return Settings()
        except (OSError, ValueError, ValidationError):
            self._set_aside()
            return Settings()
        if settings.version > SETTINGS_VERSION:
            self._read_only = True
            self.trouble = Notice("warn", Message("settings.newer"))
        return settings

    def _set_aside(self) -> None:
        kept = self.path.with_suffix(".damaged.json")
        try:
            self.path.replace(kept)
        except OSError:
            self._read_only = True
        self.trouble = Notice("warn", Message("settings.damaged", {"kept": str(kept)}))
