"""Draws the program's icon in the sizes that desktops look for: `python packaging/icons.py FOLDER`.

FOLDER is an icon theme's parent (`…/share/icons`): `hicolor/48x48/apps/h3studio.png` and so on, and the drawing itself.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

DRAWING = Path(__file__).resolve().parent.parent / "resources" / "icons" / "app" / "h3studio.svg"
SIZES = (16, 24, 32, 48, 64, 128, 256, 512)


def main() -> int:
    _app = QGuiApplication([])
    theme = Path(sys.argv[1]) / "hicolor"
    renderer = QSvgRenderer(str(DRAWING))
    for size in SIZES:
        image = QImage(size, size, QImage.Format.Format_ARGB32_Premultiplied)
        image.fill(Qt.GlobalColor.transparent)
        painter = QPainter(image)
        renderer.render(painter)
        painter.end()
        folder = theme / f"{size}x{size}" / "apps"
        folder.mkdir(parents=True, exist_ok=True)
        if not image.save(str(folder / "h3studio.png")):
            sys.stderr.write(f"{folder} cannot be written to.\n")
            return 1
    scalable = theme / "scalable" / "apps"
    scalable.mkdir(parents=True, exist_ok=True)
    shutil.copy(DRAWING, scalable)
    return 0


if __name__ == "__main__":
    sys.exit(main())
