"""What was asked for: how the requests of both results differ, or what made the result of this source."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QVBoxLayout, QWidget

from studio.core.words import mark, tr
from ui.compare.viewmodel import CompareModel
from ui.theme.palette import set_role, tokens
from ui.theme.tokens import SPACE_S, SPACE_XS
from ui.widgets.elided import ElidedLabel
from ui.widgets.icon_label import IconLabel

_NAMES = {
    "prompt": mark("Prompt"),
    "references": mark("References"),
    "seed": mark("Seed"),
    "steps": mark("Steps"),
    "frames": mark("Frame count"),
    "canvas": mark("Canvas"),
    "task": mark("Mode"),
    "flow_shift": mark("Flow shift"),
    "audio_flow_shift": mark("Sound flow shift"),
    "quality": mark("Quality"),
    "audio_mode": mark("Sound mode"),
    "server.version": mark("Server version"),
    "server.model": mark("Model"),
}
_ASKED = ("prompt", "seed", "steps")
"""Parts of the request that are said beside a source."""
_LONGEST = 24
"""Letters of a change that are shown; longer ones stand in the tooltip."""


_CONTEXT = 6
"""Words between two changes that are shown."""


class RecipeView(QWidget):
    """Hidden while there is no recipe."""

    def __init__(self, model: CompareModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._caption = QLabel()
        set_role(self._caption, "caption")
        self._lines = QWidget()
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(SPACE_XS)
        self._column.addWidget(self._caption)
        self._column.addWidget(self._lines)
        model.recipe_changed.connect(self.show_recipe)
        model.pair_changed.connect(self.show_recipe)
        self.show_recipe()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.PaletteChange:
            self.show_recipe()
        super().changeEvent(event)

    def show_recipe(self) -> None:
        """Show the model's recipe in the current language."""
        recipe = self._model.recipe
        self.setVisible(recipe is not None)
        if recipe is None:
            return
        self._caption.setText(tr("Recipe: A → B") if recipe.of == "results" else tr("Recipe of B"))
        fresh = QWidget()
        grid = QGridLayout(fresh)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(SPACE_S)
        grid.setColumnStretch(1, 1)
        lines = recipe.changed if recipe.of == "results" else [line for line in recipe.lines if line.name in _ASKED]
        for row, line in enumerate(lines):
            name = QLabel(tr(_NAMES.get(line.name, line.name)))
            set_role(name, "dim")
            text = ElidedLabel()
            change = f"{line.a} → {line.b}"
            short = change if len(change) <= _LONGEST else tr("differs")
            text.setText(short if recipe.of == "results" else line.b)
            text.setToolTip(f"A: {line.a}\n\nB: {line.b}" if recipe.of == "results" else line.b)
            grid.addWidget(name, row, 0)
            grid.addWidget(text, row, 1)
        if recipe.of == "results":
            row = len(lines)
            for line in lines:
                if line.name == "prompt":
                    grid.addWidget(_changed_words(line.a, line.b), row, 0, 1, 2)
                    row += 1
            self._add_judgement(grid, row, len(lines), ambiguous=recipe.ambiguous)
        self._column.replaceWidget(self._lines, fresh)
        self._lines.hide()
        self._lines.deleteLater()
        self._lines = fresh

    def _add_judgement(self, grid: QGridLayout, row: int, changed: int, *, ambiguous: bool) -> None:
        text = ""
        if not changed:
            text = tr("Both were asked for in the same way.")
        elif ambiguous:
            text = tr("{count} things changed at once, so none of them alone explains the difference.", count=changed)
        if not text:
            return
        label = QLabel(text, textFormat=Qt.TextFormat.PlainText, wordWrap=True)
        if ambiguous:
            icon = IconLabel("warning", "warn")
            icon.setAccessibleName(tr("Warning"))
            grid.addWidget(icon, row, 0, Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignRight)
        else:
            set_role(label, "dim")
        grid.addWidget(label, row, 1 if ambiguous else 0, 1, 1 if ambiguous else 2)


def _changed_words(a: str, b: str) -> QLabel:
    """The prompt with its changes: what is gone struck out in A's colour, what is new in B's; the rest shortened."""
    from studio.compare.recipe import word_diff

    t = tokens()
    styles = {
        "gone": f'<span style="color:{t.a}; text-decoration:line-through">{{}}</span>',
        "new": f'<b style="color:{t.b}">{{}}</b>',
        "same": f'<span style="color:{t.dim}">{{}}</span>',
    }
    pieces = word_diff(a, b)
    text = " ".join(
        styles[kind].format(escape(_cut(said) if kind == "same" else said.strip())) for kind, said in pieces
    )
    label = QLabel(text, textFormat=Qt.TextFormat.RichText, wordWrap=True)
    label.setAccessibleName(tr("Changed words of the prompt"))
    return label


def _cut(text: str) -> str:
    """Only what stands next to a change is of interest."""
    words = text.split()
    return text.strip() if len(words) <= _CONTEXT else f"{' '.join(words[:2])} … {' '.join(words[-2:])}"
