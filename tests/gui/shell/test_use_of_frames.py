"""A picture that is looked at becomes part of a shot, from Compare, from the library, from the preview in Compose."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

import numpy as np
import pytest
from PIL import Image
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from tests.helpers.barcode import read
from tests.helpers.media_factory import write_clip
from tests.helpers.results import write_result
from tests.helpers.waiting import until
from tests.helpers.window import a_window
from ui.compare.view import CompareWorkspace
from ui.hand import Hand
from ui.library import LibraryWorkspace
from ui.studio import Studio

pytestmark = [
    pytest.mark.qt_log_ignore("This plugin does not support", extend=True),  # of menus, offscreen
    pytest.mark.timeout(300),  # a whole window on a busy machine
]
W = TypeVar("W", bound=QWidget)
KEY = (Qt.Key.Key_U, Qt.KeyboardModifier.ShiftModifier)


async def test_a_frame_of_the_result_in_compare_begins_the_next_shot(tmp_path: Path) -> None:
    a, b = (write_clip(tmp_path / name, frames=48) for name in ("source.mp4", "result.mp4"))
    async with a_window() as studio:
        hand = Hand(studio.window)
        studio.compare_files(a, b)
        await until(lambda: studio.compare.shown is not None, "the pair")
        studio.compare.playback.seek(30)
        hand.click("Use this picture")
        choose("A: frame 30 of source.mp4", "Begin the render with this picture")
        assert await added(studio, 1) == [("fl2va", "first", 30)]

        studio.window.go("go.compare")
        studio.compare.set_offset(4)
        studio.compare.playback.seek(40)
        picture = the(studio, CompareWorkspace).stage.first
        await press(picture)
        choose("B: frame 36 of result.mp4", "End the render on this picture")
        assert await added(studio, 2) == [("fl2va", "first", 30), ("fl2va", "last", 36)]


async def test_a_frame_of_a_result_in_the_library_becomes_a_reference(tmp_path: Path, own_home: Path) -> None:
    results = own_home / "Videos" / "H3 Studio"
    results.mkdir(parents=True)
    write_result(write_clip(results / "boat.mp4", frames=48), prompt="a boat")
    async with a_window() as studio:
        hand = Hand(studio.window)
        studio.window.go("go.library")
        page = the(studio, LibraryWorkspace)
        await until(lambda: studio.library.results.rowCount() == 1, "the result")
        page.grid.setCurrentIndex(studio.library.results.index(0))
        await until(lambda: studio.library.current is not None, "the result to be looked at")
        page.details.preview.go_to(17)
        hand.click("Use this picture")
        hand.choose("Add this picture to the references")
        assert await added(studio, 1) == [("ref2va", "reference", 17)]
        assert studio.window.workspace == "go.compose"

        studio.window.go("go.library")
        await press(page.details.preview.timeline)
        hand.choose("End the render on this picture")
        assert (await added(studio, 2))[1] == ("fl2va", "last", 17)


def the(studio: Studio, kind: type[W]) -> W:
    """The workspace of that kind."""
    (found,) = studio.window.findChildren(kind)
    return found


async def press(widget: QWidget) -> None:
    """Press the key of *Use this picture* with the keyboard on a widget."""
    widget.window().activateWindow()  # as a window manager does when a menu is gone
    widget.setFocus()
    await until(widget.hasFocus, "the keyboard")
    QTest.keyClick(widget, *KEY)


async def added(studio: Studio, count: int) -> list[tuple[str, str, int]]:
    """Kind of the shot, role and frame number of each reference, once there are so many and all are read."""
    await until(lambda: len(studio.compose.facts) == count, "the picture in the tray")
    shot = studio.compose.shot
    return [(shot.task, r.role, read(np.asarray(Image.open(r.path).convert("RGB")))) for r in shot.references]


def choose(head: str, entry: str) -> None:
    """Choose an entry below a heading of the menu that is open, as a pointer does."""
    (menu,) = [w for w in QApplication.topLevelWidgets() if isinstance(w, QMenu) and w.isVisible()]
    actions = menu.actions()
    below = actions[[action.text() for action in actions].index(head) :]
    wanted = next(action for action in below if action.text() == entry)
    QTest.mouseClick(menu, Qt.MouseButton.LeftButton, pos=menu.actionGeometry(wanted).center())
