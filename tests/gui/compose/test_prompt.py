"""The prompt: mentions are chips that follow their cards; keys stay text; typing is undone in steps."""

from __future__ import annotations

import random

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QGuiApplication, QInputMethodEvent, QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from studio.contract import mention_of
from tests.gui.compose.conftest import Desk, Media
from tests.helpers.waiting import until
from ui.compose import long_lines, prompt_text
from ui.compose.chips import ChipLook
from ui.compose.prompt_editor import PromptEditor
from ui.compose.prompt_text import OBJECT
from ui.theme.actions import ACTIONS

SHIFT, CONTROL = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier


def _type(desk: Desk, text: str) -> None:
    QTest.keyClicks(desk.view.prompt.editor, text)


def _select_all(desk: Desk) -> QTextCursor:
    cursor = desk.view.prompt.editor.textCursor()
    cursor.select(QTextCursor.SelectionType.Document)
    desk.view.prompt.editor.setTextCursor(cursor)
    return cursor


async def test_a_typed_tag_becomes_a_chip_that_follows_its_card(desk: Desk, media: Media) -> None:
    first, second = await desk.add(*media.clips[:2])
    editor = desk.view.prompt.editor
    _type(desk, "keep <Video 2> as it is")
    assert desk.model.shot.prompt == f"keep {mention_of(second)} as it is"
    assert editor.document().toRawText() == f"keep {OBJECT} as it is"
    assert editor.shown() == "keep Video 2 as it is"
    desk.model.move(second, 0)
    assert editor.shown() == "keep Video 1 as it is"
    desk.model.remove(first)
    assert editor.shown() == "keep Video 1 as it is"
    assert desk.model.shot.prompt == f"keep {mention_of(second)} as it is"


async def test_a_removed_card_leaves_a_broken_chip_that_can_be_mended_or_undone(desk: Desk, media: Media) -> None:
    (ref,) = await desk.add(media.clip)
    editor = desk.view.prompt.editor
    _type(desk, "<Video 1> in snow")
    desk.model.remove(ref)
    look = editor._chips.looks[mention_of(ref)]
    assert (look.label, look.state) == ("Video 1", "gone")
    (row,) = [r for r in desk.view.prompt.findings.rows if r.finding.code == "prompt.mention.gone"]
    desk.model.undo()
    assert editor._chips.looks[mention_of(ref)].state == "sent"
    desk.model.redo()
    (row,) = [r for r in desk.view.prompt.findings.rows if r.finding.code == "prompt.mention.gone"]
    QTest.mouseClick(row.buttons[0], Qt.MouseButton.LeftButton)
    assert desk.model.shot.prompt == " in snow"


async def test_a_mention_of_what_is_set_aside_keeps_its_reference(desk: Desk, media: Media) -> None:
    (ref,) = await desk.add(media.clip)
    _type(desk, "<Video 1>")
    desk.model.set_task("t2va")
    assert desk.view.prompt.editor.shown() == media.clip.name
    assert desk.view.prompt.editor._chips.looks[mention_of(ref)].state == "unsent"
    _type(desk, "!")
    desk.model.set_task("ref2va")
    assert desk.model.shot.prompt == f"{mention_of(ref)}!"
    assert desk.view.prompt.editor.shown() == "Video 1!"


async def test_the_card_puts_its_chip_where_the_cursor_is(desk: Desk, media: Media) -> None:
    (ref,) = await desk.add(media.long)
    editor = desk.view.prompt.editor
    editor.insertPlainText("🌧 turn into stone")
    editor.go_to(len("🌧 turn "))
    QTest.mouseClick(desk.view.tray.cards[ref].mention, Qt.MouseButton.LeftButton)
    assert editor.shown() == "🌧 turn Video 1into stone"
    _type(desk, " ")
    assert desk.model.shot.prompt == f"🌧 turn {mention_of(ref)} into stone"


async def test_the_cursor_stays_when_a_chip_before_it_changes(desk: Desk, media: Media) -> None:
    _, second = await desk.add(media.clip, media.sound)
    editor = desk.view.prompt.editor
    _type(desk, "hear <Audio 1> now")
    editor.go_to(len(f"hear {mention_of(second)}"))
    desk.model.set_aside(second, True)
    _type(desk, "|")
    assert editor.shown() == "hear theme.wav| now"


