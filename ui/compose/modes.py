"""The kinds of render as clear choices, each with what it is made from; the one that fits the tray is suggested."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import (
    QAbstractButton,
    QButtonGroup,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from studio.contract import Shot, Task
from studio.core.words import mark, tr
from ui.compose.mode_drawing import HEIGHT, WIDTH, draw_mode
from ui.compose.viewmodel import ComposeModel
from ui.theme.palette import set_role, tokens
from ui.theme.tokens import FOCUS_RING, RADIUS_CARD, SPACE_S, SPACE_XS

_TASKS: dict[Task, tuple[str, str]] = {
    "ref2va": (mark("References"), mark("Pictures, clips and sounds that the result is made from")),
    "fl2va": (mark("Frames"), mark("A first picture, a last picture, or both")),
    "t2va": (mark("Text only"), mark("The prompt alone")),
}
_WHY: dict[Task, str] = {
    "ref2va": mark("Clips and sounds are used by “References”."),
    "fl2va": mark("“Text only” uses no pictures; “Frames” begins or ends with them."),
    "t2va": mark("With words alone, “Text only” is the one that fits."),
}


def fitting_task(shot: Shot) -> Task | None:
    """The mode that fits what is in the tray better than the shot's own; None while its own fits."""
    kinds = {r.kind for r in shot.references if not r.set_aside and r.role != "driving"}
    if kinds & {"video", "audio"}:
        fits: Task = "ref2va"
    elif "image" in kinds:
        fits = "fl2va" if shot.task == "t2va" else shot.task
    else:
        fits = "t2va" if shot.prompt.strip() else shot.task
    return None if fits == shot.task else fits


class ModePicker(QWidget):
    """Shows the shot's mode; a press chooses another. What another mode takes stays in the tray, set aside."""

    def __init__(self, model: ComposeModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._suggested: Task | None = None
        self.buttons: dict[Task, QAbstractButton] = {}
        self._group = QButtonGroup(self)
        tiles = QHBoxLayout()
        tiles.setSpacing(SPACE_XS)
        for task in _TASKS:
            tile = self.buttons[task] = _Tile(task)
            tile.clicked.connect(partial(self._choose, task))
            self._group.addButton(tile)
            tiles.addWidget(tile)
        self._why, self.switch = QLabel(wordWrap=True), QPushButton()
        set_role(self._why, "faint")
        set_role(self.switch, "quiet")
        self.switch.clicked.connect(self._on_switch)
        self._offer = QWidget()
        offer = QHBoxLayout(self._offer)
        offer.setContentsMargins(0, 0, 0, 0)
        offer.setSpacing(SPACE_S)
        offer.addWidget(self._why, 1)
        offer.addWidget(self.switch)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE_XS)
        column.addLayout(tiles)
        column.addWidget(self._offer)
        model.findings_changed.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        """Show the shot's mode, and the one that would fit better."""
        self.buttons[self._model.shot.task].setChecked(True)
        self._suggested = fitting_task(self._model.shot)
        self._offer.setVisible(self._suggested is not None)
        self.retranslate()

    def retranslate(self) -> None:
        """Set the texts in the current language."""
        self.setAccessibleName(tr("Task"))
        for task, (name, needs) in _TASKS.items():
            tile = self.buttons[task]
            tile.setText(tr(name))
            tile.setToolTip(tr(needs))
            tile.setAccessibleName(f"{tr('Task')}: {tr(name)}")
            tile.setAccessibleDescription(tr(needs))
        if self._suggested is not None:
            self._why.setText(tr(_WHY[self._suggested]))
            self.switch.setText(tr("Use “{name}”", name=tr(_TASKS[self._suggested][0])))

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        super().changeEvent(event)

    def _choose(self, task: Task, _checked: bool = False) -> None:
        self._model.presets.switch_to(task)

    def _on_switch(self) -> None:
        if self._suggested is not None:
            self._model.presets.switch_to(self._suggested)


class _Tile(QAbstractButton):
    def __init__(self, task: Task, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._task = task
        self.setCheckable(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)

    def sizeHint(self) -> QSize:
        line = self.fontMetrics()
        wide = max(WIDTH, line.horizontalAdvance(self.text())) + 2 * SPACE_XS
        return QSize(wide, HEIGHT + line.height() + SPACE_S + 2 * SPACE_XS)

    def paintEvent(self, _event: QPaintEvent) -> None:
        t, on = tokens(), self.isChecked()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ring = bool(self.property("ring"))
        edge = QRectF(self.rect()).adjusted(1, 1, -1, -1)
        painter.setPen(QPen(QColor(t.accent if ring or on else t.line), FOCUS_RING if ring else 1))
        painter.setBrush(QColor(t.raised if on or self.underMouse() else t.surface))
        painter.drawRoundedRect(edge, RADIUS_CARD, RADIUS_CARD)
        colour = QColor(t.text if on else t.dim)
        draw_mode(painter, self._task, QPointF((self.width() - WIDTH) / 2, SPACE_S), colour)
        painter.setPen(colour)
        font = painter.font()
        font.setBold(on)
        painter.setFont(font)
        words = self.rect().adjusted(SPACE_XS, HEIGHT + SPACE_S, -SPACE_XS, -SPACE_XS)
        text = painter.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, words.width())
        painter.drawText(words, Qt.AlignmentFlag.AlignCenter, text)
        painter.end()
