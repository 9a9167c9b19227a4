"""Changes to the settings, with a notice when they cannot be written."""

from __future__ import annotations

from typing import Any

from studio.core.errors import StudioError
from studio.core.notices import Notices
from studio.settings import SettingsStore


def save(settings: SettingsStore, notices: Notices, **changes: Any) -> bool:
    """Whether the changes are on disk."""
    try:
        settings.update(**changes)
    except OSError as error:
        params = {"path": str(settings.path), "reason": error.strerror or str(error)}
        notices.error(StudioError("disk.write", mend="disk.write.mend", **params))
        return False
    return True
