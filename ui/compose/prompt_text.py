"""The prompt in a text document: every mention is one object character that carries its stored form.

Positions of a document count UTF-16 units, a mention as one, and the seams of long lines, too; indices of a stored
prompt count code points and a mention as its whole text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from PySide6.QtGui import QTextCharFormat, QTextCursor, QTextDocument, QTextFormat

from studio.contract import mentions
from ui.compose.long_lines import seams

OBJECT = "\ufffc"
CHIP_TYPE: int = QTextFormat.ObjectTypes.UserObject.value + 1
MENTION: int = QTextFormat.Property.UserProperty.value + 1
"""The property of a chip's format that holds the mention as it is stored."""

_LINE_ENDS = re.compile("\r\n|[\r\u2028\u2029]")
_MARKS = re.compile("[\ufffc\ufdd0\ufdd1\x00]")
"""What a text document uses for its own ends."""


def plain(text: str) -> str:
    """A text as a document can hold it: one kind of line end, no characters that Qt keeps for itself."""
    return _MARKS.sub("", _LINE_ENDS.sub("\n", text))


def stored_text(document: QTextDocument, start: int = 0, end: int | None = None) -> str:
    """The part of a document between two positions as a prompt is stored."""
    return "".join(piece if mention is None else mention for _at, piece, mention in _pieces(document, start, end))


def chips(document: QTextDocument) -> Iterator[tuple[int, str]]:
    """Position and stored form of every mention."""
    return ((at, mention) for at, _piece, mention in _pieces(document, 0, None) if mention is not None)


def chip_at(document: QTextDocument, position: int) -> str | None:
    """The mention at a position, in its stored form; None where text stands."""
    if document.characterAt(position) != OBJECT:
        return None
    cursor = QTextCursor(document)
    cursor.setPosition(position + 1)
    return _mention(cursor)


def position_of(document: QTextDocument, stored: str, index: int) -> int:
    """The position of an index into the stored prompt that the document shows."""
    at = _units_before(stored, index)
    for seam in seams(document):
        if seam >= at:
            break
        at += 1
    return at


def _units_before(stored: str, index: int) -> int:
    at, last = 0, 0
    for mention in mentions(stored):
        if mention.end > index:
            break
        at += _units(stored[last : mention.start]) + 1
        last = mention.end
    return at + _units(stored[last:index])


def insert(cursor: QTextCursor, stored: str) -> None:
    """Put a piece of a stored prompt in the place of a cursor's selection."""
    cursor.beginEditBlock()
    cursor.removeSelectedText()
    last = 0
    for mention in mentions(stored):
        cursor.insertText(plain(stored[last : mention.start]), QTextCharFormat())
        cursor.insertText(OBJECT, _chip_format(stored[mention.start : mention.end]))
        last = mention.end
    cursor.insertText(plain(stored[last:]), QTextCharFormat())
    cursor.endEditBlock()


def replace(document: QTextDocument, current: str, stored: str) -> None:
    """Make a document that shows the prompt `current` show another one, by changing no more than what differs, so that
    cursors keep their place."""
    if stored == current or (stored := plain(stored)) == current:
        return
    start, tail = _agreement(current, stored)
    cursor = QTextCursor(document)
    cursor.setPosition(position_of(document, current, start))
    cursor.setPosition(position_of(document, current, len(current) - tail), QTextCursor.MoveMode.KeepAnchor)
    insert(cursor, stored[start : len(stored) - tail])


def _agreement(before: str, after: str) -> tuple[int, int]:
    """How many characters two stored prompts share at their beginning and at their end, no mention cut in two."""
    most = min(len(before), len(after))
    start = _longest(most, lambda n: before[:n] == after[:n])
    start = min(_outside(before, start)[0], _outside(after, start)[0])
    tail = _longest(most - start, lambda n: not n or before[-n:] == after[-n:])
    ends = (_outside(text, len(text) - tail)[1] for text in (before, after))
    tail = min(len(text) - end for text, end in zip((before, after), ends, strict=True))
    return start, tail


def _longest(most: int, holds: Callable[[int], bool]) -> int:
    """The largest n up to `most` for which `holds(n)`; what holds for n holds for less."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if holds(middle) else (low, middle - 1)
    return low


def _outside(stored: str, index: int) -> tuple[int, int]:
    """The nearest indices at or before, and at or after, one that lie in no mention."""
    inside = next((m for m in mentions(stored) if m.start < index < m.end), None)
    return (inside.start, inside.end) if inside else (index, index)


def _pieces(document: QTextDocument, start: int, end: int | None) -> Iterator[tuple[int, str, str | None]]:
    """Runs of text, and mentions with their stored form, each behind its position. Seams are left out."""
    end = document.characterCount() - 1 if end is None else end
    at = start
    for seam in (*seams(document, start, end), end):
        cursor = QTextCursor(document)
        cursor.setPosition(at)
        cursor.setPosition(seam, QTextCursor.MoveMode.KeepAnchor)
        for index, piece in enumerate(cursor.selectedText().split(OBJECT)):
            if index:
                cursor.setPosition(at + 1)
                yield at, OBJECT, _mention(cursor) or ""
                at += 1
            yield at, piece.replace("\u2029", "\n").replace("\u2028", "\n"), None
            at += _units(piece)
        at = seam + 1


def _mention(before: QTextCursor) -> str | None:
    found = before.charFormat().property(MENTION)
    return found if isinstance(found, str) else None


def _chip_format(mention: str) -> QTextCharFormat:
    made = QTextCharFormat()
    made.setObjectType(CHIP_TYPE)
    made.setProperty(MENTION, mention)
    return made


def _units(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2
