"""Under the timeline: what is measured frame by frame, in pairs of rows of which one is seen."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QStackedLayout, QVBoxLayout, QWidget

from studio.core.words import mark, tr
from ui.compare.hearing import Heard
from ui.compare.sound_row import SoundRow
from ui.compare.spectrum import Spectrum
from ui.compare.viewmodel import CompareModel
from ui.compare.wave import Wave
from ui.theme.palette import set_role
from ui.theme.tokens import SPACE_M, SPACE_S, SPACE_XS
from ui.widgets.curve import Curve
from ui.widgets.frame_row import FrameRow
from ui.widgets.segmented import Segmented

if TYPE_CHECKING:
    from studio.compare.tracks import Track

_PAGES = (
    ("difference", mark("Difference")),
    ("change", mark("Change")),
    ("sound", mark("Sound")),
    ("spectrum", mark("Spectrum")),
)
_OF_SOUND = ("sound", "spectrum")
_HEARD: tuple[tuple[Heard, str], ...] = (("", mark("Mute")), ("A", "A"), ("B", "B"), ("A−B", "A−B"))
_LOWEST_SSIM = 0.9
_IN_STEP_MS = 20.0
"""Less than half a frame at 24 fps is nothing."""


class Rows(QWidget):
    """MAD and SSIM; how much each clip changes from frame to frame; both sounds. All click to the frame."""

    def __init__(self, model: CompareModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self.mad, self.ssim = Curve("MAD"), Curve("SSIM", decimals=3)
        self.change_a, self.change_b = Curve("A", decimals=2, role="a"), Curve("B", decimals=2, role="b")
        self.wave_a, self.wave_b = Wave("A"), Wave("B")
        self.spectrum_a, self.spectrum_b = Spectrum("A"), Spectrum("B")
        self.pages = Segmented(_PAGES, mark("Rows"))
        self.heard = Segmented(_HEARD, mark("Hear"))
        self.silent = QLabel()
        self._about = QLabel()
        self._stack = QStackedLayout()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE_XS)
        column.addLayout(self._head())
        column.addLayout(self._stack)
        for pair in (
            (self.mad, self.ssim),
            (self.change_a, self.change_b),
            (self.wave_a, self.wave_b),
            (self.spectrum_a, self.spectrum_b),
        ):
            self._stack.addWidget(_stacked(pair))
        self._connect()
        self.retranslate()

    def set_position(self, position: int) -> None:
        """Put the playhead at a frame."""
        for row in self._all:
            row.set_position(position)

    def retranslate(self) -> None:
        """Set all texts in the current language."""
        self.mad.setToolTip(tr("Mean absolute difference a frame, 0 to 255. Click to go there."))
        self.ssim.setToolTip(tr("Structural similarity a frame, 1 is equal. Click to go there."))
        for curve in (self.change_a, self.change_b):
            curve.setToolTip(
                tr("Difference to the frame before. A peak is a cut or a flash, zero a frozen frame. Lines: every 17.")
            )
        self.silent.setText(tr("No sound device"))
        self.silent.setToolTip(
            tr("The pictures play without sound. Connect one and open the clips again to hear them.")
        )
        self.wave_a.setAccessibleName(tr("Sound of A"))
        self.wave_b.setAccessibleName(tr("Sound of B"))
        self.spectrum_a.setAccessibleName(tr("Spectrum of A"))
        self.spectrum_b.setAccessibleName(tr("Spectrum of B"))
        for spectrum in (self.spectrum_a, self.spectrum_b):
            spectrum.setToolTip(tr("How loud each pitch is, from 50 Hz to 16 kHz, high on top. Click to go there."))
        self._show_sound()
        self._show_about()

    @property
    def _all(self) -> tuple[FrameRow, ...]:
        return self.mad, self.ssim, self.change_a, self.change_b, *self._of_sound

    @property
    def _of_sound(self) -> tuple[SoundRow, ...]:
        return self.wave_a, self.wave_b, self.spectrum_a, self.spectrum_b

    def _head(self) -> QHBoxLayout:
        head = QHBoxLayout()
        head.setSpacing(SPACE_S)
        head.addWidget(self.pages)
        head.addSpacing(SPACE_M)
        set_role(self._about, "dim")
        head.addWidget(self._about, 1)
        policy = self.heard.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self.heard.setSizePolicy(policy)
        head.addWidget(self.heard)
        set_role(self.silent, "dim")
        head.addWidget(self.silent)
        return head

    def _connect(self) -> None:
        model = self._model
        for row in self._all:
            row.clicked.connect(model.playback.seek)
        self.pages.chosen.connect(self._on_page_chosen)
        self.heard.chosen.connect(model.hearing.choose)
        model.pair_changed.connect(self._show_pair)
        model.measured.connect(self._show_measures)
        model.measures.grew.connect(self._show_measures)
        model.hearing.changed.connect(self._show_sound)
        model.offset_changed.connect(self.wave_b.set_late)
        model.offset_changed.connect(self.spectrum_b.set_late)

    def _on_page_chosen(self, page: str) -> None:
        self._stack.setCurrentIndex([key for key, _ in _PAGES].index(page))
        self._show_about()

    def _show_pair(self) -> None:
        positions = self._model.pair.positions if self._model.pair else 0
        for row in self._all:
            row.set_frames(positions)
        for row in (self.wave_b, self.spectrum_b):
            row.set_late(self._model.offset)
        self._show_measures()
        self._show_sound()

    def _show_measures(self) -> None:
        mad, ssim = self._model.curve("mad"), self._model.curve("ssim")
        self.mad.set_values(mad, 0.0, _top(mad))
        self.ssim.set_values(ssim, min(_LOWEST_SSIM, float(np.nanmin(ssim))) if len(ssim) else 0.0, 1.0)
        change_a, change_b = self._model.curve("self_a"), self._model.curve("self_b")
        # One scale for both, so that a calm clip looks calm beside a lively one.
        top = max(_lively(change_a), _lively(change_b))
        self.change_a.set_values(change_a, 0.0, top)
        self.change_b.set_values(change_b, 0.0, top)
        self._show_about()

    def _show_sound(self) -> None:
        hearing, pair = self._model.hearing, self._model.pair
        rows = (self.wave_a, self.spectrum_a), (self.wave_b, self.spectrum_b)
        for (wave, spectrum), track in zip(rows, hearing.tracks, strict=True):
            if track is not None and pair is not None:
                frames = track.seconds * pair.fps
                wave.set_outline(track.outline, len(track.outline) / frames)
                spectrum.set_levels(track.levels, track.levels.shape[1] / frames)
            else:
                note = tr("Reading the sound…") if hearing.reading else tr("No sound")
                for row in (wave, spectrum):
                    row.set_frames(row.frames)
                    row.set_note(note)
        self.heard.setVisible(hearing.can_play)
        self.silent.setVisible(hearing.lacks_output)
        self.heard.set_current(hearing.heard)
        self._show_about()

    def _show_about(self) -> None:
        self._about.setText(self._sound_text() if self.pages.current() in _OF_SOUND else "")

    def _sound_text(self) -> str:
        parts = []
        for side, track in zip("AB", self._model.hearing.tracks, strict=True):
            if track is None:
                continue
            text = _loudness(side, track)
            if track.is_clipped:
                text += tr(", clipped")
            if track.silent_s:
                text += tr(", {seconds:.1f} s silent", seconds=track.silent_s)
            parts.append(text)
        found = self._model.comparison
        if found is not None and found.sound.sync_ms is not None:
            parts.append(_in_step(found.sound.sync_ms))
        return "  ·  ".join(parts).replace("-", "−")


def _stacked(rows: tuple[QWidget, QWidget]) -> QWidget:
    page = QWidget()
    column = QVBoxLayout(page)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(SPACE_XS)
    for row in rows:
        column.addWidget(row, alignment=Qt.AlignmentFlag(0))
    return page


def _loudness(side: str, track: Track) -> str:
    found = track.loudness
    if found is None or found.integrated is None:
        return tr("{side} {level:.1f} dB RMS", side=side, level=track.level_db)
    return tr("{side} {lufs:.1f} LUFS, peak {peak:.1f} dBTP", side=side, lufs=found.integrated, peak=found.true_peak)


def _in_step(ms: float) -> str:
    if abs(ms) < _IN_STEP_MS:
        return tr("B's sound is in step")
    late = tr("B's sound is {ms:.0f} ms late", ms=ms)
    return late if ms > 0 else tr("B's sound is {ms:.0f} ms early", ms=-ms)


def _lively(values: NDArray[np.float64]) -> float:
    """The top of a scale of changes: a cut or a flash may go over it, so that block joints stay visible."""
    usual = 2 * float(np.nanpercentile(values, 95)) if len(values) else 0.0
    return next((step for step in (1.0, 2.0, 5.0, 10.0, 20.0, 50.0) if step >= usual), 255.0)


def _top(values: NDArray[np.float64]) -> float:
    """The top of the scale: the next of 5, 10, 20, 50… so that small differences do not look large."""
    highest = float(np.nanmax(values)) if len(values) else 0.0
    return next((step for step in (5.0, 10.0, 20.0, 50.0, 100.0) if step >= highest), 255.0)
