"""Above the pictures: which clips these are, how they are shown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from PySide6.QtCore import QEvent, QPointF, QSize, Qt
from PySide6.QtGui import QAction, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from studio.core.words import cut_seconds, mark, tr
from ui.compare.render import LAID_OVER
from ui.compare.viewmodel import CompareModel
from ui.theme.actions import ACTIONS, shown_key
from ui.theme.palette import set_role, tokens
from ui.theme.tokens import SPACE_L, SPACE_S, SPACE_XS
from ui.widgets.elided import ElidedLabel
from ui.widgets.picture import LETTER_SIZE, paint_letter
from ui.widgets.segmented import Segmented

_MODES = tuple(
    (mode, ACTIONS[f"compare.{mode}"].text) for mode in ("side", "wipe", "difference", "overlay", "flicker", "stacked")
)


_KINDS = (("absolute", mark("Absolute")), ("signed", mark("Signed")), ("heat", mark("Heat")))
_KIND_TIPS = {
    "absolute": mark("How far each colour is apart: black where A and B are equal"),
    "signed": mark("Which way: grey where they are equal, lighter where B is lighter"),
    "heat": mark("How far the most different colour is apart, as a heat map"),
}


_LATE_S = 0.02
"""Half a frame at 24 fps: clips are paired from their first pictures on, so a later start is said."""


class _Letter(QWidget):
    """The filled tab of a side."""

    def __init__(self, side: Literal["A", "B"]) -> None:
        super().__init__()
        self._side: Literal["A", "B"] = side
        self.setFixedSize(LETTER_SIZE)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        return LETTER_SIZE

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        paint_letter(painter, QPointF(0, 0), self._side, tokens())
        painter.end()


class Header(QWidget):
    """Names, modes, gain and zoom. `actions` are the workspace's, by id."""

    def __init__(self, model: CompareModel, actions: Mapping[str, QAction], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model, self._actions = model, actions
        self._names = ElidedLabel(), ElidedLabel()
        self._facts = QLabel(), QLabel()
        self.modes = Segmented(_MODES, mark("Mode"))
        self.kinds = Segmented(_KINDS, mark("Difference shown as"))
        self.gain = QWidget()
        self._gain_label, self._gain_value, self._zoom = QLabel(), QLabel(), QLabel()
        column = QVBoxLayout(self)
        column.setContentsMargins(SPACE_S, SPACE_S, SPACE_S, SPACE_S)
        column.setSpacing(SPACE_S)
        column.addLayout(self._names_row())
        column.addLayout(self._modes_row())
        self.modes.chosen.connect(model.set_mode)
        self.kinds.chosen.connect(model.set_kind)
        model.pair_changed.connect(self._show_pair)
        model.mode_changed.connect(self._show_mode)
        model.gain_changed.connect(self._show_gain)
        self._retranslate()

    def show_zoom(self, zoom: float) -> None:
        """Say how many screen pixels a picture pixel has."""
        self._zoom.setText(f"{zoom:.0%}".replace("%", " %"))

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def _names_row(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(SPACE_S)
        for side, name, facts in zip(("A", "B"), self._names, self._facts, strict=True):
            row.addWidget(_Letter("A" if side == "A" else "B"))
            row.addWidget(name)
            row.addWidget(facts)
            set_role(facts, "faint")
            if side == "A":
                row.addWidget(self._button("compare.swap"))
        row.addStretch(1)
        choose = self._button("compare.open")
        choose.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        row.addWidget(choose)
        return row

    def _modes_row(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(SPACE_XS)
        row.addWidget(self.modes)
        row.addSpacing(SPACE_L)
        inner = QHBoxLayout(self.gain)
        inner.setContentsMargins(0, 0, 0, 0)
        inner.setSpacing(SPACE_XS)
        set_role(self._gain_label, "dim")
        self._gain_value.setFixedWidth(self.fontMetrics().horizontalAdvance("×00"))
        self._gain_value.setAlignment(Qt.AlignmentFlag.AlignCenter)
        less, more = self._button("compare.gain_down"), self._button("compare.gain_up")
        less.setText("−")
        more.setText("+")
        inner.addWidget(self.kinds)
        inner.addSpacing(SPACE_S)
        for widget in (self._gain_label, less, self._gain_value, more):
            inner.addWidget(widget)
        policy = self.gain.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self.gain.setSizePolicy(policy)
        row.addWidget(self.gain)
        row.addStretch(1)
        set_role(self._zoom, "dim")
        row.addWidget(self._zoom)
        row.addWidget(self._button("view.zoom"))
        return row

    def _button(self, action: str) -> QToolButton:
        button = QToolButton()
        button.setDefaultAction(self._actions[action])
        set_role(button, "quiet")
        return button

    def _show_pair(self) -> None:
        pair = self._model.pair
        if pair is None:
            return
        for clip, title, name, facts in zip(
            (pair.a, pair.b), self._model.titles, self._names, self._facts, strict=True
        ):
            name.setText(title)
            name.setToolTip(str(clip.info.path))
            info = clip.info
            rate = f" · {info.fps:.4g} fps" if info.fps else ""
            late = tr(" · first picture at {s} s", s=cut_seconds(info.times[0])) if info.times[0] > _LATE_S else ""
            facts.setText(f"{info.width}×{info.height}{rate}{late}")
        self._show_mode()
        if pair.by_time:
            self._facts[1].setText(f"{self._facts[1].text()} · {tr('paired by time')}")

    def _show_mode(self) -> None:
        self.modes.set_current(self._model.mode)
        self.gain.setVisible(self._model.mode == "difference")
        for mode in LAID_OVER:
            self.modes.buttons[mode].setEnabled(self._model.can_lay_over)

    def _show_gain(self) -> None:
        self._gain_value.setText(f"×{self._model.gain}")

    def _retranslate(self) -> None:
        self._gain_label.setText(tr("Gain"))
        for mode, text in _MODES:
            self.modes.set_tip(mode, f"{tr(text)} ({shown_key(ACTIONS[f'compare.{mode}'])})")
        for kind, tip in _KIND_TIPS.items():
            self.kinds.set_tip(kind, tr(tip))
        self._show_pair()
        self._show_mode()
        self._show_gain()
