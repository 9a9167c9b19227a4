"""Two choices that are often misunderstood, each with what it truly does: size of reference clips, and quality."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QLabel, QSizePolicy, QVBoxLayout, QWidget

from studio.contract import edits
from studio.contract.shot import Reference, Shot
from studio.core.words import mark, tr
from ui.compose.viewmodel import ComposeModel
from ui.theme.palette import set_role
from ui.theme.tokens import SPACE_XS
from ui.widgets.segmented import Segmented

_EDGES: dict[str, int | None] = {"540": 540, "768": 768, "source": None}
_EDGE_WORDS = {
    "540": mark("Smallest upload. The server brings every clip to a short edge of 768: the same rows at any size."),
    "768": mark("All the detail that the model looks at. The same rows at any size."),
    "source": mark("More than the model looks at, and the largest upload. The same rows at any size."),
    "mixed": mark("The clips differ in size. The same rows at any size: only the upload changes."),
}
_QUALITIES: dict[str, str | None] = {"server": None, "high": "high", "lossless": "lossless"}
_QUALITY_WORDS = {
    "server": mark("As the server was started."),
    "high": mark(
        "Takes over parts of earlier steps: about a quarter less time where it was measured, some detail lost."
    ),
    "lossless": mark("Works out every step whole: the longest, and what other settings are compared with."),
}


class Choices(QWidget):
    """Shows the shot's choices; every change goes to the model as one step of undo."""

    def __init__(self, model: ComposeModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        sizes = (("540", mark("540 px")), ("768", mark("768 px")), ("source", mark("Source")))
        qualities = (("server", mark("Server's")), ("high", mark("High")), ("lossless", mark("Lossless")))
        self.clip_size = Segmented(sizes, mark("Size of reference clips"))
        self.quality = Segmented(qualities, mark("Quality"))
        self._size_title, self._size_words = QLabel(), QLabel()
        self._quality_title, self._quality_words = QLabel(), QLabel()
        self._sizes = QWidget()
        sizes_column, column = QVBoxLayout(self._sizes), QVBoxLayout(self)
        for layout in (sizes_column, column):
            layout.setContentsMargins(0, 0, 0, 0)
            layout.setSpacing(SPACE_XS)
        for words in (self._size_words, self._quality_words):
            set_role(words, "dim")
            words.setWordWrap(True)
            words.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        for line in (self._size_title, self.clip_size, self._size_words):
            sizes_column.addWidget(line)
        for part in (self._sizes, self._quality_title, self.quality, self._quality_words):
            column.addWidget(part)
        self.clip_size.chosen.connect(self._on_size)
        self.quality.chosen.connect(self._on_quality)
        self.refresh()
        self.retranslate()

    def refresh(self) -> None:
        """Show the model's shot."""
        shot = self._model.shot
        clips = _clips(shot)
        self._sizes.setVisible(bool(clips))
        edges = {clip.preparation.short_edge for clip in clips}
        edge = next((key for key, value in _EDGES.items() if edges == {value}), "mixed")
        if edge in self.clip_size.buttons:
            self.clip_size.set_current(edge)
        self._size_words.setText(tr(_EDGE_WORDS[edge]))
        quality = next((key for key, value in _QUALITIES.items() if value == shot.quality), "server")
        self.quality.set_current(quality)
        self._quality_words.setText(tr(_QUALITY_WORDS[quality]))

    def reveal(self) -> None:
        """Put the focus on the quality."""
        self.quality.buttons[self.quality.current()].setFocus(Qt.FocusReason.OtherFocusReason)

    def retranslate(self) -> None:
        """Set the texts in the current language."""
        self._size_title.setText(tr("Size of reference clips"))
        self._quality_title.setText(tr("Quality"))
        self.refresh()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        super().changeEvent(event)

    def _on_size(self, key: str) -> None:
        def change(shot: Shot) -> Shot:
            for clip in _clips(shot):
                shot = edits.set_short_edge(shot, clip.id, _EDGES[key])
            return shot

        self._model.edit(change, "edit.short_edge")

    def _on_quality(self, key: str) -> None:
        self._model.edit(lambda shot: edits.set_fields(shot, quality=_QUALITIES[key]), "edit.quality")


def _clips(shot: Shot) -> list[Reference]:
    return [reference for reference in shot.sent() if reference.kind == "video"]
