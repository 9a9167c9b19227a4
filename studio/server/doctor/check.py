"""What one look of the doctor gives: a level, a sentence with the number, and what to do."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from studio.core.words import Message, Param


class Level(IntEnum):
    """From good to bad. UNKNOWN: it cannot be seen from here."""

    PASS = 0
    UNKNOWN = 1
    WARN = 2
    FAIL = 3


@dataclass(frozen=True, slots=True)
class Check:
    """One line of the doctor's list."""

    level: Level
    message: Message
    mend: Message | None = None
    command: str = ""
    """To be copied: what would mend it."""


def passed(code: str, **params: Param) -> Check:
    """A check that is well."""
    return Check(Level.PASS, Message(f"doctor.{code}", params))


def trouble(level: Level, code: str, command: str = "", **params: Param) -> Check:
    """A check that is not: its mend is the sentence `doctor.<code>.mend`."""
    return Check(level, Message(f"doctor.{code}", params), Message(f"doctor.{code}.mend", params), command)