@pytest.mark.qt_log_ignore(
    "This plugin does not support", extend=True
)  # the offscreen platform has no pop-ups to raise
async def test_at_offers_what_can_be_mentioned(desk: Desk, media: Media) -> None:
    first, second = await desk.add(media.long, media.still)
    editor = desk.view.prompt.editor
    editor.setFocus()
    _type(desk, "mail me@home and @")
    assert editor.completer.is_open
    _type(desk, "pict")
    QTest.keyClick(editor, Qt.Key.Key_Tab)
    assert desk.model.shot.prompt == f"mail me@home and {mention_of(second)}"
    assert not editor.completer.is_open
    _type(desk, " with @sound")
    assert not editor.completer.is_open, "nothing is called so"
    for _letter in "sound":
        QTest.keyClick(editor, Qt.Key.Key_Backspace)
    assert editor.completer.is_open
    _type(desk, "audio")
    QTest.keyClick(editor.completer._completer.popup(), Qt.Key.Key_Return)
    assert desk.model.shot.prompt.endswith(f" with {mention_of(first, sound=True)}")
    desk.model.undo()
    assert "@audio" in desk.model.shot.prompt or desk.model.shot.prompt.endswith("@")


async def test_chips_are_copied_and_pasted_as_mentions(desk: Desk, media: Media) -> None:
    (ref,) = await desk.add(media.clip)
    editor = desk.view.prompt.editor
    _type(desk, "<Video 1> and")
    _select_all(desk)
    editor.copy()
    assert QGuiApplication.clipboard().text() == "<Video 1> and"
    editor.moveCursor(QTextCursor.MoveOperation.End)
    editor.paste()
    assert desk.model.shot.prompt == f"{mention_of(ref)} and" * 2
    desk.model.new()
    _type(desk, "again ")
    editor.paste()
    assert desk.model.shot.prompt == "again <Video 1> and", "a mention of another shot means nothing here"


async def test_tab_goes_from_place_to_place_and_then_on(desk: Desk) -> None:
    editor = desk.view.prompt.editor
    desk.model.edit(desk.model.shot.but(prompt="It is [[winter]] in [[a wood]]."), "edit.prompt")
    editor.setFocus()
    editor.go_to(0)
    QTest.keyClick(editor, Qt.Key.Key_Tab)
    _type(desk, "summer")
    QTest.keyClick(editor, Qt.Key.Key_Tab)
    assert editor.textCursor().selectedText() == "[[a wood]]"
    QTest.keyClick(editor, Qt.Key.Key_Backtab)
    assert not editor.hasFocus(), "no place before this one: Shift+Tab leaves"
    editor.setFocus()
    _type(desk, "a town")
    assert desk.model.shot.prompt == "It is summer in a town."
    QTest.keyClick(editor, Qt.Key.Key_Tab)
    assert not editor.hasFocus()


async def test_an_input_method_writes_before_and_after_a_chip(desk: Desk, media: Media) -> None:
    (ref,) = await desk.add(media.clip)
    editor = desk.view.prompt.editor
    _type(desk, "<Video 1>")
    composing = QInputMethodEvent("xia yu", [])
    QApplication.sendEvent(editor, composing)
    assert desk.model.shot.prompt == mention_of(ref), "what is being composed is no text yet"
    done = QInputMethodEvent("", [])
    done.setCommitString("下雨")
    QApplication.sendEvent(editor, done)
    assert desk.model.shot.prompt == f"{mention_of(ref)}下雨"


