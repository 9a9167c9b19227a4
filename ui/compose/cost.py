"""What a render costs: the rows of a denoise step, split into who adds them, its time, its memory, and what saves."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from studio.contract import Rows
from studio.core.words import tr
from ui.compose.choices import Choices
from ui.compose.cost_text import memory_words, time_words
from ui.compose.describe import plain_tag
from ui.compose.finding_list import FindingList
from ui.compose.savings import Savings
from ui.compose.viewmodel import ComposeModel
from ui.theme.palette import set_role, tokens
from ui.theme.tokens import SPACE_S, SPACE_XS, mix

_BAR = 4


class CostPanel(QWidget):
    """A heading with the total, time, memory, a bar for each part (output, prompt, each reference), savings."""

    def __init__(self, model: ComposeModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._title, self._total = QLabel(), QLabel()
        self.time, self.memory = CostRow(), CostRow()
        self.shortage = FindingList(model, self)
        self.savings = Savings(model, self)
        self.choices = Choices(model, self)
        set_role(self._title, "caption")
        head = QHBoxLayout()
        head.addWidget(self._title)
        head.addStretch()
        head.addWidget(self._total)
        self._parts = QVBoxLayout()
        self._parts.setSpacing(SPACE_S)
        self._bars: list[CostRow] = []
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE_S)
        column.addLayout(head)
        column.addWidget(self.time)
        column.addWidget(self.memory)
        column.addWidget(self.shortage)
        column.addLayout(self._parts)
        column.addWidget(self.savings)
        column.addWidget(self.choices)
        column.addStretch()
        model.estimate.changed.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        """Show the cost of the model's shot."""
        found = self._model.estimate.cost
        rows = found.rows if found else None
        self._title.setText(tr("COST"))
        self._total.setText(tr("{rows:n} rows a step", rows=rows.total) if rows else tr("not known yet"))
        tip = tr("A render takes rows × steps, and a little more than twice as long for twice the rows.")
        self._total.setToolTip(tip)
        self._show_parts(_parts(self._model, rows) if rows else [])
        self.time.show_value(tr("Time"), time_words(found) if found else "", self._time_tip())
        self.memory.show_value(
            tr("Memory"), self._memory_words(), tr("On the fullest GPU, from past runs on this server.")
        )
        short = self._model.estimate.shortage
        self.shortage.show_findings([short] if short else [])
        self.savings.refresh()
        self.choices.refresh()

    def _time_tip(self) -> str:
        found = self._model.estimate.cost
        if found is None or found.step is None:
            return tr("Known after the first render on this server.")
        least, most = f"{found.step.least:.3g}", f"{found.step.most:.3g}"
        return tr("{least}–{most} s a step, {count} steps", least=least, most=most, count=found.updates)

    def _memory_words(self) -> str:
        found = self._model.estimate.cost
        return memory_words(found, self._model.estimate.room) if found else ""

    def _show_parts(self, parts: list[tuple[str, int]]) -> None:
        while len(self._bars) > len(parts):
            bar = self._bars.pop()
            self._parts.removeWidget(bar)
            bar.hide()
            bar.deleteLater()
        while len(self._bars) < len(parts):
            self._bars.append(CostRow(self))
            self._parts.addWidget(self._bars[-1])
        most = max((count for _name, count in parts), default=1)
        for bar, (name, count) in zip(self._bars, parts, strict=True):
            bar.show_part(name, count, count / max(most, 1))

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self.refresh()
        super().changeEvent(event)


class CostRow(QWidget):
    """A name, a value, and for a part of the rows a bar as long as its share of the largest part."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.name, self.value = "", ""
        self._share: float | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_part(self, name: str, count: int, share: float) -> None:
        """Show a part of the rows; `share` is 0…1."""
        self.show_value(name, f"{count:,}", share=share)
        self.setAccessibleName(tr("{name}: {rows:n} rows", name=name, rows=count))

    def show_value(self, name: str, value: str, tip: str = "", *, share: float | None = None) -> None:
        """Show a value; nothing at all without one."""
        if (share is None) != (self._share is None):
            self.updateGeometry()
        self.name, self.value, self._share = name, value, share
        self.setAccessibleName(f"{name}: {value}")
        self.setToolTip(tip)
        self.setVisible(bool(value))
        self.update()

    def sizeHint(self) -> QSize:
        bar = 0 if self._share is None else SPACE_XS + _BAR
        return QSize(160, self.fontMetrics().height() + bar)

    def paintEvent(self, _event: QPaintEvent) -> None:
        look = tokens()
        painter = QPainter(self)
        line = QRectF(0, 0, self.width(), self.fontMetrics().height())
        painter.setPen(QColor(look.dim))
        painter.drawText(line, Qt.AlignmentFlag.AlignLeft, self.name)
        painter.setPen(QColor(look.text))
        painter.drawText(line, Qt.AlignmentFlag.AlignRight, self.value)
        if self._share is not None:
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
