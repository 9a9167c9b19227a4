"""The registry of actions: no two keys clash, every text and icon exists, and letters stay letters in a text field."""

import pytest
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QWidget
from pytestqt.qtbot import QtBot

from studio.core import words
from ui.theme import actions, icons
from ui.widgets.picture import PictureView


def test_no_two_keys_clash() -> None:
    """ "Picture" keys live in the window, too, so that one list must hold them all."""
    keys = [QKeySequence(key).toString() for spec in actions.ACTIONS.values() for key in spec.keys]
    assert all(keys)
    assert len(keys) == len(set(keys))


def test_keys_of_the_window_need_ctrl() -> None:
    for spec in actions.ACTIONS.values():
        if spec.scope == "window":
            assert all("Ctrl" in key or key == "F1" for key in spec.keys), spec.id


def test_every_action_has_a_heading_and_its_icon() -> None:
    for spec in actions.ACTIONS.values():
        assert spec.group in actions.GROUPS
        assert spec.icon is None or spec.icon in icons.names()


def test_texts_follow_the_language(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    action = actions.make("shot.save", window)
    assert action.toolTip() == "Save the shot (Ctrl+S)"
    monkeypatch.setattr(actions, "tr", lambda text: f"«{text}»")
    words.language_changed.emit("xx")
    assert action.text() == "«Save the shot»"


def test_a_gone_action_hears_no_more(qtbot: QtBot) -> None:
    before = len(words.language_changed._listeners)
    window = QWidget()
    action = actions.make("shot.save", window)
    assert len(words.language_changed._listeners) == before + 1
    with qtbot.waitSignal(action.destroyed):
        window.deleteLater()
    assert len(words.language_changed._listeners) == before


def test_picture_keys_act_on_a_picture_and_never_in_a_text_field(qtbot: QtBot) -> None:
    window, stage = QWidget(), QWidget()
    row = QHBoxLayout(window)
    prompt, view = QPlainTextEdit(), PictureView("A")
    QHBoxLayout(stage).addWidget(view)
    row.addWidget(prompt)
    row.addWidget(stage)
    heard: list[str] = []
    picture = [spec for spec in actions.ACTIONS.values() if spec.scope == "picture"]
    for spec in picture:
        actions.make(spec.id, stage, lambda spec=spec: heard.append(spec.id))
    qtbot.addWidget(window)
    with qtbot.waitActive(window):
        window.show()
    plain = [key for spec in picture for key in spec.keys if len(key) == 1]
    assert len(plain) >= 20

    prompt.setFocus()
    qtbot.keyClicks(prompt, "".join(plain).lower())
    assert prompt.toPlainText() == "".join(plain).lower()
    assert heard == []

    view.setFocus()
    for spec in picture:
        for key in spec.keys:
            heard.clear()
            combination = QKeySequence(key)[0]
            qtbot.keyClick(view, combination.key(), combination.keyboardModifiers())
            assert heard == [spec.id], key
