"""For everyone: names, roles, the way of Tab, the focus ring, room for longer words. Every workspace, as it is."""

from __future__ import annotations

import asyncio
import gettext
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from studio.core import words
from tests.helpers import layout
from tests.helpers.window import a_window
from ui.keys import KeySheet
from ui.studio import Studio
from ui.tour import lay_out_a_shot


class Longer(gettext.NullTranslations):
    """English with 30 % more of it."""

    def gettext(self, message: str) -> str:
        return message + "~" * (3 * len(message) // 10)

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return self.gettext(msgid1 if n == 1 else msgid2)


async def visit(studio: Studio) -> AsyncIterator[str]:
    for action in studio.window.actions_shown:
        studio.window.go(action)
        await studio.settled()
        yield action


async def test_keyboard_and_assistive_technology_reach_everything_and_say_where_they_are() -> None:
    async with a_window() as studio:
        wrong: list[str] = []
        async for action in visit(studio):
            there = layout.focusable(studio.window)
            stops = layout.tab_stops(there[0])
            wrong += [f"{action}: {what}" for what in layout.nameless(studio.window)]
            wrong += [f"{action}: Tab misses {layout.what(w)}" for w in there if not layout.reached(w, stops)]
            wrong += [f"{action}: no focus ring on {layout.what(w)}" for w in there if not _is_marked(w)]
        assert not wrong, "\n".join(wrong)
        QTest.keyClick(studio.window, Qt.Key.Key_F1)
        (sheet,) = studio.window.findChildren(KeySheet)
        assert sheet.isVisible() and not layout.clipped(sheet)
        sheet.close()


async def test_nothing_is_cut_off_or_covered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A sample of what `python -m ui shots` shows, and a language whose words are 30 % longer."""
    async with a_window() as studio:
        await lay_out_a_shot(studio, tmp_path)
        wrong: list[str] = []
        for theme, language in (("dark", "en"), ("light", "zh_CN"), ("dark", "longer")):
            studio.preferences.set_theme("light" if theme == "light" else "dark")
            studio.preferences.set_language("zh_CN" if language == "zh_CN" else "en")
            if language == "longer":
                monkeypatch.setattr(words, "_catalogue", Longer())
                words.language_changed.emit("en")
            async for action in visit(studio):
                wrong += [f"{language}, {action}: {what}" for what in await _faults(studio.window)]
        assert not wrong, "\n".join(wrong)


async def _faults(window: QWidget) -> list[str]:
    """What stays wrong when the layout has come to rest."""
    for _ in range(20):
        if not (found := [*layout.clipped(window), *layout.overlapping(window)]):
            return []
        await asyncio.sleep(0.05)
    return found


def _is_marked(widget: QWidget) -> bool:
    """Whether a widget looks otherwise with the keyboard on it."""
    widget.clearFocus()
    before = widget.grab().toImage()
    widget.setFocus(Qt.FocusReason.TabFocusReason)
    after = widget.grab().toImage()
    widget.clearFocus()
    return before != after
