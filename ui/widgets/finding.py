"""One finding where it belongs: its icon, its sentence, a button for each mend."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from studio.contract.findings import Finding, Severity
from studio.core.words import mark, tr
from ui.theme.tokens import SPACE_S, SPACE_XS
from ui.widgets.flow import Flow
from ui.widgets.icon_label import IconLabel

_LOOK = {
    Severity.ERROR: ("error", "bad", mark("Error")),
    Severity.WARNING: ("warning", "warn", mark("Warning")),
    Severity.NOTE: ("info", "dim", mark("Note")),
}


class FindingRow(QWidget):
    """Shows a finding; never mends by itself."""

    mend_requested = Signal(object)
    """The user chose this Mend."""

    def __init__(self, finding: Finding, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.finding = finding
        icon, role, _word = _LOOK[finding.severity]
        self._icon = IconLabel(icon, role, self)
        self._text = QLabel(textFormat=Qt.TextFormat.PlainText)
        self._text.setWordWrap(True)
        self._text.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.buttons = [QPushButton(self) for _mend in finding.mends]
        mends = Flow(self, spacing=SPACE_XS)
        for button, mend in zip(self.buttons, finding.mends, strict=True):
            button.clicked.connect(partial(self._request, mend))
            mends.add(button)
        column = QVBoxLayout()
        column.setSpacing(SPACE_XS)
        column.addWidget(self._text)
        column.addWidget(mends)
        mends.setVisible(bool(self.buttons))
        row = QHBoxLayout(self)
        row.setContentsMargins(0, SPACE_XS, 0, SPACE_XS)
        row.setSpacing(SPACE_S)
        row.addWidget(self._icon, alignment=Qt.AlignmentFlag.AlignTop)
        row.addLayout(column, 1)
        self._retranslate()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def _request(self, mend: object, _checked: bool = False) -> None:
        self.mend_requested.emit(mend)

    def _retranslate(self) -> None:
        word = tr(_LOOK[self.finding.severity][2])
        sentence = self.finding.message.text()
        self._text.setText(sentence)
        self._text.setToolTip(self.finding.server_says or "")
        self._icon.setAccessibleName(word)
        self.setAccessibleName(f"{word}: {sentence}")
        for button, mend in zip(self.buttons, self.finding.mends, strict=True):
            button.setText(mend.message.text())