async def test_characters_and_words_are_counted_in_any_script(desk: Desk, media: Media) -> None:
    await desk.add(media.clip)
    for text, counted in (
        ("don't stop", "10 characters · 2 words"),
        ("下雨了 now", "7 characters · 4 words"),
        ("e\u0301t\u0301e 👩‍👩‍👧 🇩🇪", "7 characters · 1 word"),
        ("हिन्दी शब्द", "7 characters · 2 words"),
        ("<Video 1> x", "9 characters · 3 words"),
    ):
        desk.model.edit(desk.model.shot.but(prompt=""), "edit.prompt")
        desk.view.prompt.editor.insertPlainText(text)
        assert desk.view.prompt._count.text() == counted


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
    QTest.keyClick(editor, Qt.Key.Key_Z, CONTROL)
    assert editor.toPlainText() == "first"
    QTest.keyClick(editor, Qt.Key.Key_Z, CONTROL)
    assert editor.toPlainText() == ""
    QTest.keyClick(editor, Qt.Key.Key_Z, CONTROL | SHIFT)
    assert editor.toPlainText() == "first"


async def test_a_long_prompt_of_many_scripts_survives(desk: Desk) -> None:
    text = "雨 🌧 שלום\u00a0x\n" * 10_000
    editor = desk.view.prompt.editor
    editor.insertPlainText(text)
    assert desk.model.shot.prompt == text
    desk.model.undo()
    assert editor.stored() == ""
    desk.model.redo()
    assert editor.stored() == text
    QApplication.sendEvent(editor, QEvent(QEvent.Type.LanguageChange))
    assert desk.model.shot.prompt == text


async def test_a_line_of_100_000_characters_is_laid_out_in_pieces_and_stays_one_line(desk: Desk) -> None:
    text = "雨 rain falls on the town 🌧 " * 4_000
    editor = desk.view.prompt.editor
    editor.insertPlainText(text)
    assert desk.model.shot.prompt == text
    block, longest = editor.document().begin(), 0
    while block.isValid():
        longest, block = max(longest, block.length()), block.next()
    assert longest <= long_lines.LONGEST
    editor.selectAll()
    editor.copy()
    assert QGuiApplication.clipboard().text() == text
    editor.go_to(50_000)
    QTest.keyClick(editor, Qt.Key.Key_Return)
    assert desk.model.shot.prompt == f"{text[:50_000]}\n{text[50_000:]}"
    QTest.keyClick(editor, Qt.Key.Key_Backspace)
    assert desk.model.shot.prompt == text


@pytest.mark.parametrize("seed", range(6))
async def test_what_is_done_to_a_broken_line_is_what_would_be_done_to_a_whole_one(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """Typed, pasted, deleted and replaced anywhere: the prompt is that of a plain string treated alike."""
    for name, value in {"LONGEST": 12, "_PIECE": 8, "_LOOK_BACK": 4}.items():
        monkeypatch.setattr(long_lines, name, value)
    chance = random.Random(seed)
    editor, chip = PromptEditor(), mention_of("abc")
    looks = {chip: ChipLook("Video 1", "sent", "")}
    letters, seams = ["a", " ", "\n", "🌧", "é", chip], 0
    editor.show_prompt("", looks)
    parts: list[str] = []
    for _ in range(150):
        start = chance.randint(0, len(parts))
        end = chance.choice([start, start, min(len(parts), start + chance.randint(0, 9))])
        put = [chance.choice(letters) for _ in range(chance.choice([0, 1, 1, 2, 30]))]
        before, index, last = list(parts), len("".join(parts[:start])), len("".join(parts[:end]))
        how = chance.choice(["type", "delete", "backspace", "show", "enter"])
        editor.go_to(index, last if end > start else None)
        if how == "type":
            typed = [letter for letter in put if letter != chip]
            editor.insertPlainText("".join(typed))
            parts[start:end] = typed
        elif how == "show":
            parts[start:end] = put
            editor.show_prompt("".join(parts), looks)
        elif how == "enter":
            QTest.keyClick(editor, Qt.Key.Key_Return)
            parts[start:end] = ["\n"]
        elif how == "delete":
            QTest.keyClick(editor, Qt.Key.Key_Delete)
            parts[start : end if end > start else end + 1] = []
        else:
            QTest.keyClick(editor, Qt.Key.Key_Backspace)
            parts[start if end > start else max(0, start - 1) : end] = []
        assert editor.stored() == "".join(parts), (how, before, start, end, put)
        assert [mention for _, mention in prompt_text.chips(editor.document())] == [p for p in parts if p == chip]
        seams += len(list(long_lines.seams(editor.document())))
    assert seams > 100, "the lines were long enough to be broken"
