"""The look is put on the whole application, switched while it runs, and icons and focus rings follow."""

import pytest
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QColor, QIcon, QImage, QPalette
from PySide6.QtWidgets import QApplication, QComboBox, QLineEdit, QPushButton, QSpinBox, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from ui.theme import icons, palette
from ui.theme.tokens import CONTROL_HEIGHT, tokens_of


def strongest(image: QImage) -> QColor:
    """The colour of the most opaque pixel."""
    pixels = (image.pixelColor(x, y) for x in range(image.width()) for y in range(image.height()))
    return max(pixels, key=lambda colour: colour.alpha())


def test_a_switch_changes_palette_and_tokens_and_is_told(qtbot: QtBot, qapp: QApplication) -> None:
    theme = palette.apply(qapp, "dark")
    assert qapp.palette().color(QPalette.ColorRole.Window) == QColor(tokens_of("dark").ground)
    with qtbot.waitSignal(theme.changed):
        assert palette.apply(qapp, "light") is theme
    assert palette.tokens() == tokens_of("light")
    assert qapp.palette().color(QPalette.ColorRole.Window) == QColor(tokens_of("light").ground)
    with qtbot.assertNotEmitted(theme.changed):
        theme.set_scheme("light")


def test_the_same_icon_follows_the_theme(qtbot: QtBot, qapp: QApplication) -> None:
    drawn = icons.icon("play")
    seen = []
    for name in ("dark", "light"):
        palette.apply(qapp, name)
        seen.append(strongest(drawn.pixmap(QSize(20, 20)).toImage()))
    assert seen == [QColor(tokens_of("dark").text), QColor(tokens_of("light").text)]


def test_an_icon_has_all_pixels_of_a_fine_screen(qtbot: QtBot) -> None:
    drawn = icons.icon("compare").pixmap(QSize(20, 20), 2.0)
    assert drawn.size() == QSize(40, 40)
    assert drawn.devicePixelRatio() == 2.0
    assert icons.pixmap("compare", 16, "dim", ratio=2.0).size() == QSize(32, 32)


def test_a_disabled_icon_is_faint(qtbot: QtBot) -> None:
    image = icons.icon("stop").pixmap(QSize(20, 20), QIcon.Mode.Disabled).toImage()
    assert strongest(image).alpha() < 160


@pytest.mark.parametrize("name", sorted(icons.names()))
def test_every_icon_draws_something(qtbot: QtBot, name: str) -> None:
    assert strongest(icons.pixmap(name, 20).toImage()).alpha() > 200


def test_an_unknown_icon_is_an_error(qtbot: QtBot) -> None:
    with pytest.raises(KeyError):
        icons.icon("no-such-icon")


def test_controls_are_of_one_height(qtbot: QtBot, qapp: QApplication) -> None:
    palette.apply(qapp, "dark")
    for kind in (QPushButton, QToolButton, QLineEdit, QSpinBox, QComboBox):
        widget = kind()
        qtbot.addWidget(widget)
        widget.ensurePolished()
        assert widget.sizeHint().boundedTo(widget.maximumSize()).height() == CONTROL_HEIGHT, kind


def test_the_ring_shows_for_the_keyboard_only(qtbot: QtBot, qapp: QApplication) -> None:
    palette.apply(qapp, "dark")
    window = QWidget()
    first, second = QLineEdit(window), QPushButton("b", window)
    second.move(200, 0)
    qtbot.addWidget(window)
    with qtbot.waitActive(window):
        window.show()
    first.setFocus()
    qtbot.keyClick(first, Qt.Key.Key_Tab)
    assert second.hasFocus()
    assert second.property("ring")
    qtbot.mousePress(first, Qt.MouseButton.LeftButton)
    assert not second.property("ring")
