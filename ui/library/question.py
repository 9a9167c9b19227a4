"""The one question that Library asks: before results are deleted for good."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QMessageBox, QWidget

from studio.core.words import tr
from ui.theme.palette import set_role


def ask_before_emptying(parent: QWidget, size: str, then: Callable[[], object]) -> QMessageBox:
    """Ask whether what is in the trash, so much in all, may be deleted. Escape and Enter keep it; does not block."""
    box = QMessageBox(QMessageBox.Icon.NoIcon, tr("H3 Studio"), tr("Empty the trash?"), parent=parent.window())
    box.setInformativeText(tr("{size} of results are deleted for good, with their recipes and notes.", size=size))
    yes = box.addButton(tr("Empty the trash"), QMessageBox.ButtonRole.DestructiveRole)
    no = box.addButton(tr("Keep them"), QMessageBox.ButtonRole.RejectRole)
    set_role(yes, "danger")
    box.setDefaultButton(no)
    box.setEscapeButton(no)
    yes.clicked.connect(lambda _checked=False: then())
    box.finished.connect(box.deleteLater)
    box.open()
    return box
