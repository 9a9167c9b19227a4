"""All templates and presets by mode: each drawn, with what it needs, what it costs here and what the model does."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import (
    QButtonGroup,
    QDialog,
    QFrame,
    QHBoxLayout,
    QLabel,
    QMenu,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from studio.core.words import mark, tr
from studio.presets import Preset
from ui.compose import preset_dialogs
from ui.compose.preset_card import PresetCard
from ui.compose.viewmodel import ComposeModel
from ui.theme.palette import set_role
from ui.theme.tokens import SPACE_L, SPACE_M, SPACE_S
from ui.widgets.flow import Flow
from ui.widgets.popup_button import PopupButton
from ui.widgets.segmented import Segmented

_SHELVES = (
    ("ref2va", mark("References")),
    ("fl2va", mark("Frames")),
    ("t2va", mark("Text only")),
    ("own", mark("Your own")),
)
_SIZE = (880, 640)


class Gallery(QDialog):
    """Chooses a preset and puts it on the shot. Shows the shelf of the shot's mode first."""

    def __init__(self, model: ComposeModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self.shelf = Segmented(_SHELVES, mark("Templates for"))
        self.cards: dict[str, PresetCard] = {}
        self._group = QButtonGroup(self)
        self._title, self._note, self._empty = QLabel(), QLabel(), QLabel()
        self.use_button, self.keep_button, self.import_button = QPushButton(), QPushButton(), QPushButton()
        self.more = PopupButton("", self._fill_menu)
        self._lay_out()
        self.shelf.chosen.connect(self._show_shelf)
        self.use_button.clicked.connect(self._use)
        self.keep_button.clicked.connect(self._keep)
        self.import_button.clicked.connect(self._import)
        model.presets.changed.connect(self._refill)
        self.shelf.set_current(model.shot.task)
        self._refill()
        self.retranslate()
        self.resize(*_SIZE)
        model.presets.costs_changed.connect(self._show_costs)
        model.presets.count_costs()

    @property
    def chosen(self) -> Preset | None:
        """The preset that is marked."""
        return next((card.preset for card in self.cards.values() if card.isChecked()), None)

    def retranslate(self) -> None:
        """Set the texts in the current language."""
        self.setWindowTitle(tr("Templates"))
        self._empty.setText(tr("Nothing here yet. Keep what is on the screen as a preset, or import one."))
        self.use_button.setText(tr("Use"))
        self.keep_button.setText(tr("Keep what is on the screen…"))
        self.import_button.setText(tr("Import…"))
        self.more.set_name(tr("More for this preset"))
        for card in self.cards.values():
            card.retranslate()
        self._show_chosen()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        super().changeEvent(event)

    def _lay_out(self) -> None:
        self._inside = Flow(spacing=SPACE_M)
        self._inside.setContentsMargins(SPACE_L, SPACE_S, SPACE_L, SPACE_S)
        scroll = QScrollArea(widgetResizable=True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.setWidget(self._inside)
        self._scroll = scroll
        set_role(self._empty, "dim")
        self._empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._empty.setWordWrap(True)
        head = QHBoxLayout()
        head.setContentsMargins(SPACE_L, SPACE_L, SPACE_L, SPACE_S)
        head.addWidget(self.shelf)
        head.addStretch()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(self._empty, 1)
        column.addWidget(scroll, 1)
        column.addWidget(self._foot())

    def _foot(self) -> QFrame:
        set_role(self._title, "title")
        self._note.setWordWrap(True)
        self._note.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._note.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._note.setMinimumHeight(4 * self.fontMetrics().lineSpacing())
        set_role(self.use_button, "primary")
        self.use_button.setDefault(True)
        buttons = QHBoxLayout()
        buttons.setSpacing(SPACE_S)
        buttons.addWidget(self.keep_button)
        buttons.addWidget(self.import_button)
        buttons.addStretch()
        buttons.addWidget(self.more)
        buttons.addWidget(self.use_button)
        foot = QFrame()
        set_role(foot, "panel")
        words = QVBoxLayout(foot)
        words.setContentsMargins(SPACE_L, SPACE_M, SPACE_L, SPACE_L)
        words.setSpacing(SPACE_S)
        words.addWidget(self._title)
        words.addWidget(self._note)
        words.addLayout(buttons)
        return foot

    # What is shown.

    def _show_shelf(self, _key: str) -> None:
        self._refill()

    def _refill(self) -> None:
        before, key = self.chosen, self.shelf.current()
        for card in self.cards.values():
            self._group.removeButton(card)
            card.hide()
            card.deleteLater()
        presets = self._model.presets
        wanted = presets.own if key == "own" else tuple(p for p in presets.all if p.task == key)
        self.cards = {preset.id: self._card(preset) for preset in wanted}
        self._empty.setVisible(not self.cards)
        self._scroll.setVisible(bool(self.cards))
        if self.cards:
            kept = before.id if before and before.id in self.cards else ""
            best = next(preset.id for preset in presets.fitting() if preset.id in self.cards)
            self.cards[kept or best].setChecked(True)
        self._show_costs()
        self._show_chosen()

    def _card(self, preset: Preset) -> PresetCard:
        default = self._model.presets.default_for(preset.task)
        card = PresetCard(preset, is_default=default is not None and default.id == preset.id, parent=self._inside)
        card.clicked.connect(self._show_chosen)
        card.used.connect(self._use)
        self._group.addButton(card)
        self._inside.add(card)
        card.show()
        return card

    def _show_chosen(self, _checked: bool = False) -> None:
        preset = self.chosen
        self.use_button.setEnabled(preset is not None)
        self.more.setEnabled(preset is not None)
        self._title.setText(tr(preset.title) if preset else "")
        self._note.setText(tr(preset.note) if preset and preset.note else self._parts_words(preset))

    def _parts_words(self, preset: Preset | None) -> str:
        if preset is None:
            return ""
        return tr("Sets: {parts}", parts=", ".join(preset_dialogs.part_names(preset.parts)))

    def _show_costs(self) -> None:
        for preset_id, card in self.cards.items():
            whole = not self._model.presets.lacking(card.preset)
            card.show_cost(self._model.presets.known_costs.get(preset_id), whole=whole)

    # What is done.

    def _use(self) -> None:
        if (preset := self.chosen) is not None:
            self.accept()
            self._model.presets.apply(preset)

    def _keep(self) -> None:
        preset_dialogs.ask_parts(self, tr("Keep as a preset"), "", frozenset({"mode", "prompt"}), self._on_kept)

    def _on_kept(self, title: str, parts: frozenset[str]) -> None:
        self._model.presets.keep(title, parts)
        self.shelf.set_current("own")
        self._refill()

    def _import(self) -> None:
        preset_dialogs.ask_imports(self, self._model.presets.take_in)

    def _fill_menu(self, menu: QMenu) -> None:
        preset = self.chosen
        if preset is None:
            return
        presets = self._model.presets
        default = presets.default_for(preset.task)
        if default is not None and default.id == preset.id:
            menu.addAction(tr("Begin new shots with nothing"), partial(presets.set_default, preset.task, None))
        else:
            menu.addAction(tr("Begin new shots of this mode so"), partial(presets.set_default, preset.task, preset))
        menu.addAction(tr("Export…"), partial(preset_dialogs.ask_export, self, preset, presets.export))
        if not presets.is_own(preset):
            return
        menu.addSeparator()
        menu.addAction(tr("Rename, choose its parts…"), partial(self._revise, preset))
        menu.addAction(tr("Replace by what is on the screen"), partial(presets.replace, preset, preset.parts))
        menu.addAction(tr("Delete…"), partial(self._delete, preset))

    def _revise(self, preset: Preset) -> None:
        preset_dialogs.ask_parts(
            self,
            tr("Rename, choose its parts"),
            preset.title,
            preset.parts,
            partial(self._model.presets.revise, preset),
            among=preset.parts,
        )

    def _delete(self, preset: Preset) -> None:
        preset_dialogs.ask_delete(self, preset, partial(self._model.presets.delete, preset))
