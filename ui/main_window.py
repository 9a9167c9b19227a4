"""The window: a rail of workspaces, a notice bar, the work, one status strip. It shows and decides nothing."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import TypeVar

from PySide6.QtCore import QEvent, QMimeData, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QKeySequence, QPaintEvent, QResizeEvent, QShortcut
from PySide6.QtWidgets import (
    QButtonGroup,
    QFrame,
    QHBoxLayout,
    QSizePolicy,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from studio.core.words import tr
from ui.theme.actions import ACTIONS, shown_key
from ui.theme.icons import icon
from ui.theme.tokens import SPACE_S, SPACE_XS
from ui.widgets.notice import NoticeBar
from ui.widgets.status_strip import StatusStrip

RAIL_WIDTH = 72
RAIL_NARROW = 44
NARROW_BELOW = 1000
"""Window widths under this get a rail of icons alone."""


@dataclass(frozen=True, slots=True)
class Workspace:
    """A page of the window: its action ("go.compose"), and what makes its widget when it is first wanted."""

    action: str
    make: Callable[[], QWidget]
    at_foot: bool = False
    """Whether its button stands at the rail's foot."""


class MainWindow(QWidget):
    """Rail left, workspace in the middle, status strip below."""

    closing = Signal(QCloseEvent)
    """The user wants to close the window; whoever listens accepts or ignores the event."""
    workspace_changed = Signal(str)
    keys_requested = Signal()
    dropped = Signal(QMimeData)
    """Something was dropped where no workspace takes it."""

    def __init__(self, workspaces: Sequence[Workspace], strip: StatusStrip, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("H3 Studio")
        self.setMinimumSize(960, 600)
        self.notice_bar = NoticeBar()
        self.strip = strip
        self._stack = QStackedWidget()
        self._make = {w.action: w.make for w in workspaces}
        self._pages: dict[str, QWidget] = {}
        self._drawn = asyncio.Event()
        self._rail = Rail([w.action for w in workspaces if not w.at_foot], [w.action for w in workspaces if w.at_foot])
        self._rail.chosen.connect(self.go)
        self._rail.keys_requested.connect(self.keys_requested)
        for name in (*self._make, "app.keys", "app.quit"):
            for key in ACTIONS[name].keys:
                shortcut = QShortcut(QKeySequence(key), self)
                shortcut.activated.connect(lambda name=name: self._on_key(name))
        middle = QVBoxLayout()
        middle.setContentsMargins(0, 0, 0, 0)
        middle.setSpacing(0)
        middle.addWidget(self.notice_bar)
        middle.addWidget(self._stack, 1)
        self.go(workspaces[0].action)
        upper = QHBoxLayout()
        upper.setSpacing(0)
        upper.addWidget(self._rail)
        upper.addLayout(middle, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(upper, 1)
        column.addWidget(strip)
        self.setAcceptDrops(True)
        # Nothing is chosen yet: the first Tab goes to the rail, and no ring stands there before.
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.setFocus()

    @property
    def workspace(self) -> str:
        """The action of the workspace that is shown."""
        return self._shown

    @property
    def actions_shown(self) -> tuple[str, ...]:
        """The actions of all workspaces, as the rail has them."""
        return tuple(self._make)

    def go(self, action: str) -> None:
        """Show a workspace."""
        page = self.page(action)
        self._shown = action
        self._rail.mark(action)
        if page is not self._stack.currentWidget():
            self._stack.setCurrentWidget(page)
            self.workspace_changed.emit(action)

    def page(self, action: str) -> QWidget:
        """The widget of a workspace, made when it is first asked for."""
        if action not in self._pages:
            self._pages[action] = made = self._make[action]()
            self._stack.addWidget(made)
            if self.isAncestorOf(self.strip):
                self._put_strip_last()
        return self._pages[action]

    async def painted(self) -> None:
        """Wait until it has drawn itself; a second at most, for it may be hidden from the start (minimised)."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._drawn.wait(), 1.0)

    def cover(self, page: QWidget) -> None:
        """Show a page that is no workspace; `uncover` puts it away."""
        self._stack.addWidget(page)
        self._put_strip_last()
        self._stack.setCurrentWidget(page)

    def uncover(self, page: QWidget) -> None:
        """Put such a page away for good."""
        self._stack.removeWidget(page)
        page.deleteLater()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if event.mimeData().hasUrls() or event.mimeData().hasImage():
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        event.acceptProposedAction()
        self.dropped.emit(event.mimeData())

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        self._drawn.set()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._rail.set_narrow(self.width() < NARROW_BELOW)
        super().resizeEvent(event)

    def closeEvent(self, event: QCloseEvent) -> None:
        self.closing.emit(event)

    def _put_strip_last(self) -> None:
        """What comes into the window comes to the end of the way of Tab: put the strip behind it again.

        The way is not walked. What `previousInFocusChain` gives, PySide (6.11) takes for a child of the widget that was
        asked, and deletes it with that one.
        """
        last = QWidget(self, focusPolicy=Qt.FocusPolicy.TabFocus)  # the newest, so it is the last; never shown
        strip = [w for w in self.strip.findChildren(QWidget) if w.focusPolicy() != Qt.FocusPolicy.NoFocus]
        for before, after in pairwise((last, *strip)):
            QWidget.setTabOrder(before, after)
        last.deleteLater()

    def _on_key(self, action: str) -> None:
        if action == "app.keys":
            self.keys_requested.emit()
        elif action == "app.quit":
            self.close()
        else:
            self.go(action)


class _Way(QToolButton):
    """A button of a workspace. What is dragged over it opens the workspace, so that it can be dropped in there."""

    dragged_over = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setAcceptDrops(True)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        self.dragged_over.emit()
        event.ignore()


_Button = TypeVar("_Button", bound=QToolButton)


class Rail(QFrame):
    """One button a workspace: icon over the word, or the icon alone when the window is narrow."""

    chosen = Signal(str)
    keys_requested = Signal()

    def __init__(self, actions: Sequence[str], at_foot: Sequence[str] = (), parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("rail")
        self._buttons: dict[str, QToolButton] = {}
        self._narrow = False
        self._group = QButtonGroup(self)
        column = QVBoxLayout(self)
        column.setContentsMargins(SPACE_XS, SPACE_S, SPACE_XS, SPACE_S)
        column.setSpacing(SPACE_XS)
        for action in actions:
            column.addWidget(self._way_to(action))
        column.addStretch(1)
        for action in at_foot:
            column.addWidget(self._way_to(action))
        keys = self._button("app.keys", QToolButton())
        keys.clicked.connect(self.keys_requested)
        column.addWidget(keys)
        self._retranslate()
        self.set_narrow(False)

    def mark(self, action: str) -> None:
        """Show which workspace is open."""
        self._buttons[action].setChecked(True)

    def set_narrow(self, narrow: bool) -> None:
        """Icons alone, or icons over words."""
        style = Qt.ToolButtonStyle.ToolButtonIconOnly if narrow else Qt.ToolButtonStyle.ToolButtonTextUnderIcon
        self._narrow = narrow
        self._fit()
        for button in self._buttons.values():
            button.setToolButtonStyle(style)
            button.setFixedHeight(36 if narrow else 56)

    def _fit(self) -> None:
        """As wide as its longest word wants it, when words are shown."""
        widest = max(b.fontMetrics().horizontalAdvance(b.text()) for b in self._buttons.values())
        self.setFixedWidth(RAIL_NARROW if self._narrow else max(RAIL_WIDTH, widest + 2 * SPACE_S))

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
            self._fit()
        elif event.type() == QEvent.Type.StyleChange:  # another stylesheet forgets the heights
            QTimer.singleShot(0, self, partial(self.set_narrow, self._narrow))
        super().changeEvent(event)

    def _way_to(self, action: str) -> QToolButton:
        button = self._button(action, _Way(), checkable=True)
        button.clicked.connect(lambda _=False: self.chosen.emit(action))
        button.dragged_over.connect(lambda: self.chosen.emit(action))
        self._group.addButton(button)
        return button

    def _button(self, action: str, button: _Button, *, checkable: bool = False) -> _Button:
        button.setIcon(icon(ACTIONS[action].icon or "more"))
        button.setIconSize(QSize(20, 20))
        button.setCheckable(checkable)
        button.setProperty("role", "rail")
        button.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._buttons[action] = button
        return button

    def _retranslate(self) -> None:
        for action, button in self._buttons.items():
            text = tr(ACTIONS[action].text)
            button.setText(text)
            button.setAccessibleName(text)
            button.setToolTip(f"{text} ({shown_key(ACTIONS[action])})")
