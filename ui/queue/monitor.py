"""The time axis with its few controls: whole or following, which further curves, the picture as a file."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QToolButton, QVBoxLayout, QWidget

from studio.core.words import tr
from ui.queue.quantities import FURTHER
from ui.queue.timeline import Timeline
from ui.theme.icons import icon
from ui.theme.palette import set_role
from ui.theme.tokens import SPACE_XS
from ui.widgets.file_dialogs import ask_where_to

if TYPE_CHECKING:
    from ui.queue.time_axis import TimeAxisView


class MonitorPanel(QWidget):
    """Shows a Timeline."""

    export_requested = Signal(Path)
    """The user wants the picture in this file."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._title = QLabel()
        set_role(self._title, "caption")
        self.lane_buttons = {quantity.key: self._button(checkable=True) for quantity in FURTHER}
        for key, button in self.lane_buttons.items():
            button.toggled.connect(lambda on, key=key: self.axis.set_lane(key, on))
        self.whole_button = self._button()
        self.whole_button.clicked.connect(lambda: self.axis.show_whole())
        self.follow_button = self._button(checkable=True)
        self.follow_button.clicked.connect(lambda on: self.axis.follow(on))
        self.export_button = self._button()
        self.export_button.setIcon(icon("download"))
        self.export_button.clicked.connect(self._ask_where)
        self._lay_out()
        self._retranslate()

    @cached_property
    def axis(self) -> TimeAxisView:
        """The plot; made, and its library loaded, when it is first looked at."""
        from ui.queue.time_axis import TimeAxisView

        made = TimeAxisView()
        made.view_changed.connect(self._show_view)
        self._column.addWidget(made)
        return made

    def set_timeline(self, timeline: Timeline) -> None:
        """Show another state."""
        self.axis.set_timeline(timeline)
        recorded = timeline.recording is not None and bool(timeline.recording.tracks)
        self.follow_button.setVisible(timeline.running)
        if not timeline.running and self.axis.follows:
            self.axis.show_whole()
        for button in self.lane_buttons.values():
            button.setVisible(recorded)
        self.export_button.setVisible(bool(timeline.stages))
        self._show_view()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def _button(self, *, checkable: bool = False) -> QToolButton:
        button = QToolButton()
        button.setCheckable(checkable)
        set_role(button, "quiet")
        return button

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(SPACE_XS)
        head.addWidget(self._title)
        head.addStretch()
        for button in (*self.lane_buttons.values(), self.whole_button, self.follow_button, self.export_button):
            head.addWidget(button)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(SPACE_XS)
        self._column.addLayout(head)

    def _retranslate(self) -> None:
        self._title.setText(tr("TIME"))
        for quantity in FURTHER:
            self.lane_buttons[quantity.key].setText(tr(quantity.title))
            self.lane_buttons[quantity.key].setToolTip(tr("Show this of every GPU under the memory"))
        self.whole_button.setText(tr("Whole"))
        self.whole_button.setToolTip(tr("Show the whole render (0)"))
        self.follow_button.setText(tr("Follow"))
        self.follow_button.setToolTip(tr("Keep the newest part in view (F)"))
        self.export_button.setToolTip(tr("Save the picture…"))
        self.export_button.setAccessibleName(tr("Save the picture…"))

    def _show_view(self) -> None:
        self.whole_button.setVisible(not self.axis.is_whole)
        self.follow_button.setChecked(self.axis.follows)

    def _ask_where(self) -> None:
        suggested = Path.home() / "render.png"
        ask_where_to(self, tr("Save the picture"), self.export_requested.emit, suggested=suggested, names="PNG (*.png)")
