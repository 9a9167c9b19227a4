"""Line icons that take their colour from the theme when they are painted, so that a theme switch needs no new icon."""

from __future__ import annotations

import functools
from importlib import resources

from PySide6.QtCore import QByteArray, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QIcon, QIconEngine, QPainter, QPixmap, QPixmapCache
from PySide6.QtSvg import QSvgRenderer

from ui.theme import palette

_FOLDER = resources.files("resources") / "icons"
_DISABLED_OPACITY = 0.4


@functools.cache
def names() -> frozenset[str]:
    """All icons there are (resources/icons/NAME.svg)."""
    return frozenset(entry.name.removesuffix(".svg") for entry in _FOLDER.iterdir() if entry.name.endswith(".svg"))


@functools.cache
def _drawing(name: str) -> str:
    if name not in names():
        raise KeyError(f"no icon {name!r}")
    return (_FOLDER / f"{name}.svg").read_text("utf-8")


def icon(name: str, role: str = "text") -> QIcon:
    """The icon of that name in the colour of a token role ("text", "dim", "bad", "on_accent", …).

    Raises KeyError for a name without a drawing.
    """
    _drawing(name)
    return QIcon(_SvgEngine(name, role))


def pixmap(name: str, size: int, role: str = "text", *, ratio: float = 1.0) -> QPixmap:
    """The icon as a pixmap of `size` device-independent pixels for a screen with that pixel ratio."""
    drawn = _render(name, QSize(round(size * ratio), round(size * ratio)), palette.tokens().as_dict()[role], 1.0)
    drawn.setDevicePixelRatio(ratio)
    return drawn


class _SvgEngine(QIconEngine):
    def __init__(self, name: str, role: str) -> None:
        super().__init__()
        self._name, self._role = name, role

    def clone(self) -> QIconEngine:
        return _SvgEngine(self._name, self._role)

    def pixmap(self, size: QSize, mode: QIcon.Mode, _state: QIcon.State) -> QPixmap:
        opacity = _DISABLED_OPACITY if mode is QIcon.Mode.Disabled else 1.0
        return _render(self._name, size, palette.tokens().as_dict()[self._role], opacity)

    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, state: QIcon.State) -> None:
        ratio = painter.device().devicePixelRatioF()
        drawn = self.pixmap(rect.size() * ratio, mode, state)
        drawn.setDevicePixelRatio(ratio)
        painter.drawPixmap(rect, drawn)


def _render(name: str, size: QSize, colour: str, opacity: float) -> QPixmap:
    """A drawing at `size` device pixels; Qt's own cache keeps it, bounded and cleared with the application."""
    key = f"h3-icon/{name}/{size.width()}x{size.height()}/{colour}/{opacity}"
    found = QPixmap()
    if QPixmapCache.find(key, found):
        return QPixmap(found)
    drawn = QPixmap(size)
    drawn.fill(Qt.GlobalColor.transparent)
    painter = QPainter(drawn)
    painter.setOpacity(opacity)
    svg = QSvgRenderer(QByteArray(_drawing(name).replace("currentColor", colour).encode()))
    svg.render(painter, QRectF(0, 0, size.width(), size.height()))
    painter.end()
    QPixmapCache.insert(key, drawn)
    return drawn
