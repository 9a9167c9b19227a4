"""What a prompt can mention: every reference of the shot, and the soundtracks of its clips."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QIcon, QPixmap

from studio.contract import Reference, mentions
from ui.compose.completion import Choice
from ui.compose.describe import plain_tag
from ui.compose.viewmodel import ComposeModel
from ui.theme.icons import icon

_HEIGHT = 32


def choices_of(model: ComposeModel) -> list[Choice]:
    """The lines of the list behind `@`, in the order of the tray."""
    return [
        Choice(mention, plain_tag(shown), reference.path.name, _picture(model, reference))
        for mention, shown in model.names.items()
        if (reference := model.shot.reference(mentions(mention)[0].ref_id)) is not None
    ]


def _picture(model: ComposeModel, reference: Reference) -> QIcon:
    image = model.thumbnail(reference)
    if image is None:
        return icon(reference.kind)
    return QIcon(QPixmap.fromImage(image.scaledToHeight(_HEIGHT, Qt.TransformationMode.SmoothTransformation)))
