"""The shapes that a crop can be kept to."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtWidgets import QMenu

from studio.core.words import mark, tr

_SHAPES = (
    (mark("Whole picture"), None),
    ("1:1", 1.0),
    ("4:3", 4 / 3),
    ("16:9", 16 / 9),
    ("3:4", 3 / 4),
    ("9:16", 9 / 16),
)


def fill_shapes(menu: QMenu, take: Callable[[float | None], None], free: Callable[[], None]) -> None:
    """Offer the shapes (width over height; None: all of it), and none at all."""
    for name, ratio in _SHAPES:
        menu.addAction(tr(name), partial(take, ratio))
    menu.addAction(tr("Free"), free)
