"""Prompts that are made for references and subjects yet to come.

A skeleton names references by kind and number, `{video 1}`, `{picture 2}`, `{audio 1}`, `{sound 1}` (the soundtrack of
clip 1), and holds *places* to fill in, `[[heavy rain]]`: two brackets around an example of what belongs there. Places
stay in the prompt of a shot until somebody writes over them; a shot with one left is not rendered.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from studio.contract import Finding, Kind, Severity, Shot, mention_of, mentions
from studio.core.words import Param

TOKEN = re.compile(r"\{(picture|video|audio|sound) ([1-9])\}")
"""A reference in a skeleton: its kind and its number."""
_PLACE = re.compile(r"\[\[([^\[\]\n]{1,200})\]\]")
_TAGS: Final = {"picture": "Picture", "video": "Video", "audio": "Audio", "sound": "Audio"}
_WORDS: Final[dict[Kind, str]] = {"image": "picture", "video": "video", "audio": "audio"}


@dataclass(frozen=True, slots=True)
class Place:
    """A place to fill: `prompt[start:end]` with its brackets; `example` is what stands between them."""

    start: int
    end: int
    example: str


def places(prompt: str) -> tuple[Place, ...]:
    """The places of a prompt that nobody has filled in, in order."""
    return tuple(Place(m.start(), m.end(), m[1]) for m in _PLACE.finditer(prompt))


def findings(shot: Shot) -> tuple[Finding, ...]:
    """An error while the prompt has places left: the model would read the brackets."""
    left = places(shot.prompt)
    params: dict[str, Param] = {"is": len(left), "example": left[0].example} if left else {}
    return (Finding("prompt.place", Severity.ERROR, "prompt", params),) if left else ()


def filled(skeleton: str, shot: Shot) -> str:
    """A skeleton as the prompt of a shot: references that are there become mentions, others their tag to be."""

    there = {(word, number): ref_id for word, number, ref_id in _numbered(shot)}

    def mention(match: re.Match[str]) -> str:
        word, number = match[1], int(match[2])
        ref_id = there.get(("video" if word == "sound" else word, number))
        return f"<{_TAGS[word]} {number}>" if ref_id is None else mention_of(ref_id, sound=word == "sound")

    return TOKEN.sub(mention, skeleton)


def generalised(prompt: str, shot: Shot) -> str:
    """A stored prompt as a skeleton: mentions become kind and number; those of references that are gone go."""
    numbers = {ref_id: (word, number) for word, number, ref_id in _numbered(shot)}
    for mention in reversed(mentions(prompt)):
        word, number = numbers.get(mention.ref_id, ("", 0))
        token = f"{{{'sound' if mention.sound else word} {number}}}" if word else ""
        prompt = prompt[: mention.start] + token + prompt[mention.end :]
    return prompt


def _numbered(shot: Shot) -> Iterator[tuple[str, int, str]]:
    """Word, number from 1 and id of every reference: those that are sent before those that are not."""
    sent = {r.id for r in shot.sent()}
    in_order = sorted(shot.references, key=lambda r: r.id not in sent)
    for kind, word in _WORDS.items():
        of_kind = [r.id for r in in_order if r.kind == kind]
        yield from ((word, number, ref_id) for number, ref_id in enumerate(of_kind, 1))
