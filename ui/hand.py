"""A hand that uses the window as a person does: finds controls by their accessible names, clicks, types, drops, waits.

It refuses what a person could not do: a control that is hidden, disabled, covered or outside the screen.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar, overload

from PySide6.QtCore import QEvent, QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QAccessible, QDragEnterEvent, QDragMoveEvent, QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QMenu, QScrollArea, QWidget

from studio.core.notices import Notice, Notices

W = TypeVar("W", bound=QWidget)


class CannotUse(AssertionError):
    """A control that the session needs is not there for a person."""


class Hand:
    """Uses one window."""

    def __init__(self, window: QWidget, notices: Notices | None = None) -> None:
        self.window = window
        self._bad: Notice | None = None
        if notices is not None:
            notices.posted.subscribe(self._on_notice)

    @overload
    def find(self, name: str) -> QWidget: ...
    @overload
    def find(self, name: str, kind: type[W]) -> W: ...
    def find(self, name: str, kind: type[Any] = QWidget) -> Any:
        """The visible control with that accessible name, scrolled into view. Raises CannotUse.

        A name that ends in "*" stands for every name that begins so.
        """
        fitting = [w for w in self._all(kind) if _fits(accessible_name(w), name) and w.isVisible()]
        if not fitting:
            seen = sorted({accessible_name(w) for w in self._all(QWidget) if w.isVisible()} - {""})
            raise CannotUse(f"no visible control is called “{name}”; there are: {', '.join(seen)}")
        # A label that names a control is not the control.
        widget = min(fitting, key=lambda w: isinstance(w, QLabel))
        _scroll_to(widget)
        if not widget.isEnabled():
            raise CannotUse(f"“{name}” is disabled")
        self._demand_reachable(widget, name)
        return widget

    def there(self, name: str) -> bool:
        """Whether a visible, enabled control has that accessible name."""
        return any(_fits(accessible_name(w), name) and w.isVisible() and w.isEnabled() for w in self._all(QWidget))

    def click(self, name: str, at: QPoint | None = None) -> None:
        """Click a control."""
        widget = self.find(name)
        QTest.mouseClick(
            widget, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, at or widget.rect().center()
        )

    def write(self, name: str, text: str, *, replace: bool = False) -> None:
        """Click into a field and type; with `replace`, in the place of what stands there, and leave it with Tab."""
        widget = self.find(name)
        self.click(name)
        field = widget.focusProxy() or widget
        if replace:
            QTest.keyClick(field, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
        QTest.keyClicks(field, text)
        if replace:
            QTest.keyClick(field, Qt.Key.Key_Tab)

    def choose(self, text: str) -> None:
        """Choose an entry of the menu that is open. Raises CannotUse when there is none, or it is disabled."""
        menus = [w for w in QApplication.topLevelWidgets() if isinstance(w, QMenu) and w.isVisible()]
        entries = [(menu, action) for menu in menus for action in menu.actions()]
        for menu, action in entries:
            if action.text() == text and action.isEnabled():
                at = menu.actionGeometry(action).center()
                QTest.mouseClick(menu, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, at)
                return
        raise CannotUse(f"no menu offers “{text}”; there are: {', '.join(a.text() for _, a in entries)}")

    def key(self, name: str, key: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        """Press a key with a control focused."""
        widget = self.find(name)
        widget.setFocus(Qt.FocusReason.TabFocusReason)
        QTest.keyClick(widget, key, modifier)

    def drop(self, name: str, paths: Sequence[Path]) -> None:
        """Drop files on a control, as a file manager would. Raises CannotUse when it does not take them."""
        widget: QWidget | None = self.find(name)
        while widget is not None and not widget.acceptDrops():  # as Qt itself looks for who takes them
            widget = widget.parentWidget()
        if widget is None:
            raise CannotUse(f"nothing under “{name}” takes files")
        mime = QMimeData()
        mime.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
        at, copy, left = widget.rect().center(), Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton
        none = Qt.KeyboardModifier.NoModifier
        enter = QDragEnterEvent(at, copy, mime, left, none)
        QApplication.sendEvent(widget, enter)
        QApplication.sendEvent(widget, QDragMoveEvent(at, copy, mime, left, none))
        if not enter.isAccepted():
            raise CannotUse(f"“{name}” takes no files")
        QApplication.sendEvent(widget, QDropEvent(QPointF(at), copy, mime, left, none))

    async def until(self, condition: Callable[[], bool], what: str, *, within: float = 60.0) -> None:
        """Wait for something to come true. Raises CannotUse when it does not, or when an error is shown meanwhile."""
        try:
            async with asyncio.timeout(within):
                while not condition():
                    if self._bad is not None:
                        raise CannotUse(f"while waiting for {what}: {self._bad.message.text()} {self._bad.detail}")
                    await asyncio.sleep(0.05)
        except TimeoutError:
            raise CannotUse(f"waited {within:.0f} s in vain: {what}") from None

    async def shoot(self, path: Path) -> None:
        """Write a picture of the window, once it has drawn what is new."""
        # The loop draws; processing events by hand would re-enter it in the middle of a task.
        for widget in self._all(QWidget):
            if widget.underMouse():  # the hand is not a pointer that rests somewhere
                widget.setAttribute(Qt.WidgetAttribute.WA_UnderMouse, False)
                QApplication.sendEvent(widget, QEvent(QEvent.Type.Leave))
        await asyncio.sleep(0.15)
        path.parent.mkdir(parents=True, exist_ok=True)
        self.window.grab().save(str(path))

    def _on_notice(self, notice: Notice) -> None:
        if notice.severity == "bad":
            self._bad = notice

    def _all(self, kind: type[W]) -> list[W]:
        windows = [w for w in QApplication.topLevelWidgets() if w.isVisible()]
        return [
            child for window in windows for child in (window, *window.findChildren(kind)) if isinstance(child, kind)
        ]

    def _demand_reachable(self, widget: QWidget, name: str) -> None:
        window = widget.window()
        centre = widget.mapTo(window, widget.rect().center())
        if not window.rect().contains(centre) or widget.visibleRegion().isEmpty():
            raise CannotUse(f"“{name}” is outside the window")
        under = window.childAt(centre) or window
        if under is not widget and not widget.isAncestorOf(under) and not under.isAncestorOf(widget):
            raise CannotUse(f"“{name}” is covered by {type(under).__name__} “{accessible_name(under)}”")


def _fits(name: str, wanted: str) -> bool:
    return name.startswith(wanted[:-1]) if wanted.endswith("*") else name == wanted


def accessible_name(widget: QWidget) -> str:
    """What assistive technology calls a widget."""
    interface = QAccessible.queryAccessibleInterface(widget)
    return (interface.text(QAccessible.Text.Name) if interface else "") or widget.accessibleName()


def _scroll_to(widget: QWidget) -> None:
    parent = widget.parentWidget()
    while parent is not None:
        if isinstance(parent, QScrollArea) and parent.isAncestorOf(widget):
            parent.ensureWidgetVisible(widget)
        parent = parent.parentWidget()
