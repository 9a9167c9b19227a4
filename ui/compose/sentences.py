"""What Compose says: names of edits (for undo and redo) and news about files and shots."""

from __future__ import annotations

from studio.core.words import sentences

sentences(
    {
        # Names of edits, after "Undo:" and "Redo:".
        "edit.add": "Add references",
        "edit.remove": "Remove a reference",
        "edit.move": "Move a reference",
        "edit.set_aside": "Set a reference aside",
        "edit.bring_back": "Bring a reference back",
        "edit.sound": "Keep or drop a sound",
        "edit.trim": "Trim",
        "edit.crop": "Crop",
        "edit.short_edge": "Choose a short edge",
        "edit.ground": "Choose the colour under what is transparent",
        "edit.locate": "Locate a file",
        "edit.prompt": "Write the prompt",
        "edit.mention": "Insert a mention",
        "edit.task": "Choose a task",
        "edit.canvas": "Choose a canvas",
        "edit.length": "Set the length",
        "edit.steps": "Set the steps",
        "edit.seed": "Set the seed",
        "edit.seed_lock": "Lock or unlock the seed",
        "edit.shift": "Set a flow shift",
        "edit.role": "Choose a role",
        "edit.frame": "Take a picture of a clip",
        "edit.preset": "Use a template",
        "edit.quality": "Choose a quality",
        "edit.rewrite": "Rewrite the prompt",
        "edit.past_prompt": "Take an earlier prompt",
        "edit.keep_change": "Mark what is kept and what changes",
        "edit.continue": "Continue from the last frame",
        "edit.long_video": "Set up a long video",
        "edit.mend": "Mend",
        "edit.mend_all": "Mend all",
        # News.
        "compose.left_out": "{count:n} files of the folder are not media and were left out.",
        "compose.too_many": "Only the first {limit:n} files of {name} were looked at. Add the others one by one.",
        "compose.nothing_found": "There is no video, picture or sound in {name}.",
        "compose.surplus": "This kind of render takes no more, so these were set aside: {names}.",
        "compose.same_content": "Already among the references, so these were set aside: {names}.",
        "compose.remote": "{name} is on the web. Save it to a file first, then drop the file here.",
        "compose.paste_failed": "The pasted picture could not be kept: {what}. Free some space, then paste again.",
        "compose.follow_none": (
            "There is nothing in this area that can be followed: its picture is too even. Draw it over something with "
            "edges, or move it by hand at a few places: it goes evenly between them."
        ),
        "compose.follow_lost": (
            "What was followed is lost at {at:sec} s. Move the area by hand there, then follow it again from there."
        ),
        "compose.autosave_failed": "The shot cannot be kept between sessions: {what}. Save it to a file of your own.",
        "compose.autosave_unreadable": (
            "Shots that were open last time could not be read. They were put aside as {name}."
        ),
    }
)
