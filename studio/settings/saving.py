"""Changes to the settings, with a notice when they cannot be written."""

from __future__ import annotations

from typing import Any

from studio.core import addresses
from studio.core.errors import StudioError
from studio.core.notices import Notice, Notices
from studio.core.words import Message
from studio.settings.store import SettingsStore


def save(settings: SettingsStore, notices: Notices, **changes: Any) -> bool:
    """Whether the changes are on disk."""
    try:
        settings.update(**changes)
    except OSError as error:
        params = {"path": str(settings.path), "reason": error.strerror or str(error)}
        notices.error(StudioError("disk.write", mend="disk.write.mend", **params))
        return False
    return True


def save_address(settings: SettingsStore, notices: Notices, part: str, name: str, text: str, **changes: Any) -> bool:
    """Whether an address of a part ("queue", "compose") and what changes with it are on disk; empty, there is none.

    What is no address is said, and nothing is changed.
    """
    whole = addresses.address(text)
    if whole is None and text.strip():
        notices.post(Notice("warn", Message("settings.bad_address", {"text": text.strip()})))
        return False
    changed = getattr(settings.present, part).model_copy(update={name: whole, **changes})
    return save(settings, notices, **{part: changed})
