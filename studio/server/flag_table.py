"""The flags of `vllm serve --omni` as data: names, kind of value, choices. Read from vllm-omni 0.30.0's own parser.

And an argument vector as flags with their values, so that it can be edited and looked at flag by flag.
"""

from __future__ import annotations

import difflib
import functools
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Final, Literal

Kind = Literal["switch", "int", "float", "choice", "json", "text"]
GONE: Final = {"--stage-configs-path": "--deploy-config", "--pipeline": ""}
"""Flags of older builds that 0.30.0 does not know, and what stands in their place."""


@dataclass(frozen=True, slots=True)
class KnownFlag:
    """One flag: all its names, the first one first, and what its value may be. `many`: several words may follow."""

    names: tuple[str, ...]
    kind: Kind
    choices: tuple[str, ...] = ()
    default: str = ""
    many: bool = False

    def takes(self, value: str) -> bool:
        """Whether the server's parser would read this value; a switch takes none ("")."""
        try:
            match self.kind:
                case "switch":
                    return not value
                case "int":
                    return int(value) is not None
                case "float":
                    return float(value) is not None
                case "json":
                    return json.loads(value) is not None
                case "choice":
                    return value in self.choices
        except ValueError:
            return False
        return bool(value)


@dataclass(frozen=True, slots=True)
class Given:
    """A flag as it stands in an argument vector, with the words that follow it."""

    flag: str
    words: tuple[str, ...] = ()

    @property
    def value(self) -> str:
        """Its words in one, as they are read by people; "" for a switch."""
        return " ".join(self.words)


@functools.cache
def known_flags() -> Mapping[str, KnownFlag]:
    """Every flag of the server's parser by each of its names."""
    file = resources.files("resources") / "profiles" / "flags" / "0.30.0.json"
    found: dict[str, KnownFlag] = {}
    for row in json.loads(file.read_text("utf-8"))["flags"]:
        flag = KnownFlag(
            tuple(row["names"]),
            row["kind"],
            tuple(row.get("choices", ())),
            row.get("default", ""),
            row.get("many", False),
        )
        found |= dict.fromkeys(flag.names, flag)
    return found


def known(name: str) -> KnownFlag | None:
    """The flag of that name; `--config.a.b VALUE` sets one value inside a JSON flag and can be any text."""
    base, dot, _ = name.partition(".")
    flag = known_flags().get(base)
    return KnownFlag((name,), "text") if flag is not None and dot and flag.kind in ("json", "text") else flag


def nearest(name: str) -> str:
    """What was most likely meant by a flag that does not exist; "" when nothing comes near."""
    if name in GONE:
        return GONE[name]
    return next(iter(difflib.get_close_matches(name, known_flags(), 1, 0.75)), "")


def split(args: Sequence[str]) -> tuple[Given, ...]:
    """An argument vector as flags; words before the first flag stand under the flag ""."""
    found: list[tuple[str, list[str]]] = []
    for word in args:
        if word.startswith("--"):
            name, equals, value = word.partition("=")
            found.append((name, [value] if equals else []))
        else:
            if not found:
                found.append(("", []))
            found[-1][1].append(word)
    return tuple(Given(flag, tuple(words)) for flag, words in found)


def join(given: Iterable[Given]) -> tuple[str, ...]:
    """Back to an argument vector."""
    return tuple(word for one in given for word in ((one.flag, *one.words) if one.flag else one.words))
