"""One word of text in each of the languages that a launch is written in: shell, systemd, quadlet, YAML, compose.

Rules: systemd.syntax(7) and systemd.service(5) "Command lines"; YAML 1.2 §5.7 (double-quoted scalars); the Compose
specification's interpolation (`$$` is a dollar). A value that a language cannot hold is refused, never changed.
"""

from __future__ import annotations

import re
import shlex
from typing import Final

from studio.core.errors import StudioError

_BARE: Final = re.compile(r"[A-Za-z0-9_@:=./,+-]+")
_C_ESCAPES: Final = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}
_UNIT_NAME: Final = re.compile(r"[A-Za-z0-9:_.\\@-]{1,240}\.(service|scope|target|slice)")
_CONTAINER_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,200}")


def shell_word(text: str) -> str:
    """A word for a POSIX shell."""
    return shlex.quote(_writable(text))


def service_word(text: str) -> str:
    """A word of `ExecStart=`: `%` and `$` doubled, C escapes inside double quotes."""
    return _systemd(text, {"%": "%%", "$": "$$"})


def service_assignment(name: str, value: str) -> str:
    """A word of `Environment=` in a service: `%` is a specifier there, `$` is not special."""
    return _systemd(f"{name}={value}", {"%": "%%"})


def quadlet_word(text: str) -> str:
    """A word of `Exec=`, `Environment=`, `EnvironmentFile=` or `PodmanArgs=` in a `.container` file.

    The generator copies it into `ExecStart=`, so that also a variable's value needs its `$` doubled.
    Raises StudioError (`escape.empty_word`) for an empty one: podman 5.4 and 5.8 leave it out without a word.
    """
    if not text:
        raise StudioError("escape.empty_word", mend="escape.empty_word.mend")
    return service_word(text)


def quadlet_value(text: str) -> str:
    """A value that the generator takes whole, without quotes (`Volume=`, `Image=`).

    Raises StudioError (`escape.unit_line`) for control characters, blanks at an end, and a backslash at the end.
    """
    if text != text.strip() or text.endswith("\\") or any(ord(c) < 0x20 or ord(c) == 0x7F for c in text) or not text:
        raise StudioError("escape.unit_line", text=repr(text))
    return _writable(text).replace("%", "%%").replace("$", "$$")


def volume(source: str, target: str, options: str) -> str:
    """`Volume=SOURCE:TARGET:OPTIONS`. Raises StudioError when the source holds a colon: nothing can quote it."""
    if ":" in source:
        raise StudioError("escape.colon", text=repr(source))
    return quadlet_value(f"{source}:{target}:{options}")


def unit_name(text: str) -> str:
    """A unit's name, checked. Raises StudioError (`escape.unit_name`)."""
    if not _UNIT_NAME.fullmatch(text):
        raise StudioError("escape.unit_name", text=repr(text))
    return text


def container_name(text: str) -> str:
    """A container's name, checked. Raises StudioError (`escape.container_name`)."""
    if not _CONTAINER_NAME.fullmatch(text):
        raise StudioError("escape.container_name", text=repr(text))
    return text


def yaml_string(text: str) -> str:
    """A double-quoted YAML scalar; what is not printable is escaped, everything else stands as it is."""
    return '"' + "".join(map(_yaml_character, _writable(text))) + '"'


def compose_string(text: str) -> str:
    """A YAML scalar of a compose file: `$` doubled, or compose would look for a variable."""
    return yaml_string(text.replace("$", "$$"))


def _systemd(text: str, doubled: dict[str, str]) -> str:
    if _BARE.fullmatch(_writable(text)):
        return text
    return '"' + "".join(doubled.get(c) or _C_ESCAPES.get(c) or _systemd_character(c) for c in text) + '"'


def _systemd_character(character: str) -> str:
    return f"\\x{ord(character):02x}" if ord(character) < 0x20 or ord(character) == 0x7F else character


def _yaml_character(character: str) -> str:
    code = ord(character)
    if character in _C_ESCAPES:
        return _C_ESCAPES[character]
    if code < 0x20 or 0x7F <= code < 0xA0:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code in (0x2028, 0x2029, 0xFEFF) or 0xFFFE <= code <= 0xFFFF else character


def _writable(text: str) -> str:
    """Text that can stand in a UTF-8 file and in an argument vector. Raises StudioError (`escape.bytes`)."""
    if "\0" in text or any(0xD800 <= ord(c) <= 0xDFFF for c in text):
        raise StudioError("escape.bytes", text=repr(text))
    return text
