"""The prompt: tags are mentions that follow their cards; keys stay text; typing is undone in steps."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from tests.gui.compose.conftest import Desk, Media
from tests.helpers.waiting import until
from ui.theme.actions import ACTIONS


def _type(desk: Desk, text: str) -> None:
    QTest.keyClicks(desk.view.prompt.editor, text)


async def test_a_typed_tag_follows_its_card(desk: Desk, media: Media) -> None:
    first, second = await desk.add(media.clip, media.clip)
    _type(desk, "keep <Video 2> as it is")
    assert desk.model.shot.prompt == f"keep @{{{second}}} as it is"
    desk.model.move(second, 0)
    assert desk.view.prompt.editor.toPlainText() == "keep <Video 1> as it is"
    desk.model.remove(first)
    assert desk.view.prompt.editor.toPlainText() == "keep <Video 1> as it is"
    assert desk.model.shot.prompt == f"keep @{{{second}}} as it is"


async def test_a_mention_of_what_is_set_aside_keeps_its_reference(desk: Desk, media: Media) -> None:
    (ref,) = await desk.add(media.clip)
    _type(desk, "<Video 1>")
    desk.model.set_task("t2va")
    assert desk.view.prompt.editor.toPlainText() == "<clip.mp4>"
    _type(desk, "!")
    desk.model.set_task("ref2va")
    assert desk.model.shot.prompt == f"@{{{ref}}}!"
    assert desk.view.prompt.editor.toPlainText() == "<Video 1>!"


async def test_the_card_puts_its_tag_where_the_cursor_is(desk: Desk, media: Media) -> None:
    (ref,) = await desk.add(media.long)
    _type(desk, "turn into stone")
    cursor = desk.view.prompt.editor.textCursor()
    cursor.setPosition(5)
    desk.view.prompt.editor.setTextCursor(cursor)
    QTest.mouseClick(desk.view.tray.cards[ref].mention, Qt.MouseButton.LeftButton)
    assert desk.view.prompt.editor.toPlainText() == "turn <Video 1>into stone"
    _type(desk, " ")
    assert desk.view.prompt.editor.toPlainText() == "turn <Video 1> into stone"


async def test_the_cursor_stays_when_a_tag_before_it_changes(desk: Desk, media: Media) -> None:
    _, second = await desk.add(media.clip, media.sound)
    _type(desk, "hear <Audio 1> now")
    cursor = desk.view.prompt.editor.textCursor()
    cursor.setPosition(len("hear <Audio 1>"))
    desk.view.prompt.editor.setTextCursor(cursor)
    desk.model.set_aside(second, True)
    _type(desk, "|")
    assert desk.view.prompt.editor.toPlainText() == "hear <theme.wav>| now"


async def test_every_key_of_the_program_types_itself(desk: Desk) -> None:
    plain = [key for spec in ACTIONS.values() for key in spec.keys if len(key) == 1]
    assert plain
    editor = desk.view.prompt.editor
    editor.setFocus()
    for key in plain:
        QTest.keyClicks(editor, key.lower())
    assert editor.toPlainText() == "".join(plain).lower()
    QTest.keyClick(editor, Qt.Key.Key_Space)
    QTest.keyClick(editor, Qt.Key.Key_Delete)
    assert editor.toPlainText().endswith(" ")


async def test_undo_takes_back_typing_up_to_a_pause(desk: Desk) -> None:
    _type(desk, "first")
    await until(lambda: desk.model.shot.prompt == "first" and not desk.model._typing_pause.isActive(), "a pause")
    _type(desk, " second")
    editor = desk.view.prompt.editor
    QTest.keyClick(editor, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert editor.toPlainText() == "first"
    QTest.keyClick(editor, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert editor.toPlainText() == ""
    shift = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    QTest.keyClick(editor, Qt.Key.Key_Z, shift)
    assert editor.toPlainText() == "first"


async def test_a_long_prompt_of_many_scripts_survives(desk: Desk) -> None:
    text = "雨 🌧 שלום\n" * 10_000
    desk.view.prompt.editor.insertPlainText(text)
    assert desk.model.shot.prompt == text
