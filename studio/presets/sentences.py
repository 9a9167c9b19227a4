"""What presets say."""

from studio.core.words import sentences

sentences(
    {
        "preset.unreadable": "The preset {path} cannot be read: {reason}.",
        "preset.unwritable": "The preset cannot be written to {path}: {reason}. Free some space, or choose another folder.",
        "preset.damaged": "{path} is not a preset, or it is damaged ({reason}). Ask for it again, or delete it.",
        "preset.newer": (
            "The preset {path} was saved by a newer version (format {version}; this one reads {known}). "
            "Update the studio to use it."
        ),
        "preset.unknown": "There is no preset {id}. `presets list` names them all.",
        "prompt.place": "The prompt still has a place to fill in: “{example}” ({is:n} in all). Write over it, or delete it.",
        "rewrite.unreachable": "The assistant at {url} did not answer: {reason}. Is it running? Its address is in the settings.",
        "rewrite.refused": "The assistant at {url} refused (status {status}). Check its key and the name of the model.",
        "rewrite.odd": "The assistant at {url} answered with something that is not a prompt. Try again, or another model.",
        "rewrite.lost_names": (
            "The assistant at {url} lost or invented references of the prompt, so nothing was changed. Try again."
        ),
    }
)
