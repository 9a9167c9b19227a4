"""What few people touch: flow shifts, and a canvas of one's own size. Folded away."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSignalBlocker, Qt
from PySide6.QtWidgets import (
    QDoubleSpinBox,
    QGridLayout,
    QLabel,
    QPushButton,
    QSpinBox,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from studio.contract import Canvas
from studio.core.words import tr
from ui.compose.fields import leave_to_window, name_field
from ui.compose.viewmodel import ComposeModel
from ui.theme.icons import icon
from ui.theme.palette import set_role
from ui.theme.tokens import SPACE_S, SPACE_XS

_MULTIPLE = 32


class AdvancedFold(QWidget):
    """A fold with the fields; open or closed is the widget's own business."""

    def __init__(self, model: ComposeModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self.toggle = QToolButton()
        self.toggle.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        set_role(self.toggle, "quiet")
        self.shift, self.audio_shift = _shift_box(), _shift_box()
        self.width_box, self.height_box = _size_box(), _size_box()
        self.apply_size = QPushButton()
        self._size = QWidget()
        self._shift_label, self._audio_label, self._size_label = QLabel(), QLabel(), QLabel()
        self._lay_out()
        self.toggle.clicked.connect(self._on_toggle)
        self.shift.valueChanged.connect(model.set_flow_shift)
        self.audio_shift.valueChanged.connect(model.set_audio_flow_shift)
        self.apply_size.clicked.connect(self._on_apply_size)
        self._open(False)
        self.refresh()

    def _lay_out(self) -> None:
        self._fields = QWidget()
        fields = QGridLayout(self._fields)
        fields.setContentsMargins(0, 0, 0, 0)
        fields.setSpacing(SPACE_S)
        fields.setColumnStretch(0, 1)
        for row, (label, box) in enumerate(((self._shift_label, self.shift), (self._audio_label, self.audio_shift))):
            fields.addWidget(label, row, 0)
            fields.addWidget(box, row, 1)
        fields.addWidget(self._size, 2, 0, 1, 2)
        size = QGridLayout(self._size)
        size.setContentsMargins(0, 0, 0, 0)
        size.setSpacing(SPACE_XS)
        size.addWidget(self._size_label, 0, 0, 1, 4)
        for column, widget in enumerate((self.width_box, QLabel("×"), self.height_box, self.apply_size)):
            size.addWidget(widget, 1, column)
        column_layout = QVBoxLayout(self)
        column_layout.setContentsMargins(0, 0, 0, 0)
        column_layout.setSpacing(SPACE_S)
        column_layout.addWidget(self.toggle, alignment=Qt.AlignmentFlag.AlignLeft)
        column_layout.addWidget(self._fields)

    def refresh(self) -> None:
        """Show the model's shot."""
        shot, resolved = self._model.shot, self._model.resolved
        for box, value in ((self.shift, shot.flow_shift), (self.audio_shift, shot.audio_flow_shift)):
            blocker = QSignalBlocker(box)
            box.setValue(value)
            blocker.unblock()
        if resolved is not None:
            self.width_box.setValue(resolved.width)
            self.height_box.setValue(resolved.height)
        self._size.setVisible(shot.task != "fl2va")

    def retranslate(self) -> None:
        """Set the texts in the current language."""
        self.toggle.setText(tr("Advanced"))
        self.toggle.setAccessibleName(tr("Advanced"))
        self._shift_label.setText(tr("Flow shift"))
        self._audio_label.setText(tr("Sound flow shift"))
        self._size_label.setText(tr("Canvas of your own, in steps of 32 px"))
        self.apply_size.setText(tr("Use"))
        self.apply_size.setAccessibleName(tr("Use this canvas"))
        name_field(self.shift, tr("Flow shift"))
        name_field(self.audio_shift, tr("Sound flow shift"))
        name_field(self.width_box, tr("Canvas width in px"))
        name_field(self.height_box, tr("Canvas height in px"))

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        super().changeEvent(event)

    def _on_toggle(self) -> None:
        self._open(self._fields.isHidden())

    def _open(self, opened: bool) -> None:
        self._fields.setVisible(opened)
        self.toggle.setIcon(icon("chevron-down" if opened else "chevron-right"))

    def _on_apply_size(self) -> None:
        self._model.set_canvas(Canvas(width=self.width_box.value(), height=self.height_box.value()))


def _shift_box() -> QDoubleSpinBox:
    box = QDoubleSpinBox(minimum=0.1, maximum=100.0, singleStep=0.5, decimals=2)
    box.setKeyboardTracking(False)
    box.setFixedWidth(96)
    box.setAlignment(Qt.AlignmentFlag.AlignRight)
    leave_to_window(box)
    return box


def _size_box() -> QSpinBox:
    box = QSpinBox(minimum=256, maximum=5760, singleStep=_MULTIPLE)
    box.setAlignment(Qt.AlignmentFlag.AlignRight)
    leave_to_window(box)
    return box
