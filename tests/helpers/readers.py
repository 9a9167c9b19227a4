"""Readers of the texts that a launch is written in, made from the formats' manuals and not from our writers."""

from __future__ import annotations

import json
import re

_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", '"': '"', "'": "'", "s": " "}


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


def compose_scalar(text: str) -> str:
    """A double-quoted YAML scalar with compose's `$$`."""
    assert text[0] == text[-1] == '"', text
    inner = re.sub(r"\\x([0-9a-f]{2})", r"\\u00\1", text[1:-1])
    assert not re.search(r"[\x00-\x1f\x7f-\x9f]", inner), "what is not printable must be escaped"
    return _undoubled(str(json.loads(f'"{inner}"')), "$")


def compose_file(text: str) -> dict[str, object]:
    """`command`, `environment` and `volumes` of the one service that our compose files have."""
    found: dict[str, list[str]] = {}
    key = ""
    for line in text.splitlines():
        if match := re.fullmatch(r"    (\w+):(?: (.*))?", line):
            key = match[1]
            found[key] = [match[2]] if match[2] else []
        elif line.startswith("      "):
            found[key].append(line.strip())
    pairs = [re.fullmatch(r'("(?:[^"\\]|\\.)*"): (".*")', line) for line in found["environment"]]
    assert all(pairs)
    return {
        "command": [compose_scalar(line.removeprefix("- ")) for line in found["command"]],
        "environment": {compose_scalar(p[1]): compose_scalar(p[2]) for p in pairs if p},
        "sources": [compose_scalar(x.removeprefix("source: ")) for x in found["volumes"] if x.startswith("source")],
        "image": compose_scalar(found["image"][0]),
    }
