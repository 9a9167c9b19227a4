"""What Library says."""

from studio.core.words import sentences

sentences(
    {
        "ui.library.scanned": "{results:n} results are in {folder}, {new:n} of them new to the library.",
        "ui.library.scanned_more": "{without:n} videos there have no recipe beside them and are left out.",
        "ui.library.no_source": "{name} was made from the prompt alone: there is no source to compare it with.",
        "ui.library.source_gone": "The source {path} is not there any more. Put it back, or compare two results.",
        "ui.library.no_sound_source": "{name} was made without a clip: there is no sound to put under it.",
        "ui.library.sound_saved": "The same pictures with the sound of {source} are in {path}.",
        "ui.library.no_program": "No program of this desktop opens {path}.",
    }
)
