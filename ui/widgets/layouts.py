"""What layouts of ours need besides what Qt's own can do.

An item of a layout is never asked for (`itemAt`, `takeAt`): PySide (6.11) keeps what it made of it after Qt has deleted
it, takes the next object at the same address for it, and crashes when that one ends. `takeAt` leaves the item alive as
well, and Qt goes on telling it, instead of the next one, what changes: a widget that is put back is given old sizes.
"""

from __future__ import annotations

from collections.abc import Container

from PySide6.QtWidgets import QLayout, QWidget


def widgets_of(layout: QLayout) -> list[QWidget]:
    """The widgets that lie in a layout itself, in its order (what lies in layouts within it does not count)."""
    host = layout.parentWidget()
    placed = [(layout.indexOf(child), child) for child in host.children() if isinstance(child, QWidget)] if host else []
    return [widget for index, widget in sorted(placed, key=lambda pair: pair[0]) if index >= 0]


def empty(layout: QLayout, keep: Container[QWidget] = ()) -> None:
    """Take all widgets out of a layout; those but `keep` are deleted.

    Later, from the loop: one of them may be the button whose click led here.
    """
    for widget in widgets_of(layout):
        layout.removeWidget(widget)
        if widget not in keep:
            widget.hide()
            widget.deleteLater()
