"""The strip along the bottom, always visible: server, next sensible act, running job, memory, disk.

It takes plain values through setters and knows nothing of servers and jobs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QHBoxLayout, QLabel, QProgressBar, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from studio.core.words import tr
from ui.theme.palette import set_role, tokens
from ui.theme.tokens import CONTROL_HEIGHT, SPACE_L, SPACE_M, SPACE_S, SPACE_XS, mix
from ui.widgets.act_button import Act, ActButton
from ui.widgets.elided import ElidedLabel
from ui.widgets.sparkline import Sparkline

_DOT: Final = 8
_STRIPES_APART: Final = 14
_GIB: Final = 1 << 30


class ServerChip(QToolButton):
    """A dot in a colour and words that say the same; a click opens the Server workspace."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._role = "faint"
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        set_role(self, "quiet")

    def set_state(self, text: str, role: str) -> None:
        """`text` in the current language; `role` is the token of the dot: "good", "warn", "bad" or "faint"."""
        self._role = role
        self.setText(text)
        self.setAccessibleName(tr("Server: {state}", state=text))
        self.setToolTip(tr("Open the Server workspace"))
        self.update()

    def sizeHint(self) -> QSize:
        return super().sizeHint() + QSize(_DOT + SPACE_S, 0)

    def minimumSizeHint(self) -> QSize:
        return QSize(_DOT + 2 * SPACE_S, super().minimumSizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        t = tokens()
        if self.underMouse() or self.property("ring"):
            painter.setPen(QPen(QColor(t.accent), 2) if self.property("ring") else Qt.PenStyle.NoPen)
            painter.setBrush(QColor(mix(t.text, t.surface, 0.08)))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 4, 4)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(getattr(t, self._role)))
        painter.drawEllipse(QRectF(SPACE_S, (self.height() - _DOT) / 2, _DOT, _DOT))
        room = self.rect().adjusted(SPACE_S + _DOT + SPACE_S, 0, -SPACE_XS, 0)
        painter.setPen(QColor(t.text))
        shown = self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(room, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, shown)
        painter.end()


class StatusStrip(QWidget):
    """One row of fixed height with a thin progress bar on its upper edge."""

    server_clicked = Signal()
    act_chosen = Signal(object)
    """An Act."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rehearsal = False
        self._free: int | None = None
        self.chip = ServerChip()
        self.chip.clicked.connect(self.server_clicked)
        self.act = ActButton()
        self.act.chosen.connect(self.act_chosen)
        self.job = ElidedLabel(mode=Qt.TextElideMode.ElideRight)
        self.memory, self.disk = QLabel(), QLabel()
        self.spark = Sparkline()
        for label in (self.memory, self.disk):
            set_role(label, "dim")
        self.bar = QProgressBar(textVisible=False, maximum=1000)
        keeps_room = self.bar.sizePolicy()
        keeps_room.setRetainSizeWhenHidden(True)
        self.bar.setSizePolicy(keeps_room)
        self._lay_out()
        self.set_server(tr("No server"), "faint", rehearsal=False)
        self.set_job("", None)
        self.set_memory("")
        self._retranslate()

    def set_server(self, text: str, role: str, *, rehearsal: bool) -> None:
        """What the chip says, the token of its dot, and whether what is rendered is a rehearsal."""
        self.chip.set_state(text, role)
        self._rehearsal = rehearsal
        self.update()

    def set_act(self, act: Act, waiting: int = 0) -> None:
        """The next sensible act, and how many jobs wait for a server."""
        self.act.set_act(act, waiting)

    def set_job(self, text: str, fraction: float | None) -> None:
        """The running job in words ("step 27/50 · …"), empty for none; `fraction` 0…1 when it is known."""
        self.job.setText(text)
        self.bar.setVisible(fraction is not None)
        self.bar.setValue(round(1000 * (fraction or 0.0)))

    def set_memory(self, text: str, shares: Sequence[float] = (), *, total: int | None = None, why: str = "") -> None:
        """Memory of the fullest GPU in words ("61 GB"), its share of the total over the last minutes (NaN: a gap), the
        total in bytes, and why there is no reading. An empty text shows nothing."""
        self.memory.setText(tr("GPU {used}", used=text) if text else "")
        self.memory.setVisible(bool(text))
        self.spark.setVisible(bool(text))
        self.spark.set_shares(shares)
        full = tr("GPU memory in use, of {total} GB", total=f"{total / _GIB:.0f}") if total else tr("GPU memory in use")
        for widget in (self.memory, self.spark):
            widget.setToolTip(why or full)

    def set_disk(self, free: int | None) -> None:
        """Bytes free where results go; None when unknown."""
        self._free = free
        self.disk.setVisible(free is not None)
        if free is None:
            return
        size = free / _GIB
        self.disk.setText(tr("{size} GB free", size=f"{size:.0f}" if size >= 10 else f"{size:.1f}"))
        self.disk.setToolTip(tr("Disk space where results go"))

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, t = QPainter(self), tokens()
        painter.fillRect(self.rect(), QColor(t.surface))
        if self._rehearsal:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(QColor(mix(t.text, t.surface, 0.07)), 5))
            height = self.height()
            for x in range(-height, self.width() + height, _STRIPES_APART):
                painter.drawLine(x, height, x + height, 0)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setPen(QColor(t.line))
        painter.drawLine(0, 0, self.width(), 0)
        painter.end()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def _lay_out(self) -> None:
        row = QHBoxLayout()
        row.setContentsMargins(SPACE_S, 0, SPACE_M, SPACE_XS)
        row.setSpacing(SPACE_S)
        row.addWidget(self.chip)
        row.addWidget(self.act)
        row.addSpacing(SPACE_S)
        row.addWidget(self.job, 1)
        row.addWidget(self.spark)
        row.addWidget(self.memory)
        row.addSpacing(SPACE_L)
        row.addWidget(self.disk)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE_XS - 1)
        column.addWidget(self.bar)
        column.addLayout(row)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        # Fixed: a label with glyphs of a taller font must not move the workspace above.
        self.setFixedHeight(CONTROL_HEIGHT + SPACE_M)

    def _retranslate(self) -> None:
        self.setAccessibleName(tr("Status"))
        self.bar.setAccessibleName(tr("Progress of the running job"))
        self.set_disk(self._free)
