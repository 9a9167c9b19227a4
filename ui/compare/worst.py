"""The frames that differ most, as small pictures of A beside B; a press goes there."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QIcon, QPixmap
from PySide6.QtWidgets import QGridLayout, QLabel, QToolButton, QWidget

from studio.core.words import tr
from ui.compare.measuring import WORST
from ui.compare.still import THUMB_SIZE, thumb_height
from ui.compare.viewmodel import CompareModel
from ui.theme.palette import set_role
from ui.theme.tokens import SPACE_XS
from ui.widgets.picture import as_qimage

_WIDTH = THUMB_SIZE[0] // 2
_COLUMNS = 2


class WorstFrames(QWidget):
    """Room for `WORST` buttons is kept from the moment the pair is open, so that nothing below them jumps."""

    def __init__(self, model: CompareModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self.buttons = [QToolButton() for _ in range(WORST)]
        self.captions = [QLabel() for _ in range(WORST)]
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setSpacing(SPACE_XS)
        for index, (button, caption) in enumerate(zip(self.buttons, self.captions, strict=True)):
            set_role(button, "picture")
            policy = button.sizePolicy()
            policy.setRetainSizeWhenHidden(True)
            button.setSizePolicy(policy)
            button.setFixedWidth(_WIDTH + SPACE_XS)
            button.clicked.connect(lambda _checked=False, index=index: self._on_pressed(index))
            set_role(caption, "faint")
            row, column = 2 * (index // _COLUMNS), index % _COLUMNS
            grid.addWidget(button, row, column)
            grid.addWidget(caption, row + 1, column, Qt.AlignmentFlag.AlignHCenter)
        model.worst_changed.connect(self.show_worst)
        model.pair_changed.connect(self._on_pair_changed)
        self._on_pair_changed()

    def _on_pair_changed(self) -> None:
        pair = self._model.pair
        infos = [clip.info for clip in (pair.a, pair.b)] if pair is not None else []
        shape = sum(info.width / info.height for info in infos) or 2 * 16 / 9
        for button in self.buttons:
            button.setIconSize(QSize(_WIDTH, (thumb_height(shape) + 1) // 2))
        self.show_worst()

    def show_worst(self) -> None:
        """Show the model's worst frames in the current language."""
        for index, button in enumerate(self.buttons):
            worst = self._model.worst[index] if index < len(self._model.worst) else None
            button.setVisible(worst is not None)
            if worst is None:
                self.captions[index].setText("")
                continue
            measures = self._model.measures_at(worst.position)
            pixmap = QPixmap.fromImage(as_qimage(worst.picture))
            button.setIcon(QIcon(pixmap))
            self.captions[index].setText(str(worst.position) + (f" · {measures.mad:.1f}" if measures else ""))
            name = tr("Go to frame {frame}", frame=worst.position)
            button.setToolTip(name)
            button.setAccessibleName(name)

    def _on_pressed(self, index: int) -> None:
        self._model.playback.pause()
        self._model.playback.seek(self._model.worst[index].position)
