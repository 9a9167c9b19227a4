"""What presets ask: a name and which parts, where to, where from, and whether one may go. None blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QLabel,
    QLineEdit,
    QMessageBox,
    QVBoxLayout,
    QWidget,
)

from studio.core.files import safe_stem
from studio.core.words import mark, tr
from studio.presets import PARTS, SUFFIX, Preset
from ui.theme.palette import set_role
from ui.theme.tokens import SPACE_L, SPACE_S
from ui.widgets.ask import ask_before
from ui.widgets.file_dialogs import ask_files, ask_where_to

_NAME_WIDTH = 320
_NAMES = {
    "mode": mark("Mode"),
    "prompt": mark("Prompt"),
    "canvas": mark("Canvas"),
    "length": mark("Length"),
    "steps": mark("Steps"),
    "shifts": mark("Flow shifts"),
    "seed": mark("Seed"),
    "quality": mark("Quality"),
    "lora": mark("LoRA"),
    "long_video": mark("Long video"),
    "extra": mark("Extra parameters"),
    "notes": mark("Notes"),
}


def part_names(parts: Iterable[str]) -> list[str]:
    """The names of what a preset sets, in the order of the form."""
    chosen = set(parts)
    return [tr(_NAMES[part]) for part in PARTS if part in chosen]


class PartsDialog(QDialog):
    """A name, and a box for each part that a preset can set."""

    def __init__(self, title: str, name: str, parts: Iterable[str], among: Iterable[str], parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        chosen, offered = set(parts), set(among)
        self.name = QLineEdit(name)
        self.name.setAccessibleName(tr("Name of the preset"))
        self.name.setPlaceholderText(tr("Name of the preset"))
        self.name.setMaxLength(120)
        self.name.setMinimumWidth(_NAME_WIDTH)
        self.boxes = {part: QCheckBox(tr(_NAMES[part])) for part in PARTS if part in offered}
        caption = QLabel(tr("WHAT IT SETS"))
        set_role(caption, "caption")
        buttons = QDialogButtonBox()
        self.keep = buttons.addButton(tr("Keep"), QDialogButtonBox.ButtonRole.AcceptRole)
        set_role(self.keep, "primary")
        buttons.addButton(tr("Cancel"), QDialogButtonBox.ButtonRole.RejectRole)
        column = QVBoxLayout(self)
        column.setContentsMargins(SPACE_L, SPACE_L, SPACE_L, SPACE_L)
        column.setSpacing(SPACE_S)
        column.addWidget(self.name)
        column.addWidget(caption)
        for part, box in self.boxes.items():
            box.setChecked(part in chosen)
            box.toggled.connect(self._on_changed)
            column.addWidget(box)
        column.addWidget(buttons)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        self.name.textChanged.connect(self._on_changed)
        self._on_changed()

    @property
    def parts(self) -> frozenset[str]:
        """What is ticked."""
        return frozenset(part for part, box in self.boxes.items() if box.isChecked())

    def _on_changed(self, _value: object = None) -> None:
        self.keep.setEnabled(bool(self.name.text().strip() and self.parts))


def ask_parts(
    parent: QWidget,
    title: str,
    name: str,
    parts: Iterable[str],
    then: Callable[[str, frozenset[str]], object],
    *,
    among: Iterable[str] = PARTS,
) -> PartsDialog:
    """Ask for a name and parts among those offered."""
    dialog = PartsDialog(title, name, parts, among, parent)
    dialog.accepted.connect(lambda: then(dialog.name.text().strip(), dialog.parts))
    dialog.finished.connect(dialog.deleteLater)
    dialog.open()
    return dialog


def ask_imports(parent: QWidget, then: Callable[[list[Path]], object]) -> QFileDialog:
    """Ask for preset files to import."""
    return ask_files(parent, tr("Import presets"), then, names=_names())


def ask_export(parent: QWidget, preset: Preset, then: Callable[[Preset, Path], object]) -> QFileDialog:
    """Ask where to write a preset to."""
    suggested = Path(safe_stem(preset.title) + SUFFIX)
    return ask_where_to(parent, tr("Export the preset"), partial(then, preset), suggested=suggested, names=_names())


def ask_delete(parent: QWidget, preset: Preset, then: Callable[[], object]) -> QMessageBox:
    """Ask before a preset is lost."""
    question = tr("Delete “{name}”?", name=preset.title)
    lost = tr("The preset is gone then. Shots that were made with it stay as they are.")
    return ask_before(parent, question, lost, tr("Delete"), then, keep=tr("Keep"))


def _names() -> str:
    return f"{tr('Presets')} (*{SUFFIX})"
