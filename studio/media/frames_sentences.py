"""What viewing, verifying and drawing say."""

from __future__ import annotations

from studio.core.words import sentences

sentences(
    {
        "frames.decoder_died": "Showing {name} made the decoder crash. It may be damaged: export it again.",
        "frames.stuck": "Picture {number:n} of {name} did not come within {seconds:n} s. Export the clip again.",
        "frames.lost": "Picture {number:n} of {name} is damaged and cannot be shown. Copy or export the clip again.",
        "frames.not_begun": (
            "The reader of {name} did not start within {seconds:n} s: this machine is too busy. Close other programs, "
            "then open it again."
        ),
        "frames.not_opened": "{name} could not be opened within {seconds:n} s. Export the clip again.",
        "video.damaged": (
            "{name} is damaged: {frame:n} of {promised:n} pictures can be decoded. Download or copy it again."
        ),
        "video.sound_damaged": (
            "The sound of {name} is damaged after {seconds:sec} s of {promised:sec} s. Download or copy it again."
        ),
        "video.no_sound": "{name} has no sound to draw. Choose a sound, or a clip with sound.",
    }
)
