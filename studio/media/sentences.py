"""What this room says: errors of reading and preparing, and the lines of a receipt."""

from __future__ import annotations

from studio.core.words import sentences

sentences(
    {
        # Files that cannot be read.
        "media.missing": "{name} is not there any more. Locate it, or take it off the shot.",
        "media.permission": "{name} may not be read. Change its permissions, or copy it somewhere you own.",
        "media.not_a_file": "{name} is a {what}, not a file. Choose a video, picture or sound file.",
        "media.loop": "{name} is a link that leads back to itself. Choose the file that it stands for.",
        "media.empty": "{name} is empty (0 bytes). Copy or record it again.",
        "media.not_media": "{name} is {what}, not a video, picture or sound. Choose another file.",
        "media.incomplete": "{name} is incomplete: its index is missing. Copy or record it again.",
        "media.damaged": "{name} is damaged and cannot be decoded. Copy or export it again.",
        "media.cut_short": (
            "{name} promises {promised:sec} s of picture and holds {seconds:sec} s. Copy or record it again."
        ),
        "media.no_picture": "{name} has no moving picture. Use it as a sound, or choose another clip.",
        "media.too_many_pixels": (
            "{name} is {width} × {height} pixels; at most {limit:n} million are read. Make it smaller first."
        ),
        "media.changed": "{name} changed after it was added. It was looked at again: check its card, then render.",
        "media.io": "{name} could not be read from its disk. Check that the disk or share is connected.",
        # Preparing.
        "media.empty_range": "Nothing of {name} lies between {start:sec} and {end:sec} s. Move its in and out points.",
        "media.not_as_planned": (
            "{name} came out with {frames:n} frames and not {planned:n}. It may be damaged: export it again."
        ),
        "media.too_big": (
            "{name} is still {size:mib} after compressing; the limit is {limit:mib}. Shorten it, or choose a smaller "
            "short edge."
        ),
        "media.disk_full": "The disk is full. Free some space, then try again.",
        "media.read_only": "The folder {folder} cannot be written. Change its permissions, or choose another one.",
        # Workers.
        "media.timeout": (
            "Reading the file took longer than {seconds:n} s and was stopped. It may be damaged: export it again."
        ),
        "media.worker_died": "The file made the reader crash. It may be damaged: export it again.",
        "media.memory": "There is not enough memory for this file. Make it smaller, or close other programs.",
        "media.broken": (
            "Something went wrong in the studio ({what}), not in the file. Try again; the details are in the log."
        ),
        "media.failed": "The file could not be read ({what}). Export it again, as MP4, PNG or WAV.",
        # Receipts: what preparing changed.
        "change.untouched": "Sent as it is.",
        "change.rewritten": "Written anew, with the same content.",
        "change.tracks": "The largest of {tracks} picture tracks is used ({width} × {height}).",
        "change.rate": "{from_fps:g} → {to_fps:g} frames a second, by time.",
        "change.vfr": "Variable frame rate made constant ({to_fps:g} a second).",
        "change.trimmed": "Trimmed to {start:sec}–{end:sec} s ({frames:n} frames).",
        "change.cropped": "Cropped to {width} × {height}.",
        "change.scaled": "Scaled from {from_width} × {from_height} to {width} × {height}.",
        "change.rotated": "Turned upright ({degrees}°).",
        "change.mirrored": "Mirroring undone.",
        "change.sar": "Square pixels ({sar_width}:{sar_height} before).",
        "change.deinterlaced": "Deinterlaced.",
        "change.tone_mapped": "HDR ({transfer}) converted to SDR.",
        "change.colour": "Colours converted to 8-bit BT.709, limited range.",
        "change.alpha": "Transparency laid over the colour {ground}.",
        "change.alpha.black": "Transparency laid over black.",
        "change.alpha.white": "Transparency laid over white.",
        "change.codec": "{from_codec} converted to {to_codec}.",
        "change.filled": "The first picture fills the first {seconds:sec} s, where the file had none.",
        "change.sound_dropped": "Sound left out.",
        "change.sound_short": "Sound left out: its {seconds:sec} s are under the 2 s that the server needs.",
        "change.sound_tracks": "The first of {tracks} sound tracks is used.",
        "change.sound_resampled": "Sound converted from {from_rate:n} Hz to {to_rate:n} Hz.",
        "change.sound_channels": "{from_channels} sound channels mixed to {to_channels}.",
        "change.sound_trimmed": "Sound trimmed to {seconds:sec} s.",
        "change.sound_codec": "Sound converted from {from_codec} to {to_codec}.",
        "change.depth": "{from_depth} bits a colour reduced to 8.",
        "change.mode": "{mode} colours converted to RGB.",
        "change.icc": "Colour profile applied (now sRGB).",
        "change.first_picture": "First of {frames:n} pictures used.",
    }
)
