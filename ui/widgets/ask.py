"""The one kind of modal question: asked before something is lost, answered by what would be done."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QMessageBox, QWidget

from studio.core.words import tr
from ui.theme.palette import set_role


def ask_before(
    parent: QWidget, question: str, lost: str, act: str, then: Callable[[], object], *, keep: str | None = None
) -> QMessageBox:
    """Ask whether to `act` (the button's word) although `lost` is lost; calls `then` when the user agrees.

    All texts in the current language; `keep` is the other button's word, "Keep rendering" unless something else is to
    be lost. Does not block; Escape and Enter keep things as they are.
    """
    box = QMessageBox(QMessageBox.Icon.NoIcon, tr("H3 Studio"), question, parent=parent.window())
    box.setInformativeText(lost)
    yes = box.addButton(act, QMessageBox.ButtonRole.DestructiveRole)
    no = box.addButton(keep or tr("Keep rendering"), QMessageBox.ButtonRole.RejectRole)
    set_role(yes, "danger")
    box.setDefaultButton(no)
    box.setEscapeButton(no)
    yes.clicked.connect(lambda _checked=False: then())
    box.finished.connect(box.deleteLater)
    box.open()
    return box
