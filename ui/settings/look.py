"""Language and theme, changed while the window stands."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import QWidget

from studio.core.words import LANGUAGES, mark, tr
from ui.settings.section import Section
from ui.settings.viewmodel import SettingsModel
from ui.widgets.dropdown import Dropdown
from ui.widgets.segmented import Segmented


class LookSection(Section):
    """Follows the model."""

    def __init__(self, model: SettingsModel, parent: QWidget | None = None) -> None:
        super().__init__(mark("Look"), parent)
        self._model = model
        self.language = Dropdown()
        for code, name in ((None, ""), *LANGUAGES.items()):
            self.language.addItem(name, code)
        self.theme = Segmented(
            (("system", mark("As the system")), ("dark", mark("Dark")), ("light", mark("Light"))), mark("Theme")
        )
        self.add(mark("Language"), self.language)
        self.add(mark("Theme"), self.theme)
        self.language.activated.connect(lambda index: model.set_language(self.language.itemData(index)))
        self.theme.chosen.connect(model.set_theme)

    def refresh(self) -> None:
        """Show what the model knows, in the current language."""
        self.retranslate()
        self.language.setItemText(0, tr("As the system"))
        blocker = QSignalBlocker(self.language)
        self.language.setCurrentIndex(max(0, self.language.findData(self._model.present.language)))
        blocker.unblock()
        self.theme.set_current(self._model.present.theme)
