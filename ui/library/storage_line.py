"""The line under the grid: how much room everything takes, what is being read, what can be brought back."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF, QSize
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QSizePolicy, QWidget

from studio.core.words import ntr, tr
from studio.jobs.library import Usage
from ui.library.telling import bytes_text
from ui.library.viewmodel import LibraryModel
from ui.theme.palette import set_role, tokens
from ui.theme.tokens import SPACE_M, SPACE_S, mix
from ui.widgets.elided import ElidedLabel

_METER = QSize(120, 8)


class StorageLine(QWidget):
    """Shows `model.usage`, `model.scanned` and `model.undoable`."""

    def __init__(self, model: LibraryModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self.meter = _Meter()
        self.text = ElidedLabel()
        self.reading = QLabel()
        self.cancel_button, self.undo_button = QPushButton(), QPushButton()
        set_role(self.text, "dim")
        set_role(self.reading, "dim")
        set_role(self.cancel_button, "quiet")
        self.cancel_button.clicked.connect(model.cancel_scan)
        self.undo_button.clicked.connect(model.undo)
        self.undone = QLabel()
        row = QHBoxLayout(self)
        row.setContentsMargins(SPACE_M, SPACE_S, SPACE_M, SPACE_S)
        row.setSpacing(SPACE_S)
        row.addWidget(self.meter)
        row.addWidget(self.text, 1)
        for widget in (self.reading, self.cancel_button, self.undone, self.undo_button):
            row.addWidget(widget)
        # Of one height, whatever is shown: the grid above must not move.
        self.setFixedHeight(self.undo_button.sizeHint().height() + 2 * SPACE_S)
        model.usage_changed.connect(self._show)
        model.scanning_changed.connect(self._show)
        model.undo_changed.connect(self._show)
        self._show()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self._show()
        super().changeEvent(event)

    def _show(self) -> None:
        usage, scanned, undoable = self._model.usage, self._model.scanned, len(self._model.undoable)
        self.cancel_button.setText(tr("Cancel"))
        self.undo_button.setText(tr("Undo"))
        self.meter.set_usage(usage)
        self.text.setText(_said(usage) if usage else "")
        self.meter.setAccessibleName(tr("Storage"))
        self.reading.setText(tr("Reading results: {count:n}", count=scanned) if scanned is not None else "")
        for widget in (self.reading, self.cancel_button):
            widget.setVisible(scanned is not None)
        self.undone.setText(ntr("{count} result is in the trash", "{count} results are in the trash", undoable))
        for widget in (self.undone, self.undo_button):
            widget.setVisible(bool(undoable))


def _said(usage: Usage) -> str:
    parts = (
        tr("results {size}", size=bytes_text(usage.results)),
        tr("cache {size}", size=bytes_text(usage.cache)),
        tr("trash {size}", size=bytes_text(usage.trash)),
        tr("{size} free", size=bytes_text(usage.free)),
    )
    return " · ".join(parts)


class _Meter(QWidget):
    """A bar: results, cache, trash, and what is free."""

    def __init__(self) -> None:
        super().__init__()
        self._usage: Usage | None = None
        self.setFixedSize(_METER)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def set_usage(self, usage: Usage | None) -> None:
        """Show how much each takes."""
        self._usage = usage
        self.setAccessibleDescription(_said(usage) if usage else "")
        self.setToolTip(_said(usage) if usage else "")
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        t, painter = tokens(), QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), QColor(mix(t.text, t.surface, 0.14)))
        usage = self._usage
        if usage is not None:
            total = max(1, usage.results + usage.cache + usage.trash + usage.free)
            left = 0.0
            for size, colour in ((usage.results, t.text), (usage.cache, t.dim), (usage.trash, t.faint)):
                # What is there is seen, however little it is.
                width = max(2.0, self.width() * size / total) if size else 0.0
                painter.fillRect(QRectF(left, 0, width, self.height()), QColor(colour))
                left += width + (1.0 if width else 0.0)
        painter.end()
