"""Under the pictures: playback buttons, the playhead in figures, the timeline, the rows of measures."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QToolButton, QVBoxLayout, QWidget

from studio.core.words import tr
from ui.compare.frame_uses import FrameUses
from ui.compare.play_row import PlayRow, quiet_button
from ui.compare.rows import Rows
from ui.compare.viewmodel import CompareModel
from ui.theme.palette import set_role
from ui.theme.tokens import SPACE_L, SPACE_S, SPACE_XS
from ui.widgets.frame_axis import GUTTER
from ui.widgets.timeline import Timeline

_OFFSET_BUTTONS = (("compare.offset_back", "−"), ("compare.offset_forward", "+"))


class Transport(QWidget):
    """Shows where the playhead is and lets the user move it. `actions` are the workspace's, by id."""

    def __init__(self, model: CompareModel, actions: Mapping[str, QAction], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self.timeline = Timeline(gutter=GUTTER)
        self.rows = Rows(model)
        self.play_row, self.uses = PlayRow(model.playback, actions), FrameUses(model)
        self._offset_label, self._offset = QLabel(), QLabel()
        self._offset_buttons = [quiet_button(QToolButton(), actions[action]) for action, _ in _OFFSET_BUTTONS]
        self.keep = QPushButton()
        column = QVBoxLayout(self)
        column.setContentsMargins(SPACE_S, SPACE_XS, SPACE_S, SPACE_S)
        column.setSpacing(SPACE_XS)
        column.addLayout(self._row())
        column.addWidget(self.timeline)
        column.addWidget(self.rows)
        self._connect()
        self._retranslate()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def _row(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(SPACE_XS)
        row.addWidget(self.play_row)
        row.addWidget(self.uses)
        row.addStretch()
        row.addWidget(self.keep)
        row.addSpacing(SPACE_L)
        row.addWidget(self._offset_label)
        back, forward = self._offset_buttons
        for widget in (back, self._offset, forward):
            row.addWidget(widget)
        # A fixed width: nothing jumps when the figure changes.
        self._offset.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._offset.setFixedWidth(self._offset.fontMetrics().horizontalAdvance("+000") + SPACE_XS)
        set_role(self._offset_label, "dim")
        set_role(self.keep, "quiet")
        policy = self.keep.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self.keep.setSizePolicy(policy)
        return row

    def _connect(self) -> None:
        model, playback = self._model, self._model.playback
        self.timeline.sought.connect(playback.seek)
        self.timeline.range_changed.connect(playback.set_range)
        self.keep.clicked.connect(self._on_keep)
        playback.moved.connect(self._show_position)
        playback.range_changed.connect(self._show_range)
        model.pair_changed.connect(self._show_pair)
        model.offset_changed.connect(self._show_offset)
        model.measured.connect(self._show_offset)
        model.ready_changed.connect(self.timeline.set_ready)

    def _show_pair(self) -> None:
        pair = self._model.pair
        positions = pair.positions if pair else 0
        self.play_row.set_extent(positions, pair.fps if pair else 24.0)
        self.timeline.set_frames(positions)
        self.timeline.set_ready(self._model.ready)
        self._show_range()
        self._show_position()
        self._show_offset()

    def _show_position(self) -> None:
        position = self._model.playback.position
        self.timeline.setValue(position)
        self.rows.set_position(position)

    def _show_range(self) -> None:
        self.timeline.set_range(*(self._model.playback.range_ or (None, None)))

    def _show_offset(self) -> None:
        self._offset.setText(f"{self._model.offset:+d}".replace("-", "−"))
        unmeasured = self._model.comparison is not None and not self._model.offset_is_measured
        self.keep.setVisible(unmeasured)

    def _on_keep(self) -> None:
        self._model.measure(self._model.offset)

    def _retranslate(self) -> None:
        self.timeline.setAccessibleName(tr("Frame"))
        self.rows.retranslate()
        self._offset_label.setText(tr("Offset of B"))
        for button, (_, text) in zip(self._offset_buttons, _OFFSET_BUTTONS, strict=True):
            # In another language the action puts its own text.
            button.setText(text)
        self.keep.setText(tr("Keep this offset and measure"))
        self._show_pair()
