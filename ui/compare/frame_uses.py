"""A button for what is made of the pictures that stand on the screen: references, first or last frames of a shot."""

from __future__ import annotations

from functools import partial

from PySide6.QtWidgets import QMenu

from studio.core.words import tr
from ui.compare.viewmodel import CompareModel
from ui.widgets.frame_uses import fill_uses
from ui.widgets.popup_button import PopupButton


class FrameUses(PopupButton):
    """Offers the picture of A and that of B at the playhead."""

    def __init__(self, model: CompareModel) -> None:
        super().__init__("", self._fill_uses, icon_name="image")
        self._model = model

    def _fill_uses(self, menu: QMenu) -> None:
        pair, playback = self._model.pair, self._model.playback
        if pair is None:
            return
        playback.pause()
        for side, clip, number in zip("AB", (pair.a, pair.b), pair.numbers(playback.position), strict=True):
            if number is not None:
                path = clip.info.path
                head = menu.addAction(tr("{side}: frame {frame} of {name}", side=side, frame=number, name=path.name))
                head.setEnabled(False)
                fill_uses(menu, partial(self._model.frame_wanted.emit, path, number))
                menu.addSeparator()
