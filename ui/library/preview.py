"""The result that is looked at: its picture, and a timeline to scrub through its frames."""

from __future__ import annotations

from functools import partial

import numpy as np
from PySide6.QtCore import QEvent
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QHBoxLayout, QLabel, QMenu, QVBoxLayout, QWidget

from studio.contract.shot import FPS
from studio.core.words import cut_seconds, tr
from studio.jobs.library import Entry
from ui.library.viewmodel import LibraryModel
from ui.theme.actions import make
from ui.theme.palette import set_role
from ui.theme.tokens import SPACE_XS
from ui.widgets.frame_uses import fill_uses
from ui.widgets.picture import Frame, PictureView
from ui.widgets.popup_button import PopupButton
from ui.widgets.timeline import Timeline

_HEIGHT = 196


class Preview(QWidget):
    """Shows `model.current`: the thumbnail at once, exact frames once the timeline is used."""

    def __init__(self, model: LibraryModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._entry: Entry | None = None
        self._frame: Frame | None = None
        """What the view paints from must live as long as it is shown."""
        self.picture = PictureView()
        self.picture.setFixedHeight(_HEIGHT)
        self.timeline = Timeline()
        self.position = QLabel()
        set_role(self.position, "dim")
        self.uses = PopupButton("", self._fill_uses, icon_name="image")
        self.uses.follow(make("view.use", self))
        foot = QHBoxLayout()
        foot.addWidget(self.position, 1)
        foot.addWidget(self.uses)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE_XS)
        column.addWidget(self.picture)
        column.addWidget(self.timeline)
        column.addLayout(foot)
        self.timeline.sought.connect(self._on_sought)
        model.scrubbing.opened.connect(self._on_opened)
        model.scrubbing.shown.connect(self._on_shown)
        model.scrubbing.failed.connect(self.picture.set_note)
        model.poster_changed.connect(self._on_poster)
        self._retranslate()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def show_entry(self, entry: Entry) -> None:
        """Show a result; the same one again changes nothing but whether it is there."""
        is_new = self._entry is None or self._entry.id != entry.id
        self._entry = entry
        for part in (self.timeline, self.uses):
            part.setEnabled(not entry.missing)
        self.picture.set_note(tr("Not there any more") if entry.missing else "")
        if is_new:
            self._put(None)
            self.timeline.set_frames(entry.frames)
            self.timeline.setValue(0)
            self._say_length()

    def go_to(self, frame: int) -> None:
        """Show one frame."""
        self.timeline.setValue(frame)
        self._on_sought(frame)

    def _retranslate(self) -> None:
        self.picture.setAccessibleName(tr("Picture of the result"))
        self.timeline.setAccessibleName(tr("Frames"))
        self._say_length()

    def _fill_uses(self, menu: QMenu) -> None:
        if self._entry is not None:
            fill_uses(menu, partial(self._model.frame_wanted.emit, self._entry.video, self.timeline.value()))

    def _say_length(self) -> None:
        frames = self.timeline.maximum() + 1
        seconds = tr("{seconds} s", seconds=cut_seconds(frames / FPS))
        self.position.setText(tr("{frames} frames · {seconds}", frames=frames, seconds=seconds) if self._entry else "")

    def _say_position(self, frame: int) -> None:
        seconds, frames = cut_seconds(frame / FPS), self.timeline.maximum() + 1
        self.position.setText(tr("frame {frame}/{frames} · {seconds} s", frame=frame, frames=frames, seconds=seconds))

    def _on_sought(self, frame: int) -> None:
        self._say_position(frame)
        self._model.scrubbing.ask(frame)

    def _on_opened(self, frames: int) -> None:
        if frames != self.timeline.maximum() + 1:
            at = self.timeline.value()
            self.timeline.set_frames(frames)
            self.timeline.setValue(min(at, frames - 1))

    def _on_shown(self, number: int, frame: Frame) -> None:
        self.picture.set_note("")
        self._say_position(number)
        self._put(frame)

    def _on_poster(self, entry_id: int, image: QImage) -> None:
        if self._entry is not None and self._entry.id == entry_id and self._frame is None:
            self._put(_array(image))

    def _put(self, frame: Frame | None) -> None:
        self.picture.show_frame(frame)
        self._frame = frame


def _array(image: QImage) -> Frame:
    """(h, w, 4) BGRA of an image, as a copy."""
    image = image.convertToFormat(QImage.Format.Format_RGB32)
    rows = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine())
    return rows[:, : image.width() * 4].reshape(image.height(), image.width(), 4).copy()
