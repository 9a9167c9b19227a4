"""What layouts of ours need besides what Qt's own can do."""

from __future__ import annotations

from collections.abc import Container

from PySide6.QtWidgets import QLayout, QWidget


def empty(layout: QLayout, keep: Container[QWidget] = ()) -> None:
    """Take everything out of a layout; its widgets but those of `keep` are deleted.

    Later, from the loop: one of them may be the button whose click led here.
    """
    while (item := layout.takeAt(0)) is not None:
        if (widget := item.widget()) is not None and widget not in keep:
            widget.hide()
            widget.deleteLater()
