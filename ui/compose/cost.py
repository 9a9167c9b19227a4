"""What a render costs: the rows of one denoise step, split into who adds them."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from studio.contract import Rows
from studio.core.words import tr
from ui.compose.describe import plain_tag
from ui.compose.viewmodel import ComposeModel
from ui.theme.palette import set_role, tokens
from ui.theme.tokens import SPACE_S, SPACE_XS, mix

_BAR = 4


class CostPanel(QWidget):
    """A heading with the total and a bar for each part: the output, the prompt, each reference."""

    def __init__(self, model: ComposeModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._title, self._total = QLabel(), QLabel()
        set_role(self._title, "caption")
        head = QHBoxLayout()
        head.addWidget(self._title)
        head.addStretch()
        head.addWidget(self._total)
        self._parts = QVBoxLayout()
        self._parts.setSpacing(SPACE_S)
        self._bars: list[CostBar] = []
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE_S)
        column.addLayout(head)
        column.addLayout(self._parts)
        column.addStretch()
        model.findings_changed.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        """Show the cost of the model's shot."""
        rows = self._model.rows
        self._title.setText(tr("COST"))
        self._total.setText(tr("{rows:n} rows a step", rows=rows.total) if rows else tr("not known yet"))
        tip = tr("A render takes rows × steps, and a little more than twice as long for twice the rows.")
        self._total.setToolTip(tip)
        self._show_parts(_parts(self._model, rows) if rows else [])

    def _show_parts(self, parts: list[tuple[str, int]]) -> None:
        while len(self._bars) > len(parts):
            bar = self._bars.pop()
            self._parts.removeWidget(bar)
            bar.hide()
            bar.deleteLater()
        while len(self._bars) < len(parts):
            self._bars.append(CostBar(self))
            self._parts.addWidget(self._bars[-1])
        most = max((count for _name, count in parts), default=1)
        for bar, (name, count) in zip(self._bars, parts, strict=True):
            bar.show_part(name, count, count / max(most, 1))

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self.refresh()
        super().changeEvent(event)


class CostBar(QWidget):
    """A name, a number of rows, and a bar as long as its share of the largest part."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._name, self._count, self._share = "", "", 0.0
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_part(self, name: str, count: int, share: float) -> None:
        """Show a part of the cost; `share` is 0…1."""
        self._name, self._count, self._share = name, f"{count:,}", share
        self.setAccessibleName(tr("{name}: {rows:n} rows", name=name, rows=count))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(160, self.fontMetrics().height() + SPACE_XS + _BAR)

    def paintEvent(self, _event: QPaintEvent) -> None:
        look = tokens()
        painter = QPainter(self)
        line = QRectF(0, 0, self.width(), self.fontMetrics().height())
        painter.setPen(QColor(look.dim))
        painter.drawText(line, Qt.AlignmentFlag.AlignLeft, self._name)
        painter.setPen(QColor(look.text))
        painter.drawText(line, Qt.AlignmentFlag.AlignRight, self._count)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        groove = QRectF(0, line.height() + SPACE_XS, self.width(), _BAR)
        painter.setBrush(QColor(mix(look.text, look.surface, 0.10)))
        painter.drawRoundedRect(groove, _BAR / 2, _BAR / 2)
        groove.setWidth(max(_BAR, groove.width() * self._share))
        painter.setBrush(QColor(look.faint))
        painter.drawRoundedRect(groove, _BAR / 2, _BAR / 2)
        painter.end()


def _parts(model: ComposeModel, rows: Rows) -> list[tuple[str, int]]:
    named = {ref_id: plain_tag(own[-1]) for ref_id, own in model.tags.items() if own}
    parts = [(tr("Output"), rows.output_video + rows.output_audio), (tr("Prompt"), rows.text)]
    parts += [(named.get(part.ref_id, tr("Reference")), part.total) for part in rows.per_reference]
    return [(name, count) for name, count in parts if count]
