"""The prompt as a person reads it and as it is stored: tags on the screen, mentions in the shot.

A reference that is sent is shown by its tag (`<Video 1>`), another one by its file's name (`<boat.mp4>`), so that
what stands in the editor can always be read back.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from studio.contract import Request, mention_of, tags

Names = Mapping[str, str]
"""Stored mention → what is shown for it. No two mentions are shown alike."""


def names(request: Request) -> Names:
    """How each reference of the shot, and the soundtrack of each clip, is shown in the prompt."""
    sent = tags(request)
    shown: dict[str, str] = {}
    taken: set[str] = {tag for own in sent.values() for tag in own}
    for reference in request.shot.references:
        own = sent.get(reference.id, ())
        shown[mention_of(reference.id)] = own[-1] if own else _free(reference.path.name, taken)
        if reference.kind == "video":
            sound = own[0] if len(own) > 1 else _free(f"{reference.path.name} ♪", taken)
            shown[mention_of(reference.id, sound=True)] = sound
    return shown


def to_shown(stored: str, shown: Names) -> str:
    """A stored prompt as it is shown; a mention of a reference that is gone stays as it is."""
    return _replace(stored, shown)


def to_stored(text: str, shown: Names) -> str:
    """A shown, typed or pasted prompt as it is stored: every tag or name of a reference becomes a mention."""
    return _replace(text, {name: mention for mention, name in shown.items()})


def _replace(text: str, table: Mapping[str, str]) -> str:
    if not table or not any(key in text for key in table):
        return text
    longest_first = sorted(table, key=len, reverse=True)
    pattern = re.compile("|".join(re.escape(key) for key in longest_first))
    return pattern.sub(lambda match: table[match[0]], text)


def _free(name: str, taken: set[str]) -> str:
    plain = re.sub(r"[<>\s]+", " ", name).strip()
    shown, number = f"<{plain}>", 1
    while shown in taken:
        number += 1
        shown = f"<{plain} {number}>"
    taken.add(shown)
    return shown
