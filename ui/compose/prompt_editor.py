"""The text field of the prompt: mentions are chips, Tab goes from place to place, media that is pasted goes to the
tray, undo is the shot's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QEvent, QMimeData, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QHelpEvent, QKeyEvent, QTextCursor
from PySide6.QtWidgets import QPlainTextEdit, QToolTip, QWidget

from studio.contract import mention_of, mentions
from studio.presets import places
from ui.compose import inbox, prompt_text
from ui.compose.chips import ChipLook, ChipPainter, Looks
from ui.compose.completion import Choice, MentionCompleter, asked
from ui.compose.fields import leave_to_window
from ui.compose.long_lines import break_lines, goes_on
from ui.compose.prompt_marks import PromptMarks

PROMPT_MIME: Final = "application/x-h3studio-prompt"
_LOOK_BACK: Final = 64
_NOTHING: Final = (1 << 30, -1)
_CLOSING: Final = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Escape)


class PromptEditor(QPlainTextEdit):
    """Shows what the model holds; every change goes up by `textChanged`. Prompts are in their stored form."""

    media_pasted = Signal(object)
    """Files or a picture, as QMimeData."""
    mention_chosen = Signal(str, int, int)
    """The user chose this stored mention for what stands between two indices of the stored prompt."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setUndoRedoEnabled(False)
        self.setTabChangesFocus(True)
        leave_to_window(self)
        font = self.font()
        font.setPointSizeF(font.pointSizeF() + 1)
        self.setFont(font)
        self._chips = ChipPainter(self.document())
        self.document().documentLayout().registerHandler(prompt_text.CHIP_TYPE, self._chips)
        self._marks = PromptMarks(self.document())
        self._choices: Sequence[Choice] = ()
        self._read, self._read_at = "", -1
        self._touched = _NOTHING
        self.document().contentsChange.connect(self._on_contents_change)
        self.textChanged.connect(self._break_lines)
        self.completer = MentionCompleter(self)
        self.completer.chosen.connect(self._on_chosen)

    # What it shows.

    def show_prompt(self, stored: str, looks: Looks) -> None:
        """Show a prompt with these chips. The cursor keeps its place in the text."""
        blocker = QSignalBlocker(self)  # a new look of a chip, too, counts as a change of text
        before = self._chips.looks
        changed = {mention for mention in {*looks, *before} if looks.get(mention) != before.get(mention)}
        self._chips.looks = looks
        prompt_text.replace(self.document(), self.stored(), stored)
        self._break_lines()
        for position, mention in tuple(prompt_text.chips(self.document())) if changed else ():
            if mention in changed:
                self.document().markContentsDirty(position, 1)
        blocker.unblock()

    def stored(self) -> str:
        """The prompt as it stands here."""
        revision = self.document().revision()
        if revision != self._read_at:
            self._read, self._read_at = prompt_text.stored_text(self.document()), revision
        return self._read

    def shown(self) -> str:
        """The prompt as it is read here, each chip as its label."""
        return self._readable(self.stored())

    def has_chips(self) -> bool:
        """Whether anything is mentioned."""
        return bool(mentions(self.stored()))

    def index(self) -> int:
        """Where the cursor is, as an index of the stored prompt."""
        return len(prompt_text.stored_text(self.document(), 0, self.textCursor().position()))

    def go_to(self, index: int, end: int | None = None) -> None:
        """Put the cursor to an index of the stored prompt, or select up to another one."""
        stored, cursor = self.stored(), self.textCursor()
        cursor.setPosition(prompt_text.position_of(self.document(), stored, index))
        if end is not None:
            last = prompt_text.position_of(self.document(), stored, end)
            cursor.setPosition(last, QTextCursor.MoveMode.KeepAnchor)
        self.setTextCursor(cursor)
        self.ensureCursorVisible()

    def go_to_place(self, *, forward: bool = True) -> bool:
        """Select the next place to fill, or the one before; False when there is none that way."""
        at = self.textCursor()
        edge = at.selectionEnd() if forward else at.selectionStart()
        here = len(prompt_text.stored_text(self.document(), 0, edge))
        found = places(self.stored())
        ahead = [p for p in found if p.start >= here] if forward else [p for p in reversed(found) if p.end <= here]
        if ahead:
            self.go_to(ahead[0].start, ahead[0].end)
        return bool(ahead)

    # The list behind `@`.

    def set_choices(self, choices: Sequence[Choice]) -> None:
        """What can be mentioned."""
        self._choices = choices

    def offer_mentions(self) -> None:
        """Show the list when an `@` stands before the cursor, and take it away when not."""
        prefix = asked(self._text_before()) if self.hasFocus() else None
        if prefix is None or not self._choices:
            self.completer.close()
        else:
            self.completer.offer(prefix, self._choices, self.cursorRect())

    def _on_chosen(self, mention: str) -> None:
        end = self.index()
        prefix = asked(self.stored()[:end]) or ""
        self.mention_chosen.emit(mention, end - len(prefix) - 1, end)

    def _text_before(self) -> str:
        cursor = self.textCursor()
        near = min(cursor.positionInBlock(), _LOOK_BACK)
        cursor.movePosition(QTextCursor.MoveOperation.Left, QTextCursor.MoveMode.KeepAnchor, near)
        return cursor.selectedText()

    # Keys, clipboard, tips.

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self.completer.is_open and event.key() in _CLOSING:
            event.ignore()  # the list's own: choose, or close
            return
        if event.key() in (Qt.Key.Key_Backspace, Qt.Key.Key_Delete):
            self._step_over_seam(forward=event.key() == Qt.Key.Key_Delete)
        super().keyPressEvent(event)

    def focusNextPrevChild(self, forward: bool) -> bool:
        return self.completer.take_current() or self.go_to_place(forward=forward) or super().focusNextPrevChild(forward)

    def createMimeDataFromSelection(self) -> QMimeData:
        cursor = self.textCursor()
        stored = prompt_text.stored_text(self.document(), cursor.selectionStart(), cursor.selectionEnd())
        mime = QMimeData()
        mime.setText(self._readable(stored, tags=True))
        mime.setData(PROMPT_MIME, stored.encode("utf-8", "surrogatepass"))
        return mime

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        return not inbox.is_media(source) and super().canInsertFromMimeData(source)

    def insertFromMimeData(self, source: QMimeData) -> None:
        if inbox.is_media(source):
            self.media_pasted.emit(source)
            return
        cursor = self.textCursor()
        stored = bytes(source.data(PROMPT_MIME).data()).decode("utf-8", "replace")
        known = all(self._look_of(mention_of(m.ref_id, sound=m.sound)) for m in mentions(stored))
        # Mentions of another shot's references mean nothing here: their tags may.
        prompt_text.insert(cursor, stored if stored and known else prompt_text.plain(source.text()))
        self.ensureCursorVisible()

    def viewportEvent(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            position = self.cursorForPosition(event.pos()).position()
            near = (prompt_text.chip_at(self.document(), at) for at in (position, position - 1) if at >= 0)
            mention = next(filter(None, near), None)
            look = self._look_of(mention) if mention else None
            QToolTip.showText(event.globalPos(), look.tip if look else "", self)
            return True
        return super().viewportEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.PaletteChange:
            self._marks.rehighlight()
        super().changeEvent(event)

    def _on_contents_change(self, at: int, _removed: int, added: int) -> None:
        start, end = self._touched
        self._touched = (min(start, at), max(end, at + added))

    def _break_lines(self) -> None:
        blocker = QSignalBlocker(self)  # the text stays the same
        break_lines(self.document(), *self._touched)
        blocker.unblock()
        self._touched = _NOTHING

    def _step_over_seam(self, *, forward: bool) -> None:
        """Go to the other side of the seam that a key would take for a character."""
        cursor = self.textCursor()
        at_edge = cursor.atBlockEnd() if forward else cursor.atBlockStart()
        block = cursor.block().next() if forward else cursor.block()
        if not cursor.hasSelection() and at_edge and block.isValid() and goes_on(block):
            step = QTextCursor.MoveOperation
            cursor.movePosition(step.Right if forward else step.Left)
            self.setTextCursor(cursor)

    def _readable(self, stored: str, *, tags: bool = False) -> str:
        pieces, last = [], 0
        for mention in mentions(stored):
            look = self._look_of(stored[mention.start : mention.end])
            label = look.label if look else ""
            pieces += [stored[last : mention.start], f"<{label}>" if tags and label else label]
            last = mention.end
        return "".join((*pieces, stored[last:]))

    def _look_of(self, mention: str) -> ChipLook | None:
        return self._chips.looks.get(mention)
