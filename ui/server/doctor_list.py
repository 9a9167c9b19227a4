"""The doctor's list: each check with its level, its sentence, what to do, and a command to copy."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QGridLayout, QLabel, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from studio.core.words import mark, ntr, tr
from studio.server.doctor import Check, Level
from ui.theme.icons import icon
from ui.theme.palette import set_role
from ui.theme.tokens import SPACE_S, SPACE_XS
from ui.widgets.icon_label import IconLabel
from ui.widgets.layouts import empty

_LOOK = {
    Level.PASS: ("check", "good", mark("Good")),
    Level.UNKNOWN: ("info", "dim", mark("Unknown")),
    Level.WARN: ("warning", "warn", mark("Warning")),
    Level.FAIL: ("error", "bad", mark("Fails")),
}


class DoctorList(QWidget):
    """Shows checks under a `caption` (a marked English text), worst first; those that are well are one line."""

    def __init__(self, caption: str, parent: QWidget | None = None, *, all_shown: bool = False) -> None:
        super().__init__(parent)
        self._title = caption
        self.checks: Sequence[Check] | None = ()
        self._all = self._always_all = all_shown
        self._caption, self.summary = QLabel(), QPushButton()
        self.summary.setFlat(True)
        self.summary.clicked.connect(self._on_more)
        set_role(self._caption, "caption")
        self._rows = QVBoxLayout()
        self._rows.setSpacing(SPACE_S)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE_S)
        column.addWidget(self._caption)
        column.addLayout(self._rows)
        column.addWidget(self.summary, alignment=Qt.AlignmentFlag.AlignLeft)
        self._show()

    def set_checks(self, checks: Sequence[Check] | None) -> None:
        """Show these; None: they are being made."""
        if checks != self.checks:
            self.checks = checks
            self._show()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self._show()
        super().changeEvent(event)

    def _show(self) -> None:
        self._caption.setText(tr(self._title))
        empty(self._rows)
        well = [check for check in self.checks or () if check.level is Level.PASS]
        for check in self.checks or ():
            if self._all or check.level is not Level.PASS:
                self._rows.addWidget(_row(check))
        text = ntr("{count} check passes", "{count} checks pass", len(well))
        self.summary.setText(tr("Looking…") if self.checks is None else text)
        self.summary.setVisible(self.checks is None or (bool(well) and not self._always_all))

    def _on_more(self) -> None:
        self._all = not self._all
        self._show()


def _row(check: Check) -> QWidget:
    look, role, word = _LOOK[check.level]
    sign = IconLabel(look, role)
    sign.setAccessibleName(tr(word))
    row = QWidget()
    grid = QGridLayout(row)
    grid.setContentsMargins(0, 0, 0, 0)
    grid.setHorizontalSpacing(SPACE_S)
    grid.setVerticalSpacing(SPACE_XS)
    grid.setColumnStretch(1, 1)
    grid.addWidget(sign, 0, 0, Qt.AlignmentFlag.AlignTop)
    grid.addWidget(_text(check.message.text()), 0, 1)
    row.setAccessibleName(f"{tr(word)}: {check.message.text()}")
    if check.mend is not None:
        mend = _text(check.mend.text())
        set_role(mend, "dim")
        grid.addWidget(mend, 1, 1)
    if check.command:
        copy = QPushButton(icon("copy"), tr("Copy the command"))
        copy.setToolTip(check.command)
        copy.clicked.connect(partial(_copy, check.command))
        grid.addWidget(copy, 2, 1, Qt.AlignmentFlag.AlignLeft)
    return row


def _text(text: str) -> QLabel:
    label = QLabel(text, textFormat=Qt.TextFormat.PlainText, wordWrap=True)
    label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label


def _copy(text: str, _checked: bool = False) -> None:
    QGuiApplication.clipboard().setText(text)
