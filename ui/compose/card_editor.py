"""The lower part of an opened card: its exact pictures, in and out points, crop, and what the server will see."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QEvent, QSize, QTimer, Signal
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QHBoxLayout, QLabel, QMenu, QToolButton, QVBoxLayout, QWidget

from studio.contract import FPS, Crop, MediaFacts, Reference, planned
from studio.core.words import mark, tr
from studio.media.frames import ClipInfo
from ui.compose.crop_frame import CropFrame
from ui.compose.film import FILM_HEIGHT, Film
from ui.compose.seen import Seen, seen
from ui.compose.viewing import Viewing
from ui.compose.viewmodel import ComposeModel
from ui.theme.icons import icon
from ui.theme.palette import set_role
from ui.theme.tokens import SPACE_XS
from ui.widgets.popup_button import PopupButton
from ui.widgets.timeline import Timeline

_GUTTER = 8
_TILES = 8
_SHAPES = (
    (mark("Whole picture"), None),
    ("1:1", 1.0),
    ("4:3", 4 / 3),
    ("16:9", 16 / 9),
    ("3:4", 3 / 4),
    ("9:16", 9 / 16),
)
_SAME_S = 1e-4
_PAUSE_MS = 250
"""The film is drawn anew once a handle has rested that long."""


class CardEditor(QWidget):
    """Edits one reference of the model whose file is read (`facts`). `close_media` lets go of the file."""

    closed = Signal()
    """Another card has opened its file, and this one's is closed."""

    def __init__(
        self, model: ComposeModel, reference: Reference, facts: MediaFacts, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._model, self._reference, self.facts = model, reference, facts
        self._times: npt.NDArray[np.float64] = np.zeros(1)
        """When each picture is shown, in seconds of the reference's own clock."""
        self._origin = 0.0
        """Where that clock begins on the file's."""
        self._viewing: Viewing | None = None
        self._what: Seen | None = None
        self._drawing: asyncio.Task[None] | None = None
        self._redraw = QTimer(self, interval=_PAUSE_MS, singleShot=True)
        self._redraw.timeout.connect(self._draw_film)
        self.frame = CropFrame()
        self.film = Film(_GUTTER)
        self.timeline = Timeline(gutter=_GUTTER)
        self.part = QLabel()
        self.set_in = self._tool(self._on_in, "first")
        self.set_out = self._tool(self._on_out, "last")
        self.whole = self._tool(self._on_whole, "fit")
        self.shapes = PopupButton("", self._fill_shapes, icon_name="crop")
        self.as_seen = self._tool(self._on_as_seen, "server")
        self.as_seen.setCheckable(True)
        self.seen_line = QLabel()
        self.trouble = QLabel()
        for label, role in ((self.part, "dim"), (self.seen_line, "faint"), (self.trouble, "bad")):
            set_role(label, role)
            label.setWordWrap(True)
        self.frame.crop_changed.connect(self._on_crop)
        self.timeline.sought.connect(self._ask)
        self.timeline.range_changed.connect(self._on_range)
        self._lay_out()
        self._open()
        self.show_reference(reference)

    def _tool(self, act: Callable[[], None], icon_name: str) -> QToolButton:
        button = QToolButton()
        button.setIcon(icon(icon_name))
        set_role(button, "quiet")
        button.clicked.connect(act)
        return button

    def _lay_out(self) -> None:
        timed, pictured = self.facts.kind != "image", self.facts.kind != "audio"
        tools = QHBoxLayout()
        tools.setSpacing(0)
        tools.addWidget(self.part, 1)
        for button in (self.set_in, self.set_out, self.whole, self.shapes, self.as_seen):
            tools.addWidget(button)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, SPACE_XS, 0, 0)
        column.setSpacing(SPACE_XS)
        for widget in (self.frame, self.trouble, self.film, self.timeline):
            column.addWidget(widget)
        column.addLayout(tools)
        column.addWidget(self.seen_line)
        for widget in (self.film, self.timeline, self.set_in, self.set_out, self.whole):
            widget.setVisible(timed)
        for widget in (self.frame, self.shapes, self.as_seen, self.seen_line):
            widget.setVisible(pictured)
        self.trouble.hide()

    # Showing.

    def show_reference(self, reference: Reference) -> None:
        """Show another state of the same reference."""
        self._reference = reference
        self.frame.show_crop(reference.crop)
        first, last = self._range()
        length = max(1, len(self._times))
        self.film.show_range(first / length, (last + 1) / length)
        self.timeline.set_range(first, last)
        before, self._what = self._what, seen(reference, self.facts, self._model.request)
        if self.as_seen.isChecked() and self._what != before:
            self._show_as_seen()
        self.retranslate()

    def retranslate(self) -> None:
        """Set the texts in the current language."""
        plan = planned(self._reference, self.facts)
        self.seen_line.setText(self._what.line() if self._what else "")
        part = {"start": plan.start, "end": plan.start + plan.seconds, "frames": plan.frames}
        match self.facts.kind:
            case "video":
                self.part.setText(tr("{start:sec}–{end:sec} s · {frames} frames", **part))
            case "audio":
                self.part.setText(tr("{start:sec}–{end:sec} s", **part))
            case "image":
                self.part.setText(f"{plan.width} × {plan.height}")
        for widget, text in (
            (self.set_in, tr("Begin here")),
            (self.set_out, tr("End here")),
            (self.whole, tr("Use all of it")),
            (self.as_seen, tr("Show what the server sees")),
        ):
            widget.setToolTip(text)
            widget.setAccessibleName(text)
        self.shapes.set_name(tr("Crop to a shape"))
        self.timeline.setAccessibleName(tr("Frame of the clip"))
        self.frame.setAccessibleName(tr("Part of the picture that is sent"))

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        super().changeEvent(event)

    # The file.

    def close_media(self) -> None:
        """Let go of the file; nothing is shown any more."""
        self._redraw.stop()
        if self._drawing is not None:
            self._drawing.cancel()
        viewing, self._viewing = self._viewing, None
        if viewing is not None:
            viewing.closed.disconnect(self._on_closed)
            viewing.close()

    def _open(self) -> None:
        if self.facts.kind == "audio":
            self._take_times(np.arange(max(1, round((self.facts.duration or 0.0) * FPS))) / FPS)
        else:
            viewing = self._viewing = self._model.reading.view(self.facts.path)
            viewing.opened.connect(self._on_opened)
            viewing.picture_ready.connect(self._on_picture)
            viewing.failed.connect(self._on_failed)
            viewing.closed.connect(self._on_closed)

    def _take_times(self, times: npt.NDArray[np.float64]) -> None:
        self._times = times
        self.timeline.set_frames(len(times))
        first, _ = self._range()
        self.timeline.setValue(first)
        self.show_reference(self._reference)
        if self.facts.kind != "image":
            self._draw_film()

    def _on_opened(self, info: ClipInfo) -> None:
        start = self.facts.video.start if self.facts.video else 0.0
        self._origin = float(info.times[0]) - start
        self._take_times(info.times - self._origin)
        self._ask(self.timeline.value())

    def _on_picture(self, n: int, image: QImage) -> None:
        self.trouble.hide()
        self.frame.show_image(image)

    def _on_failed(self, sentence: str) -> None:
        self.trouble.setText(sentence)
        self.trouble.show()

    def _on_closed(self) -> None:
        self._viewing = None
        self.closed.emit()

    def _ask(self, n: int) -> None:
        """Show picture n; in the server's view the one before it that the server is given."""
        if self.as_seen.isChecked() and self._what is not None and self._what.moments:
            moments = np.array(self._what.moments)
            n = self._at(moments[max(0, int(np.searchsorted(moments, self._times[n] + _SAME_S)) - 1)])
        if self._viewing is not None:
            self._viewing.ask(n)

    # Acting.

    def _on_range(self, first: int, last: int) -> None:
        self._ask(first if first != self._range()[0] else last)
        self._trim(first, last)

    def _on_in(self) -> None:
        first = self.timeline.value()
        self._trim(first, max(first, self._range()[1]))

    def _on_out(self) -> None:
        last = self.timeline.value()
        self._trim(min(last, self._range()[0]), last)

    def _on_whole(self) -> None:
        self._model.trim(self._reference.id, 0.0, None)

    def _on_crop(self, crop: Crop | None) -> None:
        self._model.crop(self._reference.id, crop)

    def _on_as_seen(self) -> None:
        self._show_as_seen()

    def _trim(self, first: int, last: int) -> None:
        """Take the pictures `first` … `last`, to the moment when the next one would be shown."""
        start = 0.0 if first == 0 else round(float(self._times[first]), 6)
        end = None if last + 1 >= len(self._times) else round(float(self._times[last + 1]), 6)
        self._model.trim(self._reference.id, start, end)

    def _range(self) -> tuple[int, int]:
        """First and last picture of the part that is sent."""
        reference, times = self._reference, self._times
        first, last = self._at(reference.start), len(times) - 1
        if reference.end is not None:
            last = min(last, max(first, int(np.searchsorted(times, reference.end - _SAME_S)) - 1))
        return first, last

    def _at(self, seconds: float) -> int:
        """The picture on screen at a moment."""
        return max(0, int(np.searchsorted(self._times, seconds + _SAME_S, side="right")) - 1)

    def _fill_shapes(self, menu: QMenu) -> None:
        for name, ratio in _SHAPES:
            crop = None if ratio is None else self._middle(ratio)
            menu.addAction(tr(name), partial(self._on_crop, crop))

    def _middle(self, ratio: float) -> Crop | None:
        """The largest part of that shape, in the middle."""
        width, height = self.facts.shown_size or (1, 1)
        wide, high = min(1.0, ratio * height / width), min(1.0, width / height / ratio)
        return Crop(x=(1 - wide) / 2, y=(1 - high) / 2, width=wide, height=high) if wide < 1 or high < 1 else None

    # What the server sees.

    def _show_as_seen(self) -> None:
        what = self._what if self.as_seen.isChecked() else None
        self.frame.show_as_seen(QSize(what.canvas.width, what.canvas.height) if what else None)
        if self.facts.kind == "video":
            self._ask(self.timeline.value())
            self._redraw.start()

    def _draw_film(self) -> None:
        if self._drawing is not None:
            self._drawing.cancel()
        self._drawing = self._model.reading.start(self._drawn(), name=f"film/{self.facts.path.name}")

    async def _drawn(self) -> None:
        """Pictures all along the clip, or the two a second that the server's vision encoder is given."""
        reading, path, length = self._model.reading, self.facts.path, len(self._times)
        if self.facts.kind == "video":
            moments = [float(self._times[int((k + 0.5) * length / _TILES)]) for k in range(_TILES)]
            span = (0.0, 1.0)
            if self.as_seen.isChecked() and self._what is not None:
                moments = list(self._what.moments)
                span = (self._at(moments[0]) / length, min(1.0, (self._at(moments[-1] + 0.5) + 1) / length))
            strip = await reading.strip(path, [at + self._origin for at in moments], FILM_HEIGHT * 2)
            if not strip.isNull():
                self.film.show_strip(strip, span)
        if self.facts.audio is not None and (peaks := await reading.outline(path)) is not None:
            self.film.show_peaks(peaks)
