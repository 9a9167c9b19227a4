"""Long lines of a text document in several blocks: a key costs what its block costs, for Qt lays that out whole.

Such a *seam* is a block end that is no line end. The sign that ends the block says so in its format, and with the sign
it goes: a line end that is typed is never taken for a seam, and a seam that is deleted leaves nothing behind.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from PySide6.QtGui import QTextBlock, QTextBlockFormat, QTextCharFormat, QTextCursor, QTextDocument, QTextFormat

LONGEST: Final = 3_000
"""UTF-16 units that a block may have, its end counted; a longer one becomes two."""
_PIECE, _LOOK_BACK = 2_000, 200
_SEAM: Final = QTextFormat.Property.UserProperty.value + 2
_HAS_SEAMS: Final = "has seams"
"""A property of the document: asking every line of a long text takes longer than a key may."""


def goes_on(block: QTextBlock) -> bool:
    """Whether a block is no line of its own but the rest of the one before it."""
    return block.charFormat().hasProperty(_SEAM)


def seams(document: QTextDocument, start: int = 0, end: int | None = None) -> Iterator[int]:
    """The positions of all seams, or of those between two positions."""
    block = document.findBlock(start).next() if document.property(_HAS_SEAMS) else QTextBlock()
    while block.isValid() and (end is None or block.position() <= end):
        if goes_on(block):
            yield block.position() - 1
        block = block.next()


def break_lines(document: QTextDocument, start: int, end: int) -> None:
    """Break what is too long between two positions, and take away the seams that nothing stands behind."""
    at_once = QTextCursor(document)
    at_once.beginEditBlock()
    block = document.findBlock(start)
    while block.isValid() and block.position() <= end:
        following = block.next()
        if block.length() > LONGEST:
            _break(document, block)
            following, end = block.next(), end + 1
        elif block.length() == 1 and goes_on(block):
            QTextCursor(block).deletePreviousChar()  # else what is typed here would take on the format of the seam
        block = following
    at_once.endEditBlock()


def _break(document: QTextDocument, block: QTextBlock) -> None:
    form = QTextCharFormat()
    form.setProperty(_SEAM, True)
    cursor = QTextCursor(block)
    cursor.setPosition(block.position() + _place_in(document, block))
    cursor.insertBlock(QTextBlockFormat(), form)
    document.setProperty(_HAS_SEAMS, True)


def _place_in(document: QTextDocument, block: QTextBlock) -> int:
    """Where to break a block: behind a blank, or else between two characters as they are seen."""
    at = block.position() + _PIECE
    for back in range(_LOOK_BACK):
        if document.characterAt(at - back - 1) == " ":
            return _PIECE - back
    return block.layout().nextCursorPosition(_PIECE - 1)
