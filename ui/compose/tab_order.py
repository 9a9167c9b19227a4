"""The way of the Tab key: as things are laid out, also for what came later than its neighbours."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLayout, QScrollArea, QSplitter, QWidget

from ui.widgets.flow import Flow
from ui.widgets.layouts import widgets_of


def follow_layout(root: QWidget) -> None:
    """Let Tab go through the controls of `root` in the order of its layouts."""
    stops = [w for w in _walk(root) if w.focusPolicy() & Qt.FocusPolicy.TabFocus]
    for before, after in pairwise(stops):
        QWidget.setTabOrder(before, after)


def _walk(widget: QWidget | None) -> Iterator[QWidget]:
    if widget is None:
        return
    yield widget
    if isinstance(widget, QScrollArea):
        yield from _walk(widget.widget())
    elif isinstance(widget, QSplitter):
        for index in range(widget.count()):
            yield from _walk(widget.widget(index))
    elif isinstance(widget, Flow):
        for child in widget.widgets():
            yield from _walk(child)
    elif (layout := widget.layout()) is not None:
        yield from _in_layout(layout)


def _in_layout(layout: QLayout) -> Iterator[QWidget]:
    within = [inner for inner in layout.children() if isinstance(inner, QLayout)]
    parts: list[QWidget | QLayout] = [*widgets_of(layout), *within]
    for part in sorted(parts, key=layout.indexOf):
        yield from _in_layout(part) if isinstance(part, QLayout) else _walk(part)
