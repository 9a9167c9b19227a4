"""For everyone: names, roles, the way of Tab, the focus ring, room for longer words. Every workspace, as it is."""

from __future__ import annotations

import asyncio
import gettext
import os
import random
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
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
from ui.theme.palette import Scheme
from ui.tour import lay_out_a_shot, renders_under_way

pytestmark = pytest.mark.timeout(300)  # a whole window, and programs beside it, on a busy machine


LOOKS: tuple[tuple[Scheme, str], ...] = (
    ("dark", "en"),
    ("light", "en"),
    ("light", "zh_CN"),
    ("dark", "zh_CN"),
    ("dark", "longer"),
)


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
            for scheme in ("light", "dark"):
                studio.preferences.set_theme(scheme)
                wrong += [f"{action}, {scheme}: no ring on {layout.what(w)}" for w in there if not _is_marked(w)]
        assert not wrong, "\n".join(wrong)
        QTest.keyClick(studio.window, Qt.Key.Key_F1)
        (sheet,) = studio.window.findChildren(KeySheet)
        assert sheet.isVisible() and not layout.clipped(sheet)
        sheet.close()


async def test_nothing_is_cut_off_or_covered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All that `python -m ui shots` shows of an empty studio, and a language whose words are 30 % longer."""
    async with a_window() as studio:
        await lay_out_a_shot(studio, tmp_path)
        wrong = [what for look in LOOKS async for what in faults_everywhere(studio, monkeypatch, *look)]
        assert not wrong, "\n".join(wrong)


async def test_nothing_is_cut_off_or_covered_while_it_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same with a render that runs, one that waits, and one that is looked at beside its source."""
    async with a_window() as studio:
        await lay_out_a_shot(studio, tmp_path)
        async with renders_under_way(studio):
            wrong = [what for look in LOOKS async for what in faults_everywhere(studio, monkeypatch, *look)]
        assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    "same", [test_nothing_is_cut_off_or_covered, test_nothing_is_cut_off_or_covered_while_it_works]
)
def test_neither_at_twice_the_density(same: Callable[..., object], tmp_path: Path) -> None:
    """The same in a process of its own: Qt reads the factor once."""
    argv = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--basetemp={tmp_path / 'own'}"]
    test = f"{__file__}::{same.__name__}"
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    done = subprocess.run([*argv, test], env=env | {"QT_SCALE_FACTOR": "2"}, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


async def test_every_template_fits_when_it_is_applied(tmp_path: Path) -> None:
    async with a_window() as studio:
        await lay_out_a_shot(studio, tmp_path)
        presets, wrong = studio.compose.presets, []
        for language in ("en", "zh_CN"):
            studio.preferences.set_language(language)
            for preset in presets.all:
                presets.apply(preset)
                wrong += [f"{language}, {preset.id}: {what}" for what in await _faults(studio.window)]
                studio.compose.undo()
        assert not wrong, "\n".join(wrong)


async def test_templates_one_after_another_leave_every_card_whole(tmp_path: Path) -> None:
    """Cards go between what is sent and what is set aside, and rows come and go, faster than Qt lays them out."""
    chance = random.Random(7)
    async with a_window() as studio:
        await lay_out_a_shot(studio, tmp_path)
        presets, wrong = studio.compose.presets, []
        for n in range(120):
            preset = chance.choice(presets.all)
            presets.apply(preset)
            await turns(chance.choice((1, 3, 10)))
            if n % 6 == 5:
                wrong += [f"{n}, {preset.id}: {what}" for what in await _faults(studio.window)]
            studio.compose.undo()
            await turns(chance.choice((1, 3, 10)))
        assert not wrong, "\n".join(wrong)


async def turns(count: int) -> None:
    """Let the loop go round so many times: Qt handles some of what was posted, or all of it."""
    for _ in range(count):
        await asyncio.sleep(0)


async def faults_everywhere(
    studio: Studio, monkeypatch: pytest.MonkeyPatch, theme: Scheme, language: str
) -> AsyncIterator[str]:
    """What is wrong in each workspace, in a theme and a language ("longer": the one with longer words)."""
    with monkeypatch.context() as patch:
        studio.preferences.set_theme(theme)
        studio.preferences.set_language("zh_CN" if language == "zh_CN" else "en")
        if language == "longer":
            patch.setattr(words, "_catalogue", Longer())
            words.language_changed.emit("en")
        async for action in visit(studio):
            for what in await _faults(studio.window):
                yield f"{theme}, {language}, {action}: {what}"


async def _faults(window: QWidget) -> list[str]:
    """What stays wrong when the layout has come to rest."""
    for _ in range(20):
        if not (found := [*layout.clipped(window), *layout.overlapping(window), *layout.nameless(window)]):
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
