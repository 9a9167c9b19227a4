"""A whole editing session in the real window, once by mouse and once by keyboard alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, Qt, QUrl
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QWidget

from studio.contract import Shot
from studio.jobs import JobState
from tests.helpers import file_dialog
from tests.helpers.media_factory import clicks, write_clip
from tests.helpers.window import a_window
from ui.compose.reference_editor import ReferenceEditor
from ui.hand import CannotUse, Hand, accessible_name
from ui.studio import Studio

pytestmark = pytest.mark.timeout(300)  # a whole window, and programs beside it, on a busy machine

CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
MEND = "Trim to 345 frames*"


@pytest.fixture(autouse=True)
def clipboard_left_empty() -> Iterator[None]:
    """What a test put there must not outlive the interpreter."""
    yield
    QGuiApplication.clipboard().clear()


@pytest.fixture
def clip(tmp_path: Path) -> Path:
    return write_clip(tmp_path / "clip.mp4", frames=362, size=(384, 384), sound=clicks(362 / 24))


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)  # of menus, offscreen
async def test_by_mouse(clip: Path, tmp_path: Path) -> None:
    async with a_window() as studio:
        hand, model = Hand(studio.window), studio.compose
        blank = model.shot
        hand.click("Start server")
        hand.drop("Prompt", [clip])
        await hand.until(lambda: hand.there(MEND), "the finding about its length")
        hand.click(MEND)
        hand.click("Template *")
        QTest.keyClick(hand.find("Prompt"), Qt.Key.Key_A, CTRL)
        hand.write("Prompt", "turn it to stone: ")
        hand.click("Mention Video 1 in the prompt")
        hand.click("Trim Video 1 and look at it closely")
        editor = await opened(studio, hand)
        axis, y = editor.timeline.axis(), editor.timeline.height() // 2
        QTest.mouseClick(editor.timeline, Qt.MouseButton.LeftButton, pos=QPoint(round(axis.x(60)), y))
        hand.click("One frame forward")
        hand.click("Begin here (I)")
        box = editor.frame.part_on_screen()
        drag(editor.frame, box.bottomRight().toPoint() - QPoint(2, 2), (box.center() + box.bottomRight()).toPoint() / 2)
        finished = model.shot
        assert finished.references[0].start > 2.4 and finished.references[0].crop is not None
        assert finished.prompt.startswith("turn it to stone: @{")

        while hand.there("Undo"):
            hand.click("Undo")
        assert model.shot == blank
        while hand.there("Redo"):
            hand.click("Redo")
        assert model.shot == finished

        path = tmp_path / "stone.h3shot"
        hand.click("Save the shot")
        answer(await dialog(hand), path)
        await hand.until(lambda: model.is_saved, "the file")
        hand.click("Close stone")
        assert model.shot.references == ()
        hand.click("Recent shots")
        hand.choose("stone")
        await reopened_and_rendered(studio, hand, finished, lambda: hand.click("Render"))


async def test_by_keyboard_alone(clip: Path, tmp_path: Path) -> None:
    async with a_window() as studio:
        hand, model = Hand(studio.window), studio.compose
        blank = model.shot
        tab_to("Start server")
        press(Qt.Key.Key_Space)
        files = QMimeData()
        files.setUrls([QUrl.fromLocalFile(str(clip))])
        QGuiApplication.clipboard().setMimeData(files)
        tab_to("Prompt")
        press(Qt.Key.Key_V, CTRL)
        await hand.until(lambda: hand.there(MEND), "the finding about its length")
        tab_to(MEND)
        press(Qt.Key.Key_Space)
        tab_to("Template *")
        press(Qt.Key.Key_Space)
        tab_to("Prompt")
        press(Qt.Key.Key_A, CTRL)
        QTest.keyClicks(QApplication.focusWidget(), "turn it to stone: ")
        tab_to("Video 1*, clip.mp4")
        press(Qt.Key.Key_Return)
        tab_to("Video 1*, clip.mp4")
        press(Qt.Key.Key_Space)
        await opened(studio, hand)
        for key in (Qt.Key.Key_PageUp, Qt.Key.Key_Right, Qt.Key.Key_I):
            press(key)
        tab_to("Part of the picture that is sent")
        for key in (Qt.Key.Key_Left, Qt.Key.Key_Up):
            press(key, SHIFT)
        finished = model.shot
        assert finished.references[0].start > 0.7 and finished.references[0].crop is not None
        assert finished.prompt.startswith("turn it to stone: @{")

        while model.history.past:
            press(Qt.Key.Key_Z, CTRL)
        assert model.shot == blank
        while model.history.future:
            press(Qt.Key.Key_Z, CTRL | SHIFT)
        assert model.shot == finished

        path = tmp_path / "stone.h3shot"
        press(Qt.Key.Key_S, CTRL)
        answer(await dialog(hand), path)
        await hand.until(lambda: model.is_saved, "the file")
        press(Qt.Key.Key_W, CTRL)
        assert model.shot.references == ()
        press(Qt.Key.Key_O, CTRL)
        answer(await dialog(hand), path)
        await reopened_and_rendered(studio, hand, finished, lambda: press(Qt.Key.Key_Return, CTRL))


async def opened(studio: Studio, hand: Hand) -> ReferenceEditor:
    preview = studio.compose_page.preview
    await hand.until(lambda: preview.editor is not None and preview.editor.frame.image is not None, "the preview")
    assert preview.editor is not None
    return preview.editor


async def reopened_and_rendered(studio: Studio, hand: Hand, shot: Shot, render: Callable[[], None]) -> None:
    """The shot is back from its file; asked for, it is rendered as it stands."""
    await hand.until(lambda: studio.compose.shot == shot and not studio.compose.pending, "the shot to be open again")
    render()
    await hand.until(lambda: bool(studio.queue.jobs.jobs), "the job")
    await hand.until(lambda: studio.queue.jobs.jobs[0].state is JobState.DONE, "the render", within=180)
    (job,) = studio.queue.jobs.jobs
    assert job.shot == shot
    assert job.video is not None and job.video.stat().st_size > 0 and job.verified is not None


async def dialog(hand: Hand) -> QFileDialog:
    found: list[QFileDialog] = []

    def there() -> bool:
        found[:] = [d for d in hand.window.findChildren(QFileDialog) if d.isVisible()]
        return bool(found)

    await hand.until(there, "the file dialog")
    return found[0]


def answer(asked: QFileDialog, path: Path) -> None:
    owner = asked.parentWidget().window()
    file_dialog.answer(asked, path)
    owner.activateWindow()  # as a window manager does


def drag(widget: QWidget, start: QPoint, goal: QPoint) -> None:
    QTest.mousePress(widget, Qt.MouseButton.LeftButton, pos=start)
    QTest.mouseMove(widget, goal)
    QTest.mouseRelease(widget, Qt.MouseButton.LeftButton, pos=goal)


def press(key: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    """Press a key where the keyboard is."""
    focused = QApplication.focusWidget()
    assert focused is not None
    QTest.keyClick(focused, key, modifier)


def tab_to(name: str) -> None:
    """Press Tab until the keyboard is on a control of that name ("*" stands for any words)."""
    seen: list[str] = []
    head, _, tail = name.partition("*")
    for _ in range(120):
        press(Qt.Key.Key_Tab)
        focused = QApplication.focusWidget()
        seen.append(accessible_name(focused) if focused else "")
        if seen[-1] == name or ("*" in name and seen[-1].startswith(head) and seen[-1].endswith(tail)):
            return
    raise CannotUse(f"Tab never comes to “{name}”; it comes to: {', '.join(dict.fromkeys(seen))}")
