"""What is wrong with a window as it is laid out: texts that do not fit, controls that overlap, controls without a name
or a role."""

from __future__ import annotations

import shiboken6
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractScrollArea,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLabel,
    QLineEdit,
    QSplitterHandle,
    QStackedWidget,
    QTabBar,
    QToolButton,
    QWidget,
)

from ui.widgets.elided import ElidedLabel

_SLACK = 1


def clipped(root: QWidget) -> list[str]:
    """Visible labels and controls that are smaller than what they say."""
    return [said for widget in _visible(root) if (said := _clipped(widget))]


def overlapping(root: QWidget) -> list[str]:
    """Pairs of visible controls and labels that cover each other."""
    leaves = [(w, _place(w, root)) for w in _visible(root) if _is_leaf(w)]
    found = []
    for index, (one, box) in enumerate(leaves):
        for other, there in leaves[index + 1 :]:
            common = box.intersected(there)
            if common.width() > _SLACK and common.height() > _SLACK and not _related(one, other):
                found.append(f"{what(one)} {_tuple(box)} and {what(other)} {_tuple(there)}")
    return found


def nameless(root: QWidget) -> list[str]:
    """Controls that the keyboard reaches and of which assistive technology knows no name, or no role."""
    return [f"{what(w)}: {lack}" for w in focusable(root) if (lack := _lacks(w))]


def focusable(root: QWidget) -> list[QWidget]:
    """The visible controls that Tab stops at: not those that another one has the focus for."""
    return [
        w
        for w in _visible(root)
        if w.focusPolicy() & Qt.FocusPolicy.TabFocus and w.isEnabled() and w.focusProxy() is None and not _is_inner(w)
    ]


def reached(widget: QWidget, stops: list[QWidget]) -> bool:
    """Whether Tab comes to a widget: to itself, to what stands for it, or to its group, in which arrow keys go on."""
    if isinstance(widget, QAbstractButton) and (group := widget.group()) is not None:
        return any(button in stops for button in group.buttons())
    return widget in stops or widget.focusProxy() in stops


def tab_stops(start: QWidget) -> list[QWidget]:
    """Where the Tab key goes from `start`, until it comes to a control for the second time."""
    start.setFocus(Qt.FocusReason.TabFocusReason)
    stops: list[QWidget] = []
    while (at := QApplication.focusWidget()) is not None and at not in stops:
        stops.append(at)
        QTest.keyClick(at, Qt.Key.Key_Tab)
    return stops


def _visible(root: QWidget) -> list[QWidget]:
    return [w for w in root.findChildren(QWidget) if shiboken6.isValid(w) and w.isVisible() and not _scrolled_away(w)]


def _scrolled_away(widget: QWidget) -> bool:
    return widget.visibleRegion().isEmpty()


def _clipped(widget: QWidget) -> str:
    text, need, room = "", 0, widget.width()
    if isinstance(widget, ElidedLabel):
        return ""
    if isinstance(widget, QLabel) and widget.text() and widget.pixmap().isNull():
        text = widget.text()
        if widget.wordWrap():
            need, room = widget.heightForWidth(widget.width()), widget.height()
            need = max(need, 0)
        else:
            need = widget.sizeHint().width()
    elif isinstance(widget, QToolButton | QAbstractButton) and widget.text() and _shows_text(widget):
        text, need = widget.text(), widget.sizeHint().width()
        if isinstance(widget, QToolButton):  # its hint has room for a frame that quiet ones do not draw
            beside = widget.toolButtonStyle() == Qt.ToolButtonStyle.ToolButtonTextBesideIcon
            need = widget.fontMetrics().horizontalAdvance(text) + (widget.iconSize().width() + 4 if beside else 0)
    elif isinstance(widget, QComboBox):
        text, need = widget.currentText(), widget.fontMetrics().horizontalAdvance(widget.currentText()) + 24
    elif isinstance(widget, QAbstractSpinBox):
        text = widget.text()
        need = widget.fontMetrics().horizontalAdvance(text) + 20
    return f"{what(widget)} “{text}” needs {need}, has {room}" if need > room + _SLACK else ""


def _shows_text(button: QAbstractButton) -> bool:
    icon_only = Qt.ToolButtonStyle.ToolButtonIconOnly
    if isinstance(button, QToolButton):
        return button.toolButtonStyle() != icon_only or button.icon().isNull()
    return True


def _is_leaf(widget: QWidget) -> bool:
    kinds = QAbstractButton | QLabel | QLineEdit | QAbstractSpinBox | QComboBox
    return isinstance(widget, kinds) and not _is_inner(widget)


def _is_inner(widget: QWidget) -> bool:
    """Parts of another control, scroll areas that only hold things, and the bars between panes."""
    parent = widget.parentWidget()
    if isinstance(widget, QAbstractScrollArea) and widget.focusPolicy() == Qt.FocusPolicy.NoFocus:
        return True
    return isinstance(widget, QSplitterHandle) or isinstance(parent, QAbstractSpinBox | QComboBox | QTabBar | QLineEdit)


def _related(one: QWidget, other: QWidget) -> bool:
    return one.isAncestorOf(other) or other.isAncestorOf(one)


def _place(widget: QWidget, root: QWidget) -> QRect:
    region = widget.visibleRegion().boundingRect()
    return QRect(widget.mapTo(root, region.topLeft()), region.size())


def _lacks(widget: QWidget) -> str:
    interface = QAccessible.queryAccessibleInterface(widget)
    if interface is None:
        return "unknown to assistive technology"
    if not interface.text(QAccessible.Text.Name).strip():
        return "no name"
    return "no role" if interface.role() in (QAccessible.Role.NoRole,) else ""


def what(widget: QWidget) -> str:
    """A widget by its classes, from the inside out, and its name."""
    names = [type(widget).__name__]
    parent = widget.parentWidget()
    while parent is not None and not isinstance(parent, QStackedWidget) and len(names) < 5:
        names.append(type(parent).__name__)
        parent = parent.parentWidget()
    interface = QAccessible.queryAccessibleInterface(widget)
    name = interface.text(QAccessible.Text.Name) if interface else ""
    return f"{' < '.join(names)} “{name}”"


def _tuple(box: QRect) -> tuple[int, int, int, int]:
    return box.x(), box.y(), box.width(), box.height()
