"""One gettext catalogue for studio and ui alike.

A finding, a failure or a notice is a *code with parameters* (`Message`); its sentence is made where it is shown, so
the language can change while it stands on the screen. Each room registers its sentences once, in English, with
`sentences({...})`; the English text is the gettext key. Widgets use `tr("Render")` directly.

Sentences are `str.format` templates with three extra format specs:
`{x:sec}` seconds with two decimals, cut and never rounded; `{x:mib}` bytes as MiB; `{x:n}` a grouped integer.
"""

from __future__ import annotations

import gettext
import math
import os
import string
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import resources
from types import MappingProxyType
from typing import Any

from studio.core.events import Event

DOMAIN = "h3studio"
LANGUAGES: Mapping[str, str] = MappingProxyType({"en": "English", "zh_CN": "简体中文"})

Param = str | int | float | bool | None

language_changed: Event[str] = Event()
_sentences: dict[str, str] = {}
_current = "en"
_catalogue: gettext.NullTranslations = gettext.NullTranslations()


def cut_seconds(seconds: float) -> str:
    """Seconds with two decimals, cut and not rounded (15.0899 → "15.08"), as they are shown everywhere."""
    return f"{math.floor(seconds * 100 + 1e-6) / 100:.2f}"


class _Formatter(string.Formatter):
    def format_field(self, value: Any, format_spec: str) -> str:
        match format_spec:
            case "sec":
                return cut_seconds(float(value))
            case "mib":
                return f"{float(value) / (1 << 20):.1f} MiB"
            case "n":
                return f"{round(float(value)):,}"
            case _:
                return str(super().format_field(value, format_spec))

    def get_value(self, key: int | str, args: Any, kwargs: Any) -> Any:
        # A sentence with a hole is better than a crash while an error is being explained.
        return kwargs.get(key, f"{{{key}}}") if isinstance(key, str) else super().get_value(key, args, kwargs)


_formatter = _Formatter()


def mark(text: str) -> str:
    """Mark an English text for the catalogue without translating it now."""
    return text


def tr(text: str, **params: Param) -> str:
    """The text in the current language, its `{places}` filled."""
    translated = _catalogue.gettext(text) if text else ""
    return _formatter.vformat(translated, (), params) if params else translated


def ntr(one: str, many: str, count: int, **params: Param) -> str:
    """The singular or plural text for `count` in the current language; `{count}` is filled."""
    return _formatter.vformat(_catalogue.ngettext(one, many, count), (), {"count": count, **params})


def sentences(table: Mapping[str, str]) -> None:
    """Register a room's sentences: code → English template. A code is registered once."""
    for code, text in table.items():
        if _sentences.setdefault(code, text) != text:
            raise ValueError(f"two sentences for the code {code!r}")


def known_codes() -> frozenset[str]:
    """All registered codes (the catalogue's extractor and tests walk them)."""
    return frozenset(_sentences)


@dataclass(frozen=True, slots=True)
class Message:
    """A sentence to be: a stable code and the numbers and names that fill it."""

    code: str
    params: Mapping[str, Param] = field(default_factory=dict)

    def text(self) -> str:
        """The sentence in the current language."""
        return say(self.code, self.params)


def say(code: str, params: Mapping[str, Param] | None = None) -> str:
    """The sentence for `code` in the current language; the bare code when nobody registered one."""
    template = _sentences.get(code)
    if template is None:
        return code
    translated = _catalogue.gettext(template)
    return _formatter.vformat(translated, (), dict(params or {}))


def language() -> str:
    """The code of the current language, one of `LANGUAGES`."""
    return _current


def system_language() -> str:
    """The language that the environment asks for, if we have it; English otherwise."""
    wanted = next((v for k in ("LC_ALL", "LC_MESSAGES", "LANG") if (v := os.environ.get(k))), "")
    return "zh_CN" if wanted.lower().startswith("zh") else "en"


def set_language(code: str | None) -> None:
    """Switch the catalogue (`None` follows the system). Listeners of `language_changed` retranslate themselves."""
    global _current, _catalogue
    wanted = code or system_language()
    if wanted not in LANGUAGES:
        wanted = "en"
    if wanted == "en":
        _catalogue = gettext.NullTranslations()
    else:
        path = resources.files("resources") / "translations" / wanted / "LC_MESSAGES" / f"{DOMAIN}.mo"
        with path.open("rb") as fp:
            _catalogue = gettext.GNUTranslations(fp)
    changed, _current = wanted != _current, wanted
    if changed:
        language_changed.emit(wanted)
