"""The dialog that asks which of several renders on the server a job is, after the answer to its upload was lost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QPushButton,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from studio.client import VideoJob
from studio.core.words import mark, tr
from studio.jobs import Job, telling
from ui.theme.palette import set_role
from ui.theme.tokens import SPACE_L, SPACE_M, SPACE_S, SPACE_XL

_SIZE: Final = (720, 380)
_WIDTHS: Final = (90, 130, 90)
_STANDINGS: Final = {
    "queued": mark("queued there"),
    "running": mark("running there"),
    "done": mark("finished there"),
    "failed": mark("failed there"),
    "gone": mark("gone"),
}
_ID_ROLE: Final = Qt.ItemDataRole.UserRole


class CandidatesDialog(QDialog):
    """Shows what the server has. Nothing happens to the renders that are not chosen."""

    look_requested = Signal()
    """The server is to be asked (again)."""
    taken = Signal(str)
    """The server's id of the render that the job is."""
    again_requested = Signal()
    """It is none of them: render it anew."""

    def __init__(self, job: Job, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("Which render is it?"))
        self.resize(*_SIZE)
        self.said = QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        self.list = QTreeWidget()
        self.list.setRootIsDecorated(False)
        self.list.setUniformRowHeights(True)
        self.list.setAllColumnsShowFocus(True)
        self.list.setAccessibleName(tr("Renders on the server"))
        self.list.setHeaderLabels([tr("Created"), tr("State"), tr("Progress"), tr("Prompt")])
        self.list.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.list.header().setSectionResizeMode(3, QHeaderView.ResizeMode.Stretch)
        for column, width in enumerate(_WIDTHS):
            self.list.setColumnWidth(column, width)
        self.take, close = QPushButton(tr("Take this one")), QPushButton(tr("Close"))
        self.list.currentItemChanged.connect(lambda now, _before: self.take.setEnabled(now is not None))
        self.list.itemActivated.connect(lambda _item, _column: self._on_take())
        self.look, self.again = QPushButton(tr("Look again")), QPushButton(tr("Render again"))
        self.again.setToolTip(tr("It is none of these: send it once more, with the same seed."))
        set_role(self.take, "primary")
        self.take.setDefault(True)
        self.take.setEnabled(False)
        self.look.clicked.connect(self.ask)
        self.again.clicked.connect(self._on_again)
        self.take.clicked.connect(self._on_take)
        close.clicked.connect(self.reject)
        self._lay_out(job, close)

    def ask(self) -> None:
        """Have the server asked."""
        self.said.setText(tr("Asking the server…"))
        self.list.clear()
        self.take.setEnabled(False)
        self.look_requested.emit()

    def show_candidates(self, found: Sequence[VideoJob]) -> None:
        """Show the renders that the job may be, newest first."""
        self.list.clear()
        for remote in found:
            cells = (
                telling.clock(remote.created_at),
                tr(_STANDINGS[remote.standing]),
                f"{remote.progress:.0f} %",
                " ".join(remote.prompt.split()),
            )
            item = QTreeWidgetItem(list(cells))
            item.setData(0, _ID_ROLE, remote.id)
            item.setToolTip(3, remote.prompt)
            item.setToolTip(0, remote.id)
            self.list.addTopLevelItem(item)
        if found:
            self.said.setText(tr("Each of these has the same prompt, and came after the upload began."))
            self.list.setCurrentIndex(self.list.model().index(0, 0))
            self.list.setFocus()
        else:
            self.said.setText(tr("The server has none of them any more. Render it again."))

    def show_trouble(self, text: str) -> None:
        """Say why the server could not be asked."""
        self.said.setText(text)

    def _lay_out(self, job: Job, close: QPushButton) -> None:
        head = QLabel(
            tr(
                "The connection broke while “{name}” was sent, and the server has more than one render that could be"
                " it. The others stay as they are.",
                name=job.title[:48],
            ),
            wordWrap=True,
            textFormat=Qt.TextFormat.PlainText,
        )
        set_role(self.said, "dim")
        column = QVBoxLayout(self)
        column.setContentsMargins(SPACE_XL, SPACE_L, SPACE_XL, SPACE_L)
        column.setSpacing(SPACE_M)
        column.addWidget(head)
        column.addWidget(self.list, 1)
        column.addWidget(self.said)
        row = QHBoxLayout()
        row.setSpacing(SPACE_S)
        row.addWidget(self.look)
        row.addStretch()
        for button in (close, self.again, self.take):
            row.addWidget(button)
        column.addLayout(row)

    def _on_take(self) -> None:
        item = self.list.currentItem()
        if item is not None:
            self.taken.emit(item.data(0, _ID_ROLE))
            self.accept()

    def _on_again(self) -> None:
        self.again_requested.emit()
        self.accept()
