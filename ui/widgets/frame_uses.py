"""What an exact picture of a clip can become in a shot: the same choice wherever a clip is looked at."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

from PySide6.QtWidgets import QMenu

from studio.contract.shot import Role
from studio.core.words import mark, tr

_USES: Final[tuple[tuple[str, Role], ...]] = (
    (mark("Add this picture to the references"), "reference"),
    (mark("Begin the render with this picture"), "first"),
    (mark("End the render on this picture"), "last"),
)


def fill_uses(menu: QMenu, use: Callable[[Role], object]) -> None:
    """Put in what a picture can become; `use` is told which was chosen."""
    for text, role in _USES:
        menu.addAction(tr(text)).triggered.connect(partial(_chosen, use, role))


def _chosen(use: Callable[[Role], object], role: Role, _checked: bool = False) -> None:
    use(role)
