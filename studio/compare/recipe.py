"""What differed between the requests of two clips, read from the recipes (sidecars) that lie beside results."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any, Literal

from studio.core.files import sha256

NOT_ASKED = {"version", "notes", "follow", "seed_locked", "references"}
"""Parts of a shot that change nothing of the result; references are compared by what was uploaded."""
FIRST = ("prompt", "references", "seed", "steps", "frames", "canvas", "task")
"""The order in which people look; others follow by name."""
BUILD = ("model", "version", "flags")
"""What a sidecar says of the server that can change a result."""

Recipe = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Line:
    """One part of the requests, as text. Names are those of a shot file; `server.…` is the build that answered."""

    name: str
    a: str
    b: str

    @property
    def same(self) -> bool:
        """Whether both asked for the same."""
        return self.a == self.b


@dataclass(frozen=True, slots=True)
class RecipeDiff:
    """`of`: both are results; or A is a reference of B's (then `b` of each line is what was asked, `a` is empty)."""

    of: Literal["results", "source"]
    lines: tuple[Line, ...]

    @property
    def changed(self) -> tuple[Line, ...]:
        """The lines that differ."""
        return tuple(line for line in self.lines if not line.same)

    @property
    def ambiguous(self) -> bool:
        """Whether more than one thing changed between two results, so that none of them explains the difference."""
        return self.of == "results" and len(self.changed) > 1


def word_diff(a: str, b: str) -> list[tuple[Literal["same", "gone", "new"], str]]:
    """How a text changed, word by word: pieces in the order in which they are read, with the spaces between them."""
    words_a, words_b = (re.findall(r"\S+\s*", text) for text in (a, b))
    matcher = SequenceMatcher(None, [w.strip() for w in words_a], [w.strip() for w in words_b], autojunk=False)
    pieces: list[tuple[Literal["same", "gone", "new"], str]] = []
    for kind, a0, a1, b0, b1 in matcher.get_opcodes():
        if kind == "equal":
            pieces.append(("same", "".join(words_b[b0:b1])))
            continue
        changed: tuple[tuple[Literal["gone", "new"], str], ...]
        changed = ("gone", "".join(words_a[a0:a1])), ("new", "".join(words_b[b0:b1]))
        pieces += [piece for piece in changed if piece[1]]
    return pieces


def recipe_diff(a: Path, b: Path) -> RecipeDiff | None:
    """From the sidecars of both clips, or A's part in B's. None when B has no readable one. Blocking: may hash A."""
    recipe_a, recipe_b = read_recipe(a), read_recipe(b)
    if recipe_b is None:
        return None
    asked = _asked(recipe_b)
    if recipe_a is not None:
        return RecipeDiff("results", _lines(_asked(recipe_a), asked))
    if is_source(a, recipe_b):
        return RecipeDiff("source", _lines({}, asked))
    return None


def read_recipe(video: Path) -> Recipe | None:
    """The sidecar of a result (the JSON beside it); None when there is none, or it is something else."""
    try:
        found = json.loads(video.with_suffix(".json").read_text("utf-8"))
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) and isinstance(found.get("shot"), dict) else None


def _asked(recipe: Recipe) -> dict[str, str]:
    asked = {name: value for name, value in recipe["shot"].items() if name not in NOT_ASKED}
    asked["references"] = [f"{sent.get('filename')} {str(sent.get('sha256'))[:12]}" for sent in _uploads(recipe)]
    # As it was sent: stored mentions name references by ids that no two shots share.
    asked["prompt"] = next((pair[1] for pair in _wire(recipe) if pair[0] == "prompt"), asked.get("prompt"))
    server = recipe.get("server")
    if isinstance(server, dict):
        # The address says where, and the times say how it went: neither is what was asked.
        asked |= {f"server.{name}": server[name] for name in BUILD if name in server}
    return {name: _text(value) for name, value in asked.items()}


def _lines(a: dict[str, str], b: dict[str, str]) -> tuple[Line, ...]:
    rest = sorted((a.keys() | b.keys()) - set(FIRST))
    return tuple(Line(name, a.get(name, ""), b.get(name, "")) for name in (*FIRST, *rest) if name in a or name in b)


def is_source(a: Path, recipe: Recipe) -> bool:
    """Whether a file is one of those that a result was made from, by its place or by its content. Blocking."""
    uploads = _uploads(recipe)
    if any(sent.get("source") and Path(str(sent["source"])) == a for sent in uploads):
        return True
    try:
        digest = sha256(a)
    except OSError:
        return False
    return any(sent.get("sha256") == digest for sent in uploads)


def _uploads(recipe: Recipe) -> list[Recipe]:
    uploads = recipe.get("uploads")
    return [sent for sent in uploads if isinstance(sent, dict)] if isinstance(uploads, list) else []


def _wire(recipe: Recipe) -> list[list[Any]]:
    wire = recipe.get("wire")
    return [pair for pair in wire if isinstance(pair, list) and len(pair) == 2] if isinstance(wire, list) else []


def _text(value: Any) -> str:
    if value is None or value in ({}, []):
        return "–"
    if isinstance(value, list):
        return ", ".join(str(item) for item in value)
    if isinstance(value, dict):
        return ", ".join(f"{name} {item}" for name, item in value.items() if item is not None)
    return f"{value:g}" if isinstance(value, float) else str(value)
