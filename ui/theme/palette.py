"""Tokens → QPalette and stylesheet, for the whole application, switched while it runs."""

from __future__ import annotations

from importlib import resources
from string import Template
from typing import Literal

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QFont, QPalette
from PySide6.QtWidgets import QApplication, QWidget

from ui.theme.tokens import (
    CONTROL_HEIGHT,
    FOCUS_RING,
    ICON,
    ICON_LARGE,
    RADIUS_CARD,
    RADIUS_CONTROL,
    ThemeName,
    Tokens,
    mix,
    tokens_of,
)

Scheme = Literal["system", "dark", "light"]

_current: ThemeName = "dark"


def tokens() -> Tokens:
    """The colours of the theme that is on. Hand-painted widgets read them when they paint."""
    return tokens_of(_current)


def apply(app: QApplication, scheme: Scheme = "system") -> Theme:
    """Dress the application (Fusion, our palette and stylesheet) and follow the system when asked to.

    May be called again at any time; gives the application's one `Theme`.
    """
    theme = prepare(app, scheme)
    theme.dress()
    return theme


def prepare(app: QApplication, scheme: Scheme = "system") -> Theme:
    """The same without the stylesheet, which `Theme.dress` puts on once the window is made: widgets that are put
    together under a stylesheet look their styles up at every step."""
    theme = app.findChild(Theme) or Theme(app)
    theme.set_scheme(scheme)
    return theme


def set_role(widget: QWidget, role: str) -> None:
    """Give a widget another look of the stylesheet: a label "title", "caption", "dim", "faint", "good", "warn", "bad";
    a button "primary", "quiet", "danger", "toggle", "picture"; a frame "card", "panel"."""
    if widget.property("role") != role:
        widget.setProperty("role", role)
        if widget.testAttribute(Qt.WidgetAttribute.WA_WState_Polished):  # else it is looked at before it is shown
            repolish(widget)


def smaller(font: QFont) -> QFont:
    """The size of what is dim: a point smaller than `font`."""
    made = QFont(font)
    made.setPointSizeF(font.pointSizeF() - 1)
    return made


def repolish(widget: QWidget) -> None:
    """Have the stylesheet look at a widget's properties again."""
    widget.style().unpolish(widget)
    widget.style().polish(widget)
    widget.update()


class Theme(QObject):
    """The application's look. `changed` is emitted after a switch between dark and light."""

    changed = Signal()

    def __init__(self, app: QApplication) -> None:
        super().__init__(app)
        self._app = app
        self._scheme: Scheme = "system"
        self._shown = self._dressed = False
        app.setStyle("Fusion")
        app.setFont(_tabular(app.font()))
        app.styleHints().colorSchemeChanged.connect(self._on_system_changed)
        app.focusChanged.connect(_on_focus_changed)

    @property
    def scheme(self) -> Scheme:
        """What was asked for."""
        return self._scheme

    @property
    def name(self) -> ThemeName:
        """What is shown."""
        return _current

    def set_scheme(self, scheme: Scheme) -> None:
        """Show the dark or the light theme, or whichever the system prefers (dark when it does not say)."""
        self._scheme = scheme
        hints = self._app.styleHints()
        asked = {"dark": Qt.ColorScheme.Dark, "light": Qt.ColorScheme.Light, "system": Qt.ColorScheme.Unknown}[scheme]
        hints.setColorScheme(asked)
        system: ThemeName = "light" if hints.colorScheme() == Qt.ColorScheme.Light else "dark"
        self._show(system if scheme == "system" else scheme)

    def dress(self) -> None:
        """Put the stylesheet on, and keep it with the theme from now on."""
        if not self._dressed:
            self._dressed = True
            self._app.setStyleSheet(_stylesheet(_current, self._app.font()))

    def _on_system_changed(self) -> None:
        if self._scheme == "system":
            self.set_scheme("system")

    def _show(self, name: ThemeName) -> None:
        global _current
        if name == _current and self._shown:
            return
        _current, self._shown = name, True
        self._app.setPalette(_palette(tokens()))
        if self._dressed:
            self._app.setStyleSheet(_stylesheet(name, self._app.font()))
        self.changed.emit()


def _tabular(font: QFont) -> QFont:
    """`font` with figures of one width: numbers that change must not make their neighbours jump."""
    font.setFeature(QFont.Tag("tnum"), 1)
    return font


def _on_focus_changed(old: QWidget | None, new: QWidget | None) -> None:
    # The ring is for those who move by keyboard: a click shows by itself where it went.
    by_mouse = QApplication.mouseButtons() != Qt.MouseButton.NoButton
    for widget, ring in ((old, False), (new, not by_mouse)):
        if widget is not None and bool(widget.property("ring")) != ring:
            widget.setProperty("ring", ring)
            repolish(widget)


def _palette(t: Tokens) -> QPalette:
    role = QPalette.ColorRole
    table = {
        role.Window: t.ground,
        role.WindowText: t.text,
        role.Base: t.surface,
        role.AlternateBase: mix(t.text, t.surface, 0.03),
        role.Text: t.text,
        role.PlaceholderText: t.faint,
        role.Button: t.surface,
        role.ButtonText: t.text,
        role.BrightText: t.text,
        role.Highlight: t.accent,
        role.HighlightedText: t.on_accent,
        role.Accent: t.accent,
        role.Link: t.text,
        role.LinkVisited: t.text,
        role.ToolTipBase: t.raised,
        role.ToolTipText: t.text,
        role.Light: t.raised,
        role.Midlight: t.raised,
        role.Mid: t.line,
        role.Dark: t.line,
        role.Shadow: t.ground,
    }
    made = QPalette()
    for key, colour in table.items():
        made.setColor(key, QColor(colour))
    for key in (role.WindowText, role.Text, role.ButtonText):
        made.setColor(QPalette.ColorGroup.Disabled, key, QColor(mix(table[key], t.ground, 0.45)))
    return made


def _stylesheet(name: ThemeName, font: QFont) -> str:
    """resources/theme/style.qss with its `$places` filled: token roles, mixes of them, sizes and font sizes."""
    t = tokens_of(name)
    folder = resources.files("resources") / "theme"
    body = font.pointSizeF()
    return Template((folder / "style.qss").read_text("utf-8")).substitute(
        t.as_dict(),
        hover=mix(t.text, t.surface, 0.08),
        pressed=mix(t.text, t.surface, 0.14),
        border=mix(t.text, t.surface, 0.20),
        accent_hover=mix(t.ground, t.accent, 0.10),
        disabled=mix(t.text, t.surface, 0.40),
        radius=RADIUS_CONTROL,
        radius_card=RADIUS_CARD,
        ring=FOCUS_RING,
        icon=ICON,
        icon_large=ICON_LARGE,
        inner=CONTROL_HEIGHT - 2,
        ringed=CONTROL_HEIGHT - 2 * FOCUS_RING,
        title=f"{body + 3:g}",
        small=f"{body - 1:g}",
        caption=f"{body - 2:g}",
        images=str(folder / name),
    )
