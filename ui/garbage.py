"""Garbage is collected on Qt's thread alone.

Python collects on whichever thread makes the object that is one too many, and a Qt object that ends on another thread
than its own can end the process. So Python's own collecting is off, and a timer does the same on the loop's thread.
"""

from __future__ import annotations

import gc
from typing import Final

from PySide6.QtCore import QObject, QTimer

_EVERY_MS: Final = 500


class GarbageTimer(QTimer):
    """Takes over from Python for as long as it lives."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent, interval=_EVERY_MS)
        self.timeout.connect(collect_due)
        gc.disable()
        self.start()


def collect_due() -> None:
    """Collect the oldest generation that Python would collect now, with those younger than it."""
    due = [count > limit for count, limit in zip(gc.get_count(), gc.get_threshold(), strict=True)]
    if any(due):
        gc.collect(max(generation for generation, is_due in enumerate(due) if is_due))
