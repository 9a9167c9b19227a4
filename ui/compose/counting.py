"""How long a prompt is, as a reader of any script would count it: characters as they are seen, and words."""

from __future__ import annotations

import functools
import re
import unicodedata
from typing import Final

_PAIR: Final = re.compile("[\U0001f1e6-\U0001f1ff]{2}")
"""Two regional indicators are one flag."""
_ONE_BY_ONE: Final = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f"
"""Scripts in which each sign counts as a word, as word processors count them: kana and Han."""
_PLAIN_WORD: Final = re.compile(r"\w+(?:['.-]\w+)*", re.ASCII)


def characters(text: str) -> int:
    """Characters as a person sees them: marks, joiners and skin tones belong to what they stand on."""
    return len(text) if text.isascii() else len(_seen(text))


def words(text: str) -> int:
    """Words: runs of letters and figures, and each sign of Chinese and Japanese."""
    return len(_PLAIN_WORD.findall(text) if text.isascii() else _word().findall(_seen(text)))


def _seen(text: str) -> str:
    """The text with one code point for each character that is seen."""
    return _attached().sub("", _PAIR.sub("\u2022", unicodedata.normalize("NFC", text)))


@functools.cache
def _word() -> re.Pattern[str]:
    return re.compile(f"[{_ONE_BY_ONE}]|(?:(?![{_ONE_BY_ONE}])\\w)+(?:['’.-](?:(?![{_ONE_BY_ONE}])\\w)+)*")


@functools.cache
def _attached() -> re.Pattern[str]:
    # Marks of the Basic Multilingual Plane, variation selectors, skin tones, tags, and all that a joiner joins
    # (Unicode Standard Annex #29, extended grapheme clusters).
    marks = "".join(c for c in map(chr, range(0x300, 0x10000)) if unicodedata.category(c) in ("Mn", "Me", "Mc"))
    return re.compile(f"\u200d.|[{marks}\u200c\u200d\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f\U000e0100-\U000e01ef]")
