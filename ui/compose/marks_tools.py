"""The row of tools for marking what of a clip is kept and what changes."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QMenu, QSpinBox, QToolButton, QWidget

from studio.core.words import mark, tr
from ui.compose.fields import leave_to_window, name_field
from ui.compose.mask_overlay import Tool
from ui.theme.actions import ACTIONS, shown_key
from ui.theme.icons import icon
from ui.theme.palette import set_role
from ui.theme.tokens import SPACE_S, SPACE_XS
from ui.widgets.popup_button import PopupButton
from ui.widgets.segmented import Segmented

_KINDS = (("keep", mark("To keep")), ("change", mark("To change")))
_TOOLS: dict[Tool, tuple[str, str]] = {
    "select": ("pointer", mark("Select and move areas")),
    "rectangle": ("rectangle", mark("Draw a rectangle on the picture")),
    "brush": ("brush", mark("Draw with the brush on the picture")),
}
_SIZE_WIDTH = 72
_KEYS = {"rectangle": "marks.rectangle", "brush": "marks.brush"}


class MarksTools(QWidget):
    """Says what was chosen; holds no marks."""

    kind_chosen = Signal(float)
    """What new marks do: 0 keep, 1 change."""
    tool_chosen = Signal(str)
    radius_chosen = Signal(float)
    """Of the brush, as a fraction of the picture's height."""
    grid_toggled = Signal(bool)
    follow_pressed = Signal()
    area_menu_opened = Signal(QMenu)
    """The menu of the selected area is to be filled."""
    clip_menu_opened = Signal(QMenu)
    """The menu of all marks of the clip is to be filled."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.kinds = Segmented(_KINDS, mark("New marks"))
        self.tools: dict[Tool, QToolButton] = {tool: self._button(name) for tool, (name, _) in _TOOLS.items()}
        self.brush_size = QSpinBox(minimum=1, maximum=50, value=6, suffix=" %")
        self.brush_size.setFixedWidth(_SIZE_WIDTH)
        leave_to_window(self.brush_size)
        self.area = PopupButton("", self.area_menu_opened.emit, icon_name="more")
        self.follow = self._button("follow")
        self.grid = self._button("grid")
        self.clip = PopupButton("", self.clip_menu_opened.emit, icon_name="settings")
        self._share: float | None = None
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(SPACE_XS)
        row.addWidget(self.kinds)
        row.addSpacing(SPACE_S)
        for button in self.tools.values():
            button.setCheckable(True)
            row.addWidget(button)
        for widget in (self.brush_size, self.area, self.follow):
            row.addWidget(widget)
        row.addStretch(1)
        row.addWidget(self.grid)
        row.addWidget(self.clip)
        self.grid.setCheckable(True)
        self.grid.setChecked(True)
        self._connect()
        self.show_tool("select")
        self.show_area(False)
        self.retranslate()

    def _connect(self) -> None:
        self.kinds.chosen.connect(lambda kind: self.kind_chosen.emit(float(kind == "change")))
        for tool, button in self.tools.items():
            button.clicked.connect(lambda _checked=False, tool=tool: self.tool_chosen.emit(tool))
        self.brush_size.valueChanged.connect(lambda percent: self.radius_chosen.emit(percent / 100))
        self.grid.toggled.connect(self.grid_toggled)
        self.follow.clicked.connect(lambda _checked=False: self.follow_pressed.emit())

    def show_kind(self, change: float) -> None:
        """Show what new marks do."""
        self.kinds.set_current("change" if change else "keep")

    def show_tool(self, tool: Tool) -> None:
        """Show which tool the pointer has."""
        for name, button in self.tools.items():
            blocker = QSignalBlocker(button)
            button.setChecked(name == tool)
            blocker.unblock()
        self.brush_size.setVisible(tool == "brush")

    def show_area(self, there: bool) -> None:
        """Show whether an area is selected."""
        self.area.setEnabled(there)
        self.follow.setEnabled(there or self._share is not None)

    def show_following(self, share: float | None) -> None:
        """Show how far following is, 0…1; None while nothing is followed."""
        self._share = share
        self.follow.setIcon(icon("follow" if share is None else "stop"))
        self.follow.setText("" if share is None else f"{share * 100:.0f} %")
        self._name_follow()

    def retranslate(self) -> None:
        """Set the texts in the current language."""
        for tool, (_, text) in _TOOLS.items():
            key = f" ({shown_key(ACTIONS[_KEYS[tool]])})" if tool in _KEYS else ""
            self.tools[tool].setToolTip(tr(text) + key)
            self.tools[tool].setAccessibleName(tr(text))
        name_field(self.brush_size, tr("Radius of the brush, in hundredths of the picture's height"))
        self.brush_size.setToolTip(tr("Radius of the brush, in hundredths of the picture's height"))
        self.area.set_name(tr("The selected area"))
        self.clip.set_name(tr("All marks of this clip"))
        self.grid.setToolTip(f"{tr(ACTIONS['marks.grid'].text)} ({shown_key(ACTIONS['marks.grid'])})")
        self.grid.setAccessibleName(tr(ACTIONS["marks.grid"].text))
        tip = f"{tr(ACTIONS['marks.other'].text)} ({shown_key(ACTIONS['marks.other'])})"
        for kind, _ in _KINDS:
            self.kinds.set_tip(kind, tip)
        self._name_follow()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        super().changeEvent(event)

    def _name_follow(self) -> None:
        running = self._share is not None
        name = tr("Stop following") if running else tr(ACTIONS["marks.follow"].text)
        self.follow.setToolTip(name if running else f"{name} ({shown_key(ACTIONS['marks.follow'])})")
        self.follow.setAccessibleName(name)
        words = Qt.ToolButtonStyle.ToolButtonTextBesideIcon if running else Qt.ToolButtonStyle.ToolButtonIconOnly
        self.follow.setToolButtonStyle(words)

    @staticmethod
    def _button(icon_name: str) -> QToolButton:
        button = QToolButton()
        button.setIcon(icon(icon_name))
        set_role(button, "quiet")
        return button
