"""What this workspace says by way of notices."""

from __future__ import annotations

from studio.core.words import sentences

sentences(
    {
        "ui.compare.saved": "The comparison is saved as {name}.",
        "ui.compare.not_saved": "{name} could not be written. Choose another folder, or free some space.",
    }
)
