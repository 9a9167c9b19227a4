"""What is wrong with a result, one sentence a line; a sentence with a frame goes there."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from studio.core.words import Message, tr
from studio.jobs.library import Entry
from ui.theme.palette import set_role
from ui.theme.tokens import SPACE_S, SPACE_XS
from ui.widgets.icon_label import IconLabel
from ui.widgets.layouts import empty


class FlawList(QWidget):
    """Says too that a video is not there any more; hidden while there is nothing to say."""

    frame_chosen = Signal(int)
    """The user wants to see this frame."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._entry: Entry | None = None
        self._shown: object = None
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(SPACE_XS)

    def show_entry(self, entry: Entry) -> None:
        """Show what was found."""
        self._entry = entry
        shown = (entry.id, entry.flaws, entry.missing, entry.video)
        if shown != self._shown:
            self._shown = shown
            self._build()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self._build()
        super().changeEvent(event)

    def _build(self) -> None:
        empty(self._column)
        entry = self._entry
        if entry is None:
            return
        if entry.missing:
            self._say("error", "bad", Message("library.file_gone", {"path": str(entry.video)}))
        for flaw in entry.flaws or ():
            self._say("warning", "warn", flaw)
        self.setVisible(entry.missing or bool(entry.flaws))

    def _say(self, icon: str, role: str, message: Message) -> None:
        row = QWidget()
        label = QLabel(message.text(), textFormat=Qt.TextFormat.PlainText, wordWrap=True)
        label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        line = QHBoxLayout(row)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(SPACE_S)
        line.addWidget(IconLabel(icon, role), alignment=Qt.AlignmentFlag.AlignTop)
        line.addWidget(label, 1)
        frame = message.params.get("frame")
        if isinstance(frame, int):
            button = QPushButton(tr("Show"))
            button.setAccessibleName(tr("Show frame {frame}", frame=frame))
            set_role(button, "quiet")
            button.clicked.connect(partial(self._choose, frame))
            line.addWidget(button, alignment=Qt.AlignmentFlag.AlignTop)
        self._column.addWidget(row)

    def _choose(self, frame: int, _checked: bool = False) -> None:
        self.frame_chosen.emit(frame)
