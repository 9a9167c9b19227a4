"""What this room says: verdicts, faults, directions of colour, errors."""

from __future__ import annotations

from studio.core.words import sentences

sentences(
    {
        "verdict.identical": "Every pixel is equal in all {frames:n} frames.",
        "verdict.re-encode": "The same picture, encoded again: mean difference {mad:.2f} of 255 (under {same:g}).",
        "verdict.recoloured": (
            "The same picture in other colours: mean difference {mad:.2f}, {fitted:.2f} after a colour fit "
            "(under {same:g})."
        ),
        "verdict.edited": (
            "The same picture, changed: mean difference {mad:.2f}, {fitted:.2f} after a colour fit "
            "(from {same:g} to {new:g})."
        ),
        "verdict.edited_part": (
            "A part is changed: up to {changed:.1%} of the picture, the rest differs by {calm:.2f} of 255 "
            "once its colours are fitted (under {same:g})."
        ),
        "verdict.regenerated": (
            "A new picture of the same scene: mean difference {mad:.2f}, {fitted:.2f} after a colour fit "
            "({new:g} and more)."
        ),
        "verdict.unrelated": (
            "Another scene: mean difference {mad:.2f}, and the detail correlates by {related:.2f} only "
            "(under {related_limit:g})."
        ),
        "verdict.shifted_in": "B starts {frames:n} frames into A. At that offset: {rest}",
        "verdict.shifted_before": "B starts {frames:n} frames before A. At that offset: {rest}",
        "fault.frozen": "B stands still for {count:n} frames while A moves, from frame {frame:n} on.",
        "fault.silent_part": "B is silent for {seconds:.1f} s while A is heard, from {at:.1f} s on.",
        "fault.silent": "B is silent, A is not.",
        "fault.stretched": "B has another shape than A ({b:.2f}:1, not {a:.2f}:1) and shows the same picture stretched.",
        "fault.flash": "B flashes at frame {frame:n} ({count:n} frames) and A does not.",
        "fault.dropped": "B drops or repeats {count:n} frames of A, from frame {frame:n} on.",
        "health.blank": "{count:n} frames show nothing but one colour, from frame {frame:n} on. Render it again.",
        "health.still": "Nothing moves in any of the {count:n} frames.",
        "health.frozen": "The picture stands still for {count:n} frames, from frame {frame:n} on.",
        "health.repeated": "{count:n} frames amid motion repeat the one before, the first at frame {frame:n}.",
        "health.flash": "The brightness jumps and comes back in {count:n} frames, first at frame {frame:n}.",
        "health.joints": (
            "Blocks join visibly: every 17 frames, from frame {frame:n} on, the picture jumps {times:.1f} times as far "
            "as usual."
        ),
        "health.silent": "The sound track is silent from start to end.",
        "health.clipped": "The sound is clipped: {share:.2%} of it stands at full scale (true peak {peak:+.1f} dBTP).",
        "colour.brighter": "brighter",
        "colour.darker": "darker",
        "colour.redder": "redder",
        "colour.greener": "greener",
        "colour.yellower": "yellower",
        "colour.bluer": "bluer",
        "colour.more_vivid": "more vivid",
        "colour.paler": "paler",
        "compare.no_pictures": "No picture of {name} could be decoded. Choose another file.",
        "compare.no_overlap": (
            "At an offset of {offset} frames nothing overlaps: A has {a:n} frames, B has {b:n}. Choose a smaller offset."
        ),
        "compare.no_frame": "Frame {frame} of A was not compared. Choose one from {first} to {last}.",
        "compare.no_sound": "{name} has no sound that could be taken. Choose a clip with sound.",
        "compare.sound_codec": (
            "The sound of {name} ({codec}) cannot stand in an MP4 as it is. Convert it to AAC first."
        ),
        "compare.suffix": "{name} ends in none of .mp4, .png, .csv and .json. Choose one of these.",
    }
)
