"""Above the pictures: which clips these are, how they are shown."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from PySide6.QtCore import QEvent, QPointF, QSize, Qt
from PySide6.QtGui import QAction, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from studio.compare.compositing import LAID_OVER
from studio.core.words import cut_seconds, mark, tr
from studio.media.frames import ClipInfo
from ui.compare.pair import ClipPair
from ui.compare.viewmodel import MOST_CLIPS, CompareModel
from ui.theme.actions import ACTIONS, shown_key
from ui.theme.palette import set_role, tokens
from ui.theme.tokens import SPACE_L, SPACE_S, SPACE_XS
from ui.widgets.dropdown import Dropdown
from ui.widgets.elided import ElidedLabel, FactsLabel
from ui.widgets.picture import LETTER_SIZE, Side, Viewpoint, paint_letter
from ui.widgets.segmented import Segmented

# One word each: all of them and the controls of a difference must fit beside the panel in 1280 pixels.
_MODES = (
    ("side", mark("Side")),
    ("wipe", mark("Wipe")),
    ("difference", mark("Difference")),
    ("overlay", mark("Overlay")),
    ("flicker", mark("Flicker")),
    ("stacked", mark("Stacked")),
    ("grid", mark("All")),
    ("kept", mark("Kept")),
)
_KINDS = (
    ("absolute", mark("Absolute")),
    ("root", mark("Root")),
    ("signed", mark("Signed")),
    ("heat", mark("Heat")),
    ("luma", mark("Brightness")),
)
_KIND_TIPS = {
    "absolute": mark("How far each colour is apart: black where A and B are equal"),
    "root": mark("The square root of how far each colour is apart: small differences are seen beside large ones"),
    "signed": mark("Which way: grey where they are equal, lighter where B is lighter"),
    "heat": mark("How far the most different colour is apart, as a heat map"),
    "luma": mark("How far the brightness is apart: another colour that is as bright stays black"),
}


_FITS = (("fit", mark("B fits in")), ("fill", mark("B fills")), ("stretch", mark("B stretched")))
_FIT_TIPS = {
    "fit": mark("B has another shape than A: all of it is seen, between bars"),
    "fill": mark("B has another shape than A: it is cut to A's"),
    "stretch": mark("B has another shape than A: it is pulled to A's, as the measures see it"),
}


_ZOOMS = (("fit", mark("Fit")), ("100", mark("100 %")), ("fill", mark("Fill")))
_ZOOM_KEYS = {"fit": "view.zoom", "100": "view.zoom", "fill": "view.fill"}


_AMOUNTS = {
    "difference": mark("Gain"),
    "kept": mark("Gain"),
    "overlay": mark("Opacity of B"),
    "wipe": mark("Edge"),
}
_NAME = 120
"""Pixels of a name that its neighbours cannot take."""
_LATE_S = 0.02
"""Half a frame at 24 fps: clips are paired from their first pictures on, so a later start is said."""


class _Letter(QWidget):
    """The filled tab of a side."""

    def __init__(self, side: Side) -> None:
        super().__init__()
        self._side: Side = side
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
        self._names = ElidedLabel(kept=_NAME), ElidedLabel(kept=_NAME)
        self._facts = tuple(FactsLabel() for _ in "AB")
        self._scaled = QLabel()
        """Says that B is not seen in its own pixels."""
        self._beside_names = ElidedLabel(), ElidedLabel()
        self.beside = QWidget(), QWidget()
        self._beside_row = QWidget()
        self.modes = Segmented(_MODES, mark("Mode"))
        self.zooms = Segmented(_ZOOMS, mark("Zoom"))
        self.kinds = Dropdown()
        self.fits = Dropdown()
        self.gain = QWidget()
        self._gain_label, self._gain_value, self._zoom = QLabel(), QLabel(), QLabel()
        column = QVBoxLayout(self)
        column.setContentsMargins(SPACE_S, SPACE_S, SPACE_S, SPACE_S)
        column.setSpacing(SPACE_S)
        column.addLayout(self._names_row())
        self._fill_beside_row()
        column.addWidget(self._beside_row)
        column.addLayout(self._modes_row())
        self.modes.chosen.connect(model.set_mode)
        for kind, _ in _KINDS:
            self.kinds.addItem("", kind)
        self.kinds.activated.connect(lambda index: model.display.set_kind(self.kinds.itemData(index)))
        for fit, _ in _FITS:
            self.fits.addItem("", fit)
        self.fits.activated.connect(lambda index: model.display.set_fit(self.fits.itemData(index)))
        model.pair_changed.connect(self._show_pair)
        model.display.mode_changed.connect(self._show_mode)
        model.kept_parts.changed.connect(self._show_mode)
        model.display.look_changed.connect(self._show_look)
        self._retranslate()

    def show_zoom(self, zoom: float, viewpoint: Viewpoint) -> None:
        """Say how many screen pixels a picture pixel has, and how that came about."""
        self._zoom.setText(f"{zoom:.0%}".replace("%", " %"))
        asked = {None: "fit", "fill": "fill", 1.0: "100"}
        self.zooms.set_current(asked.get(viewpoint.zoom))

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def _names_row(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(SPACE_S)
        sides: tuple[Side, Side] = ("A", "B")
        for side, name, facts in zip(sides, self._names, self._facts, strict=True):
            row.addWidget(_Letter(side))
            row.addWidget(name)
            row.addWidget(facts)
            set_role(facts, "faint")
            if side == "A":
                row.addWidget(self._button("compare.swap"))
            else:
                set_role(self._scaled, "faint")
                row.addWidget(self._scaled)
        row.addStretch(1)
        set_role(self._zoom, "dim")
        # A fixed width: nothing jumps when the figure changes.
        self._zoom.setFixedWidth(self.fontMetrics().horizontalAdvance("3200 %"))
        self._zoom.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        row.addWidget(self._zoom)
        row.addWidget(self.zooms)
        row.addSpacing(SPACE_S)
        for action in ("compare.takes", "compare.add", "compare.open"):
            button = self._button(action)
            button.setVisible(self._actions[action].isVisible())
            self._actions[action].visibleChanged.connect(partial(_follow, button))
            row.addWidget(button)
        return row

    def _fill_beside_row(self) -> None:
        row = QHBoxLayout(self._beside_row)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(SPACE_L)
        sides: tuple[Side, Side] = ("C", "D")
        for side, part, name in zip(sides, self.beside, self._beside_names, strict=True):
            inner = QHBoxLayout(part)
            inner.setContentsMargins(0, 0, 0, 0)
            inner.setSpacing(SPACE_S)
            inner.addWidget(_Letter(side))
            inner.addWidget(name)
            promote = self._button(f"compare.promote_{side.lower()}")
            promote.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
            inner.addWidget(promote)
            row.addWidget(part)
        row.addStretch(1)

    def _modes_row(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(SPACE_XS)
        row.addWidget(self.modes)
        row.addSpacing(SPACE_L)
        inner = QHBoxLayout(self.gain)
        inner.setContentsMargins(0, 0, 0, 0)
        inner.setSpacing(SPACE_XS)
        set_role(self._gain_label, "dim")
        self._gain_value.setFixedWidth(self.fontMetrics().horizontalAdvance("100 %"))
        self._gain_value.setAlignment(Qt.AlignmentFlag.AlignCenter)
        less, more = self._button("compare.gain_down"), self._button("compare.gain_up")
        # Set again in another language, where the action would put its own text.
        self._steps = (less, "−"), (more, "+")
        inner.addWidget(self.kinds)
        inner.addWidget(self.fits)
        inner.addSpacing(SPACE_S)
        for widget in (self._gain_label, less, self._gain_value, more):
            inner.addWidget(widget)
        policy = self.gain.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self.gain.setSizePolicy(policy)
        row.addWidget(self.gain)
        row.addStretch(1)
        return row

    def _button(self, action: str) -> QToolButton:
        button = QToolButton(self)  # else showing it before it is laid out would open a window of its own
        button.setDefaultAction(self._actions[action])
        set_role(button, "quiet")
        return button

    def _show_pair(self) -> None:
        pair = self._model.pair
        if pair is None:
            return
        for clip, title, name, facts in zip(
            (pair.a, pair.b), self._model.titles[:2], self._names, self._facts, strict=True
        ):
            name.setText(title)
            name.setToolTip(str(clip.info.path))
            facts.setText(" · ".join(_said_of(clip.info)))
        for number, (part, name) in enumerate(zip(self.beside, self._beside_names, strict=True), 2):
            part.setVisible(number < len(pair.clips))
            if number < len(pair.clips):
                name.setText(self._model.titles[number])
                name.setToolTip(str(pair.clips[number].info.path))
        self._beside_row.setVisible(bool(pair.beside))
        self._actions["compare.add"].setEnabled(len(pair.clips) < MOST_CLIPS)
        if note := _pairing(pair):
            self._facts[1].setText(f"{self._facts[1].text()} · {note}")
        self._show_mode()

    def _show_mode(self) -> None:
        mode = self._model.mode
        self.modes.set_current(mode)
        self.gain.setVisible(mode in _AMOUNTS)
        self.kinds.setVisible(mode == "difference")
        self._scaled.setVisible(self._is_scaled(mode))
        self.fits.setVisible(mode in LAID_OVER and self._model.shapes_differ)
        for laid in LAID_OVER:
            self.modes.buttons[laid].setEnabled(self._model.can_lay_over)
        self.modes.buttons["grid"].setVisible(self._model.pair is not None and bool(self._model.pair.beside))
        self.modes.buttons["kept"].setVisible(self._model.kept_parts.clip is not None)
        self._show_look()

    def _is_scaled(self, mode: str) -> bool:
        """Whether B is not seen in its own pixels."""
        pair = self._model.pair
        if pair is None or mode not in {*LAID_OVER, "kept"}:
            return False
        a, b = pair.a.info, pair.b.info
        return (a.width, a.height) != (b.width, b.height)

    def _show_look(self) -> None:
        look, mode = self._model.display.look, self._model.mode
        self.kinds.setCurrentIndex(self.kinds.findData(look.kind))
        self.fits.setCurrentIndex(self.fits.findData(look.fit))
        self._gain_label.setText(tr(_AMOUNTS.get(mode, _AMOUNTS["difference"])))
        shares = {"overlay": look.opacity, "wipe": look.edge}
        self._gain_value.setText(f"{shares[mode] * 100:.0f} %" if mode in shares else f"×{look.gain}")

    def _retranslate(self) -> None:
        for mode, _ in _MODES:
            spec = ACTIONS[f"compare.{mode}"]
            self.modes.set_tip(mode, f"{tr(spec.text)} ({shown_key(spec)})")
        kept = tr("What was kept, as its difference to A (black: the same); what was made anew, as it is in B")
        self.modes.set_tip("kept", f"{kept} ({shown_key(ACTIONS['compare.kept'])})")
        for zoom, action in _ZOOM_KEYS.items():
            self.zooms.set_tip(zoom, f"{tr(ACTIONS[action].text)} ({shown_key(ACTIONS[action])})")
        self.kinds.setAccessibleName(tr("Difference shown as"))
        for index, (kind, name) in enumerate(_KINDS):
            self.kinds.setItemText(index, tr(name))
            self.kinds.setItemData(index, tr(_KIND_TIPS[kind]), Qt.ItemDataRole.ToolTipRole)
        self.fits.setAccessibleName(tr("How B, of another shape, lies over A"))
        for index, (fit, name) in enumerate(_FITS):
            self.fits.setItemText(index, tr(name))
            self.fits.setItemData(index, tr(_FIT_TIPS[fit]), Qt.ItemDataRole.ToolTipRole)
        self._scaled.setText(tr("· scaled to A's size"))
        for button, text in self._steps:
            button.setText(text)
        self._show_pair()
        self._show_mode()


def _said_of(info: ClipInfo) -> list[str]:
    """Size, rate, and when its first picture is shown if that is not at once."""
    said = [f"{info.width}×{info.height}"]
    if info.fps:
        said.append(f"{info.fps:.4g} fps")
    if info.times[0] > _LATE_S:
        said.append(tr("first picture at {s} s", s=cut_seconds(info.times[0])))
        said.append(tr("{frames} frames late", frames=round(float(info.times[0]) * info.fps)))
    return said


def _pairing(pair: ClipPair) -> str:
    """What is shown beside what, where that is a question: rates differ, or one clip starts later."""
    if pair.by_time:
        return tr("paired by time")
    starts = [float(clip.info.times[0]) for clip in (pair.a, pair.b)]
    return tr("paired by number") if abs(starts[0] - starts[1]) > _LATE_S else ""


def _follow(button: QToolButton) -> None:
    button.setVisible(button.defaultAction().isVisible())
