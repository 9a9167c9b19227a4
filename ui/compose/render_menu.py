"""What else *Render* can do: several seeds at once, a smoke of the shape, and what a reference did."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QMenu, QMessageBox, QSpinBox, QWidget, QWidgetAction

from studio.contract import Reference
from studio.core.words import tr
from ui.compose.cost_text import time_range
from ui.compose.fields import name_field
from ui.compose.viewmodel import ComposeModel
from ui.theme.palette import set_role
from ui.theme.tokens import SPACE_M, SPACE_S
from ui.widgets.popup_button import PopupButton

SEEDS_MOST = 20


class RenderMenu(PopupButton):
    """The button beside *Render*."""

    def __init__(self, model: ComposeModel, parent: QWidget | None = None) -> None:
        super().__init__(tr("More ways to render"), self.fill, parent, icon_name="chevron-down")
        self._model = model

    def fill(self, menu: QMenu) -> None:
        """Put the entries in, in the current language and state."""
        seeds = QWidgetAction(menu)
        seeds.setDefaultWidget(SeedCount(self._model))
        menu.addAction(seeds)
        menu.addSeparator()
        menu.addAction(tr("Smoke this shape"), self._model.wishes.smoke)
        removable = self._model.wishes.removable()
        if removable:
            without = menu.addMenu(tr("What did this reference do?"))
            for reference in removable:
                own = self._model.tags.get(reference.id, ())
                name = f"{own[-1].strip('<>')}  ·  {reference.path.name}" if own else reference.path.name
                without.addAction(name, partial(self.ask_drafts, reference))

    def ask_drafts(self, reference: Reference) -> QMessageBox:
        """Say what two drafts cost, and render them when that is agreed to."""
        wishes = self._model.wishes
        pair = wishes.draft_pair(reference.id)
        known = self._model.estimate.together(pair)
        time = time_range(known[1]) if known and known[1] else tr("no history yet")
        box = QMessageBox(
            QMessageBox.Icon.NoIcon,
            tr("H3 Studio"),
            tr("What did “{name}” do?", name=reference.path.name),
            parent=self.window(),
        )
        box.setInformativeText(
            tr(
                "Two drafts with the same seed and {steps} steps are rendered, one of them without it, and opened side "
                "by side in Compare. Time: {time}.",
                steps=pair[0].steps,
                time=time,
            )
        )
        yes = box.addButton(tr("Render two drafts"), QMessageBox.ButtonRole.AcceptRole)
        no = box.addButton(tr("Cancel"), QMessageBox.ButtonRole.RejectRole)
        set_role(yes, "primary")
        box.setDefaultButton(no)
        box.setEscapeButton(no)
        yes.clicked.connect(lambda _checked=False: wishes.drafts_without(reference.id))
        box.finished.connect(box.deleteLater)
        box.open()
        return box

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self.set_name(tr("More ways to render"))
        super().changeEvent(event)


class SeedCount(QWidget):
    """How many seeds *Render* renders; stays as it is set."""

    def __init__(self, model: ComposeModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        label = QLabel(tr("Seeds to render"))
        self.box = QSpinBox(minimum=1, maximum=SEEDS_MOST, value=model.wishes.seeds)
        name_field(self.box, label.text())
        row = QHBoxLayout(self)
        row.setContentsMargins(SPACE_M, SPACE_S, SPACE_M, SPACE_S)
        row.setSpacing(SPACE_M)
        row.addWidget(label, 1)
        row.addWidget(self.box)
        self.setToolTip(tr("The first one keeps the seed that is shown; the others are drawn."))
        self.box.valueChanged.connect(model.wishes.set_seeds)
