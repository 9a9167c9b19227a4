"""What one exact picture of a clip can become: a reference, the first or last frame, or where the next shot goes on."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtWidgets import QMenu

from studio.core.words import tr
from ui.compose.viewmodel import ComposeModel
from ui.widgets.frame_uses import fill_uses


def fill_uses_and_onward(menu: QMenu, model: ComposeModel, path: Path, picture: int, last: int) -> None:
    """Fill a menu for the picture at the playhead, and for the last one of the part that is sent."""
    fill_uses(menu, partial(model.add_frame, path, picture))
    menu.addSeparator()
    onward = menu.addAction(tr("Continue from the last frame of this part"), partial(model.continue_from, path, last))
    onward.setToolTip(
        tr("The next render begins with that picture. The model sees this one picture, not the motion before it.")
    )
    menu.setToolTipsVisible(True)
