"""A hand that picks what is visible at random. One act at a time: `act` does it and says what it was."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import shiboken6
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QAction, QContextMenuEvent, QDragEnterEvent, QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSlider,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QFileDialog,
    QLineEdit,
    QMenu,
    QPlainTextEdit,
    QTextEdit,
    QWidget,
)

from ui.hand import accessible_name

LEFT: Final = Qt.MouseButton.LeftButton
NONE: Final = Qt.KeyboardModifier.NoModifier
TEXTS: Final = ("snow", "@", "a [[place]] b", "http://127.0.0.1:1", "-5", "99999999999", "x" * 30, " ", "<Video 1>")
KEYS: Final = (
    Qt.Key.Key_Tab,
    Qt.Key.Key_Escape,
    Qt.Key.Key_Space,
    Qt.Key.Key_Left,
    Qt.Key.Key_Right,
    Qt.Key.Key_Delete,
)
STEPS: Final = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_Home, Qt.Key.Key_End)


class Gremlin:
    """Uses what stands above all else: an open menu or dialog, else the window. It never quits the program."""

    def __init__(self, window: QWidget, chance: random.Random, files: Sequence[Path]) -> None:
        self._window, self._files, self.chance = window, files, chance
        self._acts: list[tuple[Callable[[], str], int]] = [
            (self._click, 42),
            (self._choose, 7),
            (self._step, 6),
            (self._type, 8),
            (self._pick, 8),
            (self._drop, 6),
            (self._ask_for_menu, 6),
            (self._do_action, 12),
            (self._press_key, 5),
        ]

    def act(self) -> str:
        """Do something."""
        for window in QApplication.topLevelWidgets():
            if isinstance(window, QFileDialog) and window.isVisible():
                window.close()  # the toolkit's own
                return "close the file dialog"
        popup = QApplication.activePopupWidget()
        if isinstance(popup, QMenu):
            return self._use_menu(popup)
        if popup is not None and self.chance.random() < 0.4:
            popup.close()
            return "close what popped up"
        (does,) = self.chance.choices([act for act, _ in self._acts], [often for _, often in self._acts])
        return does()

    def _click(self) -> str:
        return self._with(QAbstractButton, "click", lambda button: QTest.mouseClick(button, LEFT))

    def _choose(self) -> str:
        def choose(box: QComboBox) -> None:
            if box.count():
                box.setCurrentIndex(self.chance.randrange(box.count()))
                box.activated.emit(box.currentIndex())

        return self._with(QComboBox, "choose in", choose)

    def _step(self) -> str:
        return self._with((QAbstractSlider, QAbstractSpinBox), "step", lambda field: self._key(field, STEPS))

    def _type(self) -> str:
        text = self.chance.choice(TEXTS)

        def write(field: QWidget) -> None:
            for letter in text:
                _press(field, letter)
            if self.chance.random() < 0.3:
                _press(field, Qt.Key.Key_Return)

        return self._with((QLineEdit, QPlainTextEdit, QTextEdit), f"type “{text}” into", write)

    def _pick(self) -> str:
        def pick(view: QAbstractItemView) -> None:
            model = view.model()
            if model is None or not model.rowCount():
                return
            index = model.index(self.chance.randrange(model.rowCount()), 0)
            view.setCurrentIndex(index)
            at = view.visualRect(index).center()
            how = self.chance.randrange(3)
            if how == 0:
                QTest.mouseClick(view.viewport(), LEFT, NONE, at)
            elif how == 1:
                QTest.mouseDClick(view.viewport(), LEFT, NONE, at)
            else:
                self._key(view, (Qt.Key.Key_Return, Qt.Key.Key_Space, Qt.Key.Key_Delete, Qt.Key.Key_Down))

        return self._with(QAbstractItemView, "pick in", pick)

    def _drop(self) -> str:
        given = self.chance.sample(self._files, self.chance.choice((1, 1, 2, 3)))
        mime = QMimeData()
        mime.setUrls([QUrl.fromLocalFile(str(path)) for path in given])

        def drop(widget: QWidget) -> None:
            copy = Qt.DropAction.CopyAction
            enter = QDragEnterEvent(QPoint(5, 5), copy, mime, LEFT, NONE)
            QApplication.sendEvent(widget, enter)
            if enter.isAccepted():
                QApplication.sendEvent(widget, QDropEvent(QPointF(5, 5), copy, mime, LEFT, NONE))

        names = ", ".join(path.name for path in given)
        return self._with(QWidget, f"drop {names} on", drop, lambda widget: widget.acceptDrops())

    def _ask_for_menu(self) -> str:
        def ask(widget: QWidget) -> None:
            at = QPoint(3, 3)
            asks = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, at, widget.mapToGlobal(at))
            QApplication.postEvent(widget, asks)

        return self._with(QWidget, "ask for the menu of", ask)

    def _do_action(self) -> str:
        known = [action for action in self._window.findChildren(QAction) if action.isEnabled()]
        keyed = [action for action in known if not action.shortcut().isEmpty() and not _quits(action)]
        action = self.chance.choice(keyed)
        action.trigger()
        return f"{action.text()} ({action.shortcut().toString()})"

    def _press_key(self) -> str:
        self._key(QApplication.focusWidget() or self._window, KEYS)
        return "press a key"

    def _use_menu(self, menu: QMenu) -> str:
        able = [a for a in menu.actions() if a.isEnabled() and not a.isSeparator() and not _quits(a)]
        if not able or self.chance.random() < 0.3:
            menu.close()
            return "close the menu"
        action = self.chance.choice(able)
        text = action.text()
        QTest.mouseClick(menu, LEFT, NONE, menu.actionGeometry(action).center())
        return f"menu: {text}"

    def _with(
        self,
        kind: type[Any] | tuple[type[Any], ...],
        does: str,
        act: Callable[[Any], object],
        fits: Callable[[QWidget], bool] = lambda _widget: True,
    ) -> str:
        above = QApplication.activePopupWidget() or QApplication.activeModalWidget()
        roots = [above] if above else [w for w in QApplication.topLevelWidgets() if w.isVisible()]
        there = [w for root in roots for w in (root, *root.findChildren(QWidget)) if w.isVisible() and w.isEnabled()]
        fitting = [w for w in there if isinstance(w, kind) and fits(w)]
        if not fitting:
            return f"{does}: nothing there"
        widget = self.chance.choice(fitting)
        said = f"{does} {type(widget).__name__} “{accessible_name(widget)[:40]}”"
        act(widget)
        return said

    def _key(self, widget: QWidget, keys: Sequence[Qt.Key]) -> None:
        _press(widget, self.chance.choice(keys))


def _press(widget: QWidget, key: Qt.Key | str) -> None:
    """Press and let go, as long as the widget is there: a press may take it away."""
    for act in (QTest.keyPress, QTest.keyRelease):
        if shiboken6.isValid(widget) and widget.isVisible():
            act(widget, key)  # type: ignore[call-overload]


def _quits(action: QAction) -> bool:
    return action.shortcut().toString() == "Ctrl+Q"
