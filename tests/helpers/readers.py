"""Readers of the texts that a launch is written in, made from the formats' manuals and not from our writers."""

from __future__ import annotations

import re
from typing import Any

import yaml

_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", '"': '"', "'": "'", "s": " "}
_ESCAPES |= {"a": "\a", "b": "\b", "f": "\f", "v": "\v"}


def unit_sections(text: str) -> dict[str, list[tuple[str, str]]]:
    """Sections of a unit file; a backslash at a line's end continues it as a blank (systemd.syntax)."""
    sections: dict[str, list[tuple[str, str]]] = {}
    at: list[tuple[str, str]] = []
    for line in re.sub(r"\\\n", " ", text).splitlines():
        if not line.strip() or line.startswith(("#", ";")):
            continue
        if line.startswith("["):
            at = sections.setdefault(line.strip("[]"), [])
            continue
        key, _, value = line.partition("=")
        at.append((key, value.strip()))
    return sections


def unit_words(text: str, *, dollars: bool) -> list[str]:
    """Words of a unit's value: quotes, C escapes, `%%`; in command lines also `$$`. Refuses lone marks."""
    words: list[str] = []
    word: str | None = None
    quote = ""
    i = 0
    while i < len(text):
        c = text[i]
        if c == "\\":
            assert i + 1 < len(text), "a backslash at the end"
            if text[i + 1] == "x":
                word, i = (word or "") + chr(int(text[i + 2 : i + 4], 16)), i + 4
            else:
                word, i = (word or "") + _ESCAPES[text[i + 1]], i + 2
            continue
        if quote:
            if c == quote:
                quote = ""
                assert i + 1 == len(text) or text[i + 1].isspace(), "text right after a quote"
            else:
                word = (word or "") + c
        elif c in "\"'" and word is None:
            quote, word = c, ""
        elif c.isspace():
            words += [word] if word is not None else []
            word = None
        else:
            word = (word or "") + c
        i += 1
    assert not quote, "an open quote"
    words += [word] if word is not None else []
    return [_undoubled(_undoubled(w, "%"), "$") if dollars else _undoubled(w, "%") for w in words]


def _undoubled(text: str, mark: str) -> str:
    assert mark not in text.replace(mark * 2, ""), f"a lone {mark} in {text!r}"
    return text.replace(mark * 2, mark)


def compose_file(text: str) -> dict[str, Any]:
    """The one service of a compose file, read as compose does: YAML, then `$$` is a dollar and a lone `$` an error."""
    plain = _interpolated(yaml.safe_load(text))
    (service,) = plain["services"].values()
    return dict(service)


def compose_scalar(text: str) -> str:
    """One YAML scalar of a compose file."""
    return str(_interpolated(yaml.safe_load(text)))


def _interpolated(plain: Any) -> Any:
    match plain:
        case dict():
            return {_interpolated(key): _interpolated(value) for key, value in plain.items()}
        case list():
            return [_interpolated(value) for value in plain]
        case str():
            return _undoubled(plain, "$")
    return plain
