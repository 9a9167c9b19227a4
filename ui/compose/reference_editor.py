"""One reference looked at closely: its exact pictures, played or one by one; in and out, crop, sound, and what the
server will see."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QHideEvent, QImage
from PySide6.QtWidgets import QHBoxLayout, QLabel, QMenu, QToolButton, QVBoxLayout, QWidget

from studio.contract import Crop, MediaFacts, Reference, planned
from studio.core.words import tr
from studio.media.frames import ClipInfo
from ui.compose.crop_frame import CropFrame
from ui.compose.crop_shapes import fill_shapes
from ui.compose.film import Film
from ui.compose.film_drawing import FilmDrawing
from ui.compose.frame_uses import fill_uses_and_onward
from ui.compose.ground import GroundButton
from ui.compose.marks_editor import MarksEditor
from ui.compose.moments import Moments
from ui.compose.player import Player
from ui.compose.ratio import middle
from ui.compose.seen import Seen, seen
from ui.compose.viewing import Viewing
from ui.compose.viewmodel import ComposeModel
from ui.theme.actions import make
from ui.theme.icons import icon
from ui.theme.palette import set_role
from ui.theme.tokens import SPACE_M, SPACE_XS
from ui.widgets.elided import FactsLabel
from ui.widgets.popup_button import PopupButton
from ui.widgets.timeline import Timeline

_GUTTER = 8


class ReferenceEditor(QWidget):
    """Edits one reference of the model whose file is read (`facts`). `close_media` lets go of the file."""

    closed = Signal()
    """Something else has opened its file, and this one's is closed."""

    def __init__(
        self, model: ComposeModel, reference: Reference, facts: MediaFacts, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._model, self._reference, self.facts = model, reference, facts
        self._moments = Moments(np.zeros(1))
        self._origin = 0.0
        """Where that clock begins on the file's."""
        self._viewing: Viewing | None = None
        self._what: Seen | None = None
        self.player = Player(self)
        self.frame = CropFrame()
        self.film = Film(_GUTTER)
        self._drawing = FilmDrawing(self.film, model.reading, facts, self)
        self.timeline = Timeline(gutter=_GUTTER)
        self.marks = MarksEditor(model, reference, facts, self.frame, self.timeline, _GUTTER)
        self.part, self.trouble, self.place = QLabel(), QLabel(wordWrap=True), QLabel()
        self.seen_line = FactsLabel()
        for label, role in ((self.part, "dim"), (self.seen_line, "faint"), (self.trouble, "bad"), (self.place, "dim")):
            set_role(label, role)
        self._make_tools()
        self._lay_out()
        self.frame.crop_changed.connect(self._on_crop)
        self.timeline.sought.connect(self._seek)
        self.marks.sought.connect(self._go)
        self.marks.shown_changed.connect(self._on_marking)
        self.timeline.range_changed.connect(self._on_range)
        self.player.moved.connect(self._on_played)
        self.player.playing_changed.connect(self.retranslate)
        self._open()
        self.show_reference(reference)

    def _make_tools(self) -> None:
        self.play = self._tool(self._on_play, "play")
        self.back, self.forward = self._tool(self._on_back, "step-back"), self._tool(self._on_forward, "step-forward")
        self.set_in, self.set_out = self._tool(self._on_in, "mark-in"), self._tool(self._on_out, "mark-out")
        self.whole = self._tool(self._on_whole, "fit")
        self.shapes = PopupButton("", self._fill_shapes, icon_name="crop")
        self.ground = GroundButton(self._model, self.facts)
        self.sound = self._tool(self._on_sound, "sound")
        self.as_seen = self._tool(self._show_as_seen, "server")
        self.as_seen.setCheckable(True)
        self.take = PopupButton("", self._fill_uses, icon_name="image")
        if self.facts.kind == "video":
            self.take.follow(uses := make("view.use", self.timeline))
            self.frame.addAction(uses)
        acts = (
            ("play.toggle", self._on_play),
            ("play.step_back", self._on_back),
            ("play.step_forward", self._on_forward),
            ("play.loop_in", self._on_in),
            ("play.loop_out", self._on_out),
        )
        for name, act in acts if self.facts.kind != "image" else ():
            action = make(name, self.timeline, act)
            if "step" not in name:  # the arrow keys move the crop there
                self.frame.addAction(action)
                self.marks.lane_box.addAction(action)

    def _tool(self, act: Callable[[], None], icon_name: str) -> QToolButton:
        button = QToolButton()
        button.setIcon(icon(icon_name))
        set_role(button, "quiet")
        button.clicked.connect(lambda _checked=False: act())
        return button

    def _lay_out(self) -> None:
        timed, pictured = self.facts.kind != "image", self.facts.kind != "audio"
        tools = QHBoxLayout()
        tools.setSpacing(0)
        for button in (self.play, self.back, self.forward, self.set_in, self.set_out, self.whole):
            tools.addWidget(button)
        tools.addWidget(self.place)
        tools.addStretch(1)
        for button in (self.sound, self.shapes, self.ground, self.as_seen, self.take):
            tools.addWidget(button)
        lines = QHBoxLayout()
        lines.setSpacing(SPACE_M)
        lines.addWidget(self.part)
        lines.addWidget(self.seen_line, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE_XS)
        column.addWidget(self.frame, 1)
        for below in (self.trouble, self.film, self.marks.lane_box, self.timeline):
            column.addWidget(below)
        column.addLayout(tools)
        column.addWidget(self.marks.tool_box)
        column.addLayout(lines)
        moving = (self.film, self.timeline, self.play, self.back, self.forward, self.set_in, self.set_out, self.whole)
        shown: tuple[tuple[bool, tuple[QWidget, ...]], ...] = (
            (timed, moving),
            (pictured, (self.frame, self.shapes, self.as_seen, self.seen_line)),
            (self.facts.kind == "video", (self.take, self.marks.toggle)),
        )
        for visible, parts in shown:
            for part in parts:
                part.setVisible(visible)
        self.sound.setVisible(self.facts.video is not None and self.facts.audio is not None)
        self.trouble.hide()

    @property
    def reference_id(self) -> str:
        """Which reference is edited."""
        return self._reference.id

    @property
    def is_shown(self) -> bool:
        """Whether its picture, or why there is none, can be seen."""
        return self.frame.image is not None or self.facts.kind == "audio" or self.trouble.isVisible()

    # Showing.

    def show_reference(self, reference: Reference) -> None:
        """Show another state of the same reference."""
        before, self._reference = self._reference, reference
        if reference.ground != before.ground:
            self._open_again()
        self.frame.show_crop(reference.crop)
        first, last = self._range()
        length = max(1, len(self._moments))
        self.film.show_range(first / length, (last + 1) / length)
        self.timeline.set_range(first, last)
        saw, self._what = self._what, seen(reference, self.facts, self._model.request)
        if self.as_seen.isChecked() and self._what != saw:
            self._show_as_seen()
        self.marks.show_reference(reference)
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
        keeps = self._reference.keep_sound
        self.sound.setIcon(icon("sound" if keeps else "sound-off"))
        self.play.setIcon(icon("pause" if self.player.playing else "play"))
        for widget, text in (
            (self.play, tr("Pause") if self.player.playing else tr("Play from here")),
            (self.back, tr("One frame back")),
            (self.forward, tr("One frame forward")),
            (self.set_in, tr("Begin here (I)")),
            (self.set_out, tr("End here (O)")),
            (self.whole, tr("Use all of it")),
            (self.sound, tr("Sound is sent: drop it") if keeps else tr("Sound is dropped: send it")),
            (self.as_seen, tr("Show what the server sees")),
        ):
            widget.setToolTip(text)
            widget.setAccessibleName(text)
        self.shapes.set_name(tr("Crop to a shape"))
        self.ground.show_reference(self._reference)
        self.timeline.setAccessibleName(tr("Frame of the clip"))
        self.frame.setAccessibleName(tr("Part of the picture that is sent"))
        self.marks.retranslate()
        self._show_place()

    def _show_place(self) -> None:
        n = min(self.timeline.value(), len(self._moments) - 1)
        seconds = self._moments.time(n)
        if self.facts.kind == "video":
            self.place.setText(
                tr("{n} / {frames} · {seconds:sec} s", n=n + 1, frames=len(self._moments), seconds=seconds)
            )
        elif self.facts.kind == "audio":
            self.place.setText(tr("{seconds:sec} s", seconds=seconds))

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        super().changeEvent(event)

    def hideEvent(self, event: QHideEvent) -> None:
        self.player.stop()
        super().hideEvent(event)

    # The file.

    def close_media(self) -> None:
        """Let go of the file; nothing is shown any more."""
        self._drawing.stop()
        self.player.stop()
        self.marks.close()
        viewing, self._viewing = self._viewing, None
        if viewing is not None:
            viewing.closed.disconnect(self._on_closed)
            viewing.close()

    def _open(self) -> None:
        if self.facts.kind == "audio":
            self._take_moments(Moments.of_sound(self.facts.duration or 0.0))
        else:
            viewing = self._viewing = self._model.reading.view(self.facts.path, self._reference.ground)
            viewing.opened.connect(self._on_opened)
            viewing.picture_ready.connect(self._on_picture)
            viewing.failed.connect(self._on_failed)
            viewing.closed.connect(self._on_closed)

    def _open_again(self) -> None:
        """The same pictures over another ground; the playhead stays."""
        if self._viewing is not None:
            self._viewing.closed.disconnect(self._on_closed)
            self._open()

    def _take_moments(self, moments: Moments) -> None:
        self._moments = moments
        self.timeline.set_frames(len(moments))
        first, _ = self._range()
        self.timeline.setValue(first)
        self.marks.take_moments(moments)
        self.show_reference(self._reference)
        if self.facts.kind != "image":
            self._drawing.draw(moments, self._origin, self._reference.ground)

    def _on_opened(self, info: ClipInfo) -> None:
        start = self.facts.video.start if self.facts.video else 0.0
        self._origin = float(info.times[0]) - start
        if info.frames == len(self._moments) > 1:
            self._drawing.draw(self._moments, self._origin, self._reference.ground)
        else:
            self._take_moments(Moments(info.times - self._origin))
        self._ask(self.timeline.value())

    def _on_picture(self, n: int, image: QImage) -> None:
        self.trouble.hide()
        self.frame.show_image(image)

    def _on_failed(self, sentence: str) -> None:
        self.trouble.setText(sentence)
        self.trouble.show()

    def _on_closed(self) -> None:
        self._viewing = None
        self.player.stop()
        self.closed.emit()

    def _seek(self, n: int) -> None:
        self.player.stop()
        self._ask(n)

    def _ask(self, n: int) -> None:
        """Show picture n; in the server's view the one before it that the server is given."""
        self._show_place()
        if self.as_seen.isChecked() and self._what is not None and self._what.moments:
            shown = Moments(np.array(self._what.moments))
            n = self._moments.at(shown.time(shown.at(self._moments.time(n))))
        if self._viewing is not None:
            self._viewing.ask(n)

    # Playing.

    def _on_play(self) -> None:
        if self.player.playing:
            self.player.stop()
        elif self._reference.keep_sound and self.facts.audio is not None and self.player.samples is None:
            self._model.reading.start(self._read_sound(), name=f"sound/{self.facts.path.name}")
        else:
            self._play()

    async def _read_sound(self) -> None:
        track = self.facts.video or self.facts.audio
        self.player.output = await self._model.reading.sound_output()
        if self.player.output is not None:
            self.player.samples = await self._model.reading.sound(self.facts.path, track.start if track else 0.0)
        self._play()

    def _play(self) -> None:
        """From the playhead to the out point; from the in point when the playhead stands outside or at the end."""
        first, last = self._range()
        at = self.timeline.value() if first <= self.timeline.value() < last else first
        if not self._reference.keep_sound:
            self.player.samples = None
        self.player.play(self._moments.time(at), self._moments.time(last + 1))

    def _on_played(self, seconds: float) -> None:
        n = min(self._moments.at(seconds), self._range()[1])
        if n != self.timeline.value():
            self.timeline.setValue(n)
            self._ask(n)

    def _on_back(self) -> None:
        self._nudge(-1)

    def _on_forward(self) -> None:
        self._nudge(1)

    def _nudge(self, frames: int) -> None:
        self._go(self.timeline.value() + frames)

    def _go(self, n: int) -> None:
        self.timeline.setValue(n)
        self._seek(self.timeline.value())

    # Acting.

    def _on_range(self, first: int, last: int) -> None:
        self._seek(first if first != self._range()[0] else last)
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

    def _on_sound(self) -> None:
        self.player.stop()
        self._model.keep_sound(self._reference.id, not self._reference.keep_sound)

    def _trim(self, first: int, last: int) -> None:
        self._model.trim(self._reference.id, *self._moments.cut(first, last))

    def _range(self) -> tuple[int, int]:
        return self._moments.part(self._reference)

    def _fill_shapes(self, menu: QMenu) -> None:
        fill_shapes(menu, self._take_shape, partial(self.frame.keep_shape, None))

    def _take_shape(self, ratio: float | None) -> None:
        self.frame.keep_shape(ratio)
        self._on_crop(None if ratio is None else middle(ratio, *(self.facts.shown_size or (1, 1))))

    def _fill_uses(self, menu: QMenu) -> None:
        fill_uses_and_onward(menu, self._model, self.facts.path, self.timeline.value(), self._range()[1])

    def _on_marking(self, on: bool) -> None:
        """Marks lie on the whole picture, and need the room of what is said about the part."""
        if on and self.as_seen.isChecked():
            self.as_seen.click()
        self.as_seen.setDisabled(on)
        self.frame.setFocusPolicy(Qt.FocusPolicy.NoFocus if on else Qt.FocusPolicy.StrongFocus)
        for label in (self.part, self.seen_line):
            label.setHidden(on)

    # What the server sees.

    def _show_as_seen(self) -> None:
        what = self._what if self.as_seen.isChecked() else None
        self.frame.show_as_seen(QSize(what.canvas.width, what.canvas.height) if what else None)
        if self.facts.kind == "video":
            self._ask(self.timeline.value())
            self._drawing.draw_as_seen(what)
