"""What the library says."""

from studio.core.words import sentences

sentences(
    {
        "library.damaged": "The library's index was damaged. It is made anew from the results; nothing is lost.",
        "library.newer": (
            "The library's index was written by a newer version of the studio. It is left as it is; this window reads "
            "the results folder itself."
        ),
        "library.index_unwritable": "The library's index cannot be kept in {path}: {reason}.",
        "library.index_unwritable.mend": "This window reads the results folder itself. Free some space there.",
        "library.index_full": "The library's index in {path} cannot be used: {reason}.",
        "library.index_full.mend": "Free some space there and try again.",
        "library.index_broken": "The library's index is damaged.",
        "library.index_broken.mend": "Start the studio again: it is made anew from the results.",
        "library.marks_unwritable": (
            "Stars, tags and notes of {name} cannot be written beside it: {reason}. They are kept in the library's "
            "index only, and lost when that is made anew."
        ),
        "library.marks_newer": "The marks of {name} were written by a newer version of the studio.",
        "library.marks_newer.mend": "Change them with that version; this one leaves them as they are.",
        "library.no_recipe": "The recipe of {name} is not there, or is damaged.",
        "library.no_recipe.mend": "Put {sidecar} back beside the video.",
        "library.file_gone": "{path} is not there any more.",
        "library.file_gone.mend": "Put it back, or take it off the list.",
        "library.folder_gone": "The folder {path} is not there.",
        "library.folder_gone.mend": "Connect its disk, or choose another folder.",
        "library.cannot_move": "{name} cannot be moved: {reason}.",
        "library.cannot_delete": "{name} cannot be deleted: {reason}.",
    }
)
