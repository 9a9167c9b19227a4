"""What this workspace says by way of notices."""

from __future__ import annotations

from studio.core.words import sentences

sentences(
    {
        "ui.compare.saved": "The comparison is saved as {name}.",
        "ui.compare.other_orientation": (
            "One clip is landscape and the other is portrait, so they cannot be laid over each other. "
            "Look at them side by side, or choose a clip of the same orientation."
        ),
        "ui.compare.one_take": (
            "This take has no source to compare it with. Look at another take first; the two are compared then."
        ),
        "ui.compare.mark_lost": "The mark of {name} could not be kept ({reason}). Make its folder writable.",
        "ui.compare.not_saved": "{name} could not be written. Choose another folder, or free some space.",
    }
)
