"""Right of the pictures: what is under the pointer, what this frame measures, and the verdict with its numbers."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QLabel,
    QProgressBar,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from studio.core.words import mark, say, tr
from ui.compare.kept_view import KeptView
from ui.compare.probing import Rgb
from ui.compare.recipe import RecipeView
from ui.compare.viewmodel import CompareModel
from ui.compare.worst import WorstFrames
from ui.theme.palette import set_role
from ui.theme.tokens import SPACE_L, SPACE_M, SPACE_S, SPACE_XS
from ui.widgets.icon_label import IconLabel
from ui.widgets.layouts import empty

WIDTH = 248
_NONE = "–"
_VERDICTS = {
    "identical": mark("Identical"),
    "re-encode": mark("Encoded again"),
    "recoloured": mark("Recoloured"),
    "edited": mark("Edited"),
    "regenerated": mark("Regenerated"),
    "shifted": mark("Shifted"),
    "unrelated": mark("Unrelated"),
}
_MATRICES = {"bt601": "BT.601", "bt709": "BT.709", "bt2020": "BT.2020", "smpte240m": "SMPTE 240M", "rgb": "RGB"}
_RULES = {"tag": mark("by its tag"), "server": mark("untagged, from the server"), "size": mark("untagged, by size")}


class Panel(QScrollArea):
    """Reads the model; the only thing to press is *Export…*, which the workspace answers."""

    def __init__(self, model: CompareModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._probe: tuple[float, float] | None = None
        self.export_button = QPushButton()
        self._captions = {name: _label("caption") for name in ("probe", "frame", "worst", "verdict", "colours")}
        self._sides = {side: _label("dim", side) for side in "ABCD"}
        self._rgb = {side: [_number() for _ in range(3)] for side in "ABCD"}
        self._measures = {name: _number() for name in ("MAD", "PSNR", "SSIM")}
        self._verdict, self._why, self._colours = _label("title"), _label("dim"), _label("dim")
        self._faults = QVBoxLayout()
        self._progress = QProgressBar(textVisible=False)
        self._progress.setSizePolicy(_kept_room(self._progress))
        self.worst, self.recipe, self.kept = WorstFrames(model), RecipeView(model), KeptView(model)
        inside = QFrame()
        set_role(inside, "panel")
        column = QVBoxLayout(inside)
        column.setContentsMargins(SPACE_M, SPACE_M, SPACE_M, SPACE_M)
        column.setSpacing(SPACE_XS)
        self._fill(column)
        self.setWidget(inside)
        self.setWidgetResizable(True)
        self.setFixedWidth(WIDTH)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        model.shown_changed.connect(self._show_frame)
        model.measured.connect(self._show_measures)
        model.measuring.connect(self._show_progress)
        model.measures.grew.connect(self._show_frame)
        model.pair_changed.connect(self.retranslate)
        model.offset_changed.connect(self._show_frame)
        self.retranslate()

    def set_probe(self, x: float, y: float) -> None:
        """Read the colours at a place, in shares (0…1) of width and height."""
        self._probe = (x, y)
        self._show_probe()

    def clear_probe(self) -> None:
        """The pointer left the pictures."""
        self._probe = None
        self._show_probe()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        super().changeEvent(event)

    def retranslate(self) -> None:
        """Set all texts in the current language."""
        self._captions["probe"].setText(tr("Under the pointer"))
        self._captions["worst"].setText(tr("Differ most: frame · MAD"))
        self._captions["verdict"].setText(tr("Verdict"))
        self._captions["colours"].setText(tr("Colours read as"))
        self.export_button.setText(tr("Export…"))
        self._progress.setAccessibleName(tr("Measuring"))
        self.worst.show_worst()
        self.recipe.show_recipe()
        self._show_colours()
        self._show_measures()

    def _fill(self, column: QVBoxLayout) -> None:
        column.addWidget(self._captions["verdict"])
        column.addWidget(self._verdict)
        column.addWidget(self._why)
        column.addWidget(self._progress)
        column.addLayout(self._faults)
        column.addSpacing(SPACE_L)
        column.addWidget(self.kept)
        column.addWidget(self._captions["frame"])
        measures = QGridLayout()
        for index, (name, value) in enumerate(self._measures.items()):
            measures.addWidget(_label("dim", name), index, 0)
            measures.addWidget(value, index, 1)
        column.addLayout(measures)
        column.addSpacing(SPACE_L)
        column.addWidget(self._captions["worst"])
        column.addWidget(self.worst)
        column.addSpacing(SPACE_M)
        column.addWidget(self.recipe)
        column.addSpacing(SPACE_M)
        column.addWidget(self._captions["probe"])
        column.addLayout(self._probe_grid())
        column.addSpacing(SPACE_L)
        column.addWidget(self._captions["colours"])
        column.addWidget(self._colours)
        column.addStretch()
        column.addSpacing(SPACE_S)
        column.addWidget(self.export_button)

    def _probe_grid(self) -> QGridLayout:
        grid = QGridLayout()
        for column, name in enumerate("RGB", 1):
            head = _label("faint", name)
            head.setAlignment(Qt.AlignmentFlag.AlignRight)
            grid.addWidget(head, 0, column)
        for row, (side, values) in enumerate(self._rgb.items(), 1):
            grid.addWidget(self._sides[side], row, 0)
            for column, value in enumerate(values, 1):
                grid.addWidget(value, row, column)
        return grid

    def _show_probe(self) -> None:
        found = self._model.colours_at(*self._probe) if self._probe is not None else ()
        there = self._model.pair.clips if self._model.pair else ()
        for number, (side, labels) in enumerate(self._rgb.items()):
            colour: Rgb | None = found[number] if number < len(found) else None
            self._sides[side].setVisible(number < max(2, len(there)))
            for index, label in enumerate(labels):
                label.setText(_NONE if colour is None else str(colour[index]))
                label.setVisible(number < max(2, len(there)))

    def _show_frame(self) -> None:
        shown, pair = self._model.shown, self._model.pair
        a, b = pair.numbers(shown.position) if shown and pair else (None, None)
        numbers = {side: _NONE if n is None else str(n) for side, n in (("a", a), ("b", b))}
        self._captions["frame"].setText(tr("Frame {a} of A, {b} of B", **numbers))
        found = self._model.measures_at(shown.position) if shown else None
        self._measures["MAD"].setText(f"{found.mad:.2f}" if found else _NONE)
        self._measures["PSNR"].setText(f"{found.psnr:.2f} dB" if found else _NONE)
        self._measures["SSIM"].setText(f"{found.ssim:.4f}" if found else _NONE)
        self._show_probe()

    def _show_progress(self, share: float) -> None:
        self._progress.setRange(0, 1000)
        self._progress.setValue(round(share * 1000))

    def _show_measures(self) -> None:
        comparison, measuring = self._model.comparison, self._model.is_measuring
        self._progress.setVisible(measuring)
        if comparison is None:
            self._verdict.setText(tr("Measuring…") if measuring else _NONE)
            self._why.setText("")
        else:
            self._verdict.setText(tr(_VERDICTS[comparison.verdict]))
            self._why.setText(comparison.verdict_text())
        self._show_faults()
        self._show_frame()

    def _show_faults(self) -> None:
        empty(self._faults)
        for fault in self._model.comparison.faults if self._model.comparison else ():
            self._faults.addWidget(_fault_row(say(fault.message.code, fault.message.params)))

    def _show_colours(self) -> None:
        pair = self._model.pair
        lines = []
        for side, clip in zip("ABCD", pair.clips if pair else (), strict=False):
            lines.append(f"{side}  {_MATRICES[clip.info.matrix]}, {tr(_RULES[clip.info.matrix_rule])}")
        self._colours.setText("\n".join(lines) or _NONE)


def _label(role: str, text: str = "") -> QLabel:
    label = QLabel(text, textFormat=Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    set_role(label, role)
    return label


def _kept_room(widget: QWidget) -> QSizePolicy:
    policy = widget.sizePolicy()
    policy.setRetainSizeWhenHidden(True)
    return policy


def _number() -> QLabel:
    label = QLabel(_NONE)
    label.setAlignment(Qt.AlignmentFlag.AlignRight)
    return label


def _fault_row(sentence: str) -> QWidget:
    row = QWidget()
    grid = QGridLayout(row)
    grid.setContentsMargins(0, SPACE_XS, 0, 0)
    grid.setColumnStretch(1, 1)
    icon = IconLabel("warning", "warn", row)
    icon.setAccessibleName(tr("Warning"))
    grid.addWidget(icon, 0, 0, Qt.AlignmentFlag.AlignTop)
    grid.addWidget(_label("", sentence), 0, 1)
    return row
