"""What this workspace says by way of notices."""

from __future__ import annotations

from studio.core.words import sentences

sentences(
    {
        "ui.compare.saved": "The comparison is saved as {name}.",
        "ui.compare.other_orientation": (
            "One clip lies and the other stands, so they cannot be laid over each other. "
            "Look at them side by side, or choose a clip of the same orientation."
        ),
        "ui.compare.not_saved": "{name} could not be written. Choose another folder, or free some space.",
    }
)
