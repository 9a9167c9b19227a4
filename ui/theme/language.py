"""Carries a change of language to the widgets: Qt's own LanguageChange event, sent when the catalogue switches.

A widget with texts of its own overrides `changeEvent`, and sets them again on `QEvent.Type.LanguageChange`.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QApplication

from studio.core.words import language_changed


def follow_language(app: QApplication) -> Callable[[], None]:
    """Tell every widget when the language changes, until the returned function is called."""

    def tell(_language: str) -> None:
        QCoreApplication.sendEvent(app, QEvent(QEvent.Type.LanguageChange))

    return language_changed.subscribe(tell)
