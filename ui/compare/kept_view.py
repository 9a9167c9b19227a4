"""Beside the pictures: the mean difference of what an edit kept, and of what it changed."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QVBoxLayout, QWidget

from studio.core.words import tr
from ui.compare.viewmodel import CompareModel
from ui.theme.palette import set_role
from ui.theme.tokens import SPACE_L, SPACE_XS

_NONE = "–"


class KeptView(QWidget):
    """Takes no room unless B edits A by marks."""

    def __init__(self, model: CompareModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._caption, self._whole = QLabel(), QLabel(wordWrap=True)
        self._names = QLabel(), QLabel()
        self.values = QLabel(_NONE), QLabel(_NONE)
        """Of this frame: the kept part, the changed part."""
        set_role(self._caption, "caption")
        set_role(self._whole, "dim")
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, SPACE_L)
        column.setSpacing(SPACE_XS)
        column.addWidget(self._caption)
        column.addWidget(self._whole)
        grid = QGridLayout()
        for row, (name, value) in enumerate(zip(self._names, self.values, strict=True)):
            set_role(name, "dim")
            value.setAlignment(Qt.AlignmentFlag.AlignRight)
            grid.addWidget(name, row, 0)
            grid.addWidget(value, row, 1)
        column.addLayout(grid)
        model.kept_parts.changed.connect(self.refresh)
        model.shown_changed.connect(self.refresh)
        self.retranslate()

    @property
    def whole(self) -> str:
        """What is said of the clip as a whole."""
        return self._whole.text()

    def refresh(self) -> None:
        """Show what is known now."""
        found, shown, pair = self._model.kept_parts, self._model.shown, self._model.pair
        self.setVisible(found.clip is not None)
        frame = pair.numbers(shown.position)[1] if shown and pair else None
        for label, value in zip(self.values, found.at(frame), strict=True):
            label.setText(_NONE if value is None else f"{value:.2f}")
        parts = found.parts
        if parts is None:
            self._whole.setText(tr("Measuring…"))
            return
        lines = []
        if parts.kept_mean is not None:
            share = round(parts.kept_share * 100)
            lines.append(
                tr("Kept part ({share} %): mean difference {mean}", share=share, mean=f"{parts.kept_mean:.1f}")
            )
        if parts.changed_mean is not None:
            lines.append(tr("Changed part: mean difference {mean}", mean=f"{parts.changed_mean:.1f}"))
        self._whole.setText("\n".join(lines))

    def retranslate(self) -> None:
        """Set the texts in the current language."""
        self._caption.setText(tr("Kept and changed"))
        self._names[0].setText(tr("Kept, this frame"))
        self._names[1].setText(tr("Changed, this frame"))
        self.refresh()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        super().changeEvent(event)
