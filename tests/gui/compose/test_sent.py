"""What will be sent, the command, earlier prompts, and the assistant: what leaves the program, and when."""

from __future__ import annotations

import json
import os
import shlex
import socket
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest_asyncio
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDialog, QMenu, QWidget
from pytestqt.qtbot import QtBot

from studio.contract import Shot, WireForm, WirePart, edits, mention_of, wire_form
from studio.core.notices import Notices
from studio.media.workers import Workers
from studio.settings import SettingsStore
from tests.gui.compose.conftest import Desk, Media
from tests.helpers.waiting import until
from tests.unit.presets.test_rewriting import said, service
from ui.compose import ComposeModel, ComposeWorkspace
from ui.compose.curl import curl_command
from ui.compose.past_prompts import PastPrompts
from ui.compose.rewrite_dialog import RewriteDialog, difference_html
from ui.compose.sent_view import SentView
from ui.compose.surroundings import Past, Surroundings

LEFT = Qt.MouseButton.LeftButton


def _past_shot(prompt: str) -> Shot:
    return edits.add_references(Shot(), [(Path("old.mp4"), "video")]).but(prompt=prompt)


async def _past() -> Past:
    clip = _past_shot("")
    mentioned = clip.but(prompt=f"turn {mention_of(clip.references[0].id)} into winter")
    return [(3e8, mentioned), (2e8, _past_shot("a fox in the snow")), (1e8, _past_shot("a fox in the snow"))]


@pytest_asyncio.fixture
async def desk(qtbot: QtBot, workers: Workers) -> AsyncIterator[Desk]:
    """A desk with settings, a server and a past."""
    notices = Notices()
    around = Surroundings(SettingsStore(), lambda: "http://10.1.2.3:8091/", _past)
    model = ComposeModel(workers, notices, around=around)
    view = ComposeWorkspace(model)
    qtbot.addWidget(view)
    view.show()
    yield Desk(model, view, notices)
    await model.aclose()


async def test_what_will_be_sent_follows_the_shot(desk: Desk, media: Media) -> None:
    clip, still = await desk.add(media.clip, media.still)
    desk.model.type_prompt(f"put {mention_of(still)} into {mention_of(clip)}")
    dialog = desk.view.prompt.menu.open_sent()
    assert isinstance(dialog, SentView)
    assert "prompt: put <Picture 1> into <Video 1>" in dialog.texts["form"].toPlainText()
    desk.model.set_seed(1234)
    sent: dict[str, Any] = json.loads(dialog.texts["json"].toPlainText())
    form = dict(wire_form(desk.model.request).fields)
    assert sent["extra_params"] == json.loads(form["extra_params"])
    assert sent["seed"] == "1234" == form["seed"]
    assert [(f["file"], f["tags"]) for f in sent["input_references"]] == [
        (media.still.name, ["<Picture 1>"]),
        (media.clip.name, ["<Video 1>"]),
    ]
    QTest.mouseClick(dialog.copy_button, LEFT)
    assert QGuiApplication.clipboard().text() == dialog.texts["form"].toPlainText()
    dialog.accept()


async def test_the_command_names_files_and_never_the_key(desk: Desk, media: Media, monkeypatch: Any) -> None:
    monkeypatch.setenv("H3_API_KEY", "sk-secret")
    await desk.add(media.clip)
    desk.model.type_prompt('it\'s $HOME, `ls` & "more"\n雨')
    desk.view.prompt.menu.copy_curl()
    command = QGuiApplication.clipboard().text()
    assert "sk-secret" not in command and '"Authorization: Bearer $H3_API_KEY"' in command
    words = shlex.split(command)
    assert words[:2] == ["curl", "http://10.1.2.3:8091/v1/videos"]
    assert 'prompt=it\'s $HOME, `ls` & "more"\n雨' in words
    assert words[-1] == f'input_references=@"{media.clip}"'


def test_the_command_is_one_for_a_shell(tmp_path: Path) -> None:
    """A shell hands every word on as it was, the key from its variable."""
    name = tmp_path / 'a "b";c, $d.mp4'
    form = WireForm((("prompt", "@file <x> 'y' !z \\"),), (WirePart("r1", "video"),))
    command = curl_command(form, {"r1": name}, "http://h:1")
    show = tmp_path / "curl"
    show.write_text("#!/bin/sh\nprintf '%s\\0' \"$@\"\n")
    show.chmod(0o755)
    there = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "H3_API_KEY": "k"}
    done = subprocess.run(["sh", "-c", command], capture_output=True, env=there, check=True)
    assert done.stdout.decode().split("\0")[:-1] == [
        "http://h:1/v1/videos",
        "-H",
        "Authorization: Bearer k",
        "--form-string",
        "prompt=@file <x> 'y' !z \\",
        "-F",
        'input_references=@"' + str(name).replace('"', '\\"') + '"',
    ]


async def test_an_earlier_prompt_is_found_and_taken_over(desk: Desk, media: Media) -> None:
    (ref,) = await desk.add(media.clip)
    dialog = desk.view.prompt.menu.open_past()
    assert isinstance(dialog, PastPrompts)
    await until(dialog._found.rowCount, "the past")
    assert dialog._found.rowCount() == 2, "the same prompt twice is one"
    QTest.keyClicks(dialog.search, "FOX")
    assert dialog._found.rowCount() == 1
    assert dialog.whole.toPlainText() == "a fox in the snow"
    QTest.keyClicks(dialog.search, "!")
    assert not dialog.use_button.isEnabled()
    dialog.search.setText("winter")
    QTest.mouseClick(dialog.use_button, LEFT)
    assert desk.model.shot.prompt == f"turn {mention_of(ref)} into winter"
    desk.model.undo()
    assert desk.model.shot.prompt == ""


async def test_the_assistant_is_off_until_asked_and_changes_nothing_until_used(desk: Desk, media: Media) -> None:
    asked: list[str] = []

    def answer(body: dict[str, Any], _headers: dict[str, str]) -> tuple[int, Any]:
        asked.append(body["messages"][1]["content"])
        return 200, said("Heavy rain falls over {video 1}.")

    (ref,) = await desk.add(media.clip)
    desk.model.type_prompt(f"rain {mention_of(ref)}")
    async with service(answer) as url:
        dialog = desk.view.prompt.menu.open_rewrite()
        assert isinstance(dialog, RewriteDialog)
        assert not dialog.ask_button.isEnabled() and not asked
        dialog.url.setText(url)
        dialog.key.setText("sk-1")
        QTest.mouseClick(dialog.ask_button, LEFT)
        assert desk.model.assistant is not None and desk.model.assistant.is_at_work
        await until(dialog.use_button.isEnabled, "the answer")
    assert asked == ["rain {video 1}"]
    assert desk.model.shot.prompt == f"rain {mention_of(ref)}"
    assert "Heavy" in dialog.difference.toPlainText() and "rain" in dialog.difference.toPlainText()
    QTest.mouseClick(dialog.use_button, LEFT)
    assert desk.model.shot.prompt == f"Heavy rain falls over {mention_of(ref)}."
    assert "sk-1" not in SettingsStore().path.read_text()
    desk.model.undo()
    assert desk.model.shot.prompt == f"rain {mention_of(ref)}"


async def test_waiting_for_the_assistant_can_be_ended(desk: Desk) -> None:
    assistant = desk.model.assistant
    assert assistant is not None
    desk.model.type_prompt("rain")
    dialog = desk.view.prompt.menu.open_rewrite()
    assert isinstance(dialog, RewriteDialog)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        dialog.url.setText(f"http://127.0.0.1:{silent.getsockname()[1]}/v1")
        QTest.mouseClick(dialog.ask_button, LEFT)
        assert dialog.cancel_button.text() == "Stop waiting"
        QTest.mouseClick(dialog.cancel_button, LEFT)
        await until(lambda: not assistant.is_at_work, "the end of waiting")
    assert dialog.cancel_button.text() == "Close" and desk.model.shot.prompt == "rain"
    dialog.reject()


def test_a_difference_shows_what_goes_and_what_comes() -> None:
    html = difference_html("a <b> car", "a red car")
    assert "<s " in html and "&lt;b&gt;" in html and "<u " in html and "red" in html


async def test_the_menu_of_the_prompt_opens_and_each_of_its_entries(desk: Desk) -> None:
    button, entries = desk.view.prompt.menu, ["Earlier prompts…", "What will be sent…", "Copy as curl"]
    for entry in entries:
        QTest.mouseClick(button, LEFT)
        menu = menu_of(button)
        assert [action.text() for action in menu.actions() if action.text()][:3] == entries
        action = next(action for action in menu.actions() if action.text() == entry)
        QTest.mouseClick(menu, LEFT, pos=menu.actionGeometry(action).center())
        for dialog in desk.view.window().findChildren(QDialog):
            dialog.close()
    assert "curl" in QGuiApplication.clipboard().text()


def menu_of(button: QWidget) -> QMenu:
    (menu,) = (menu for menu in button.findChildren(QMenu) if menu.isVisible())
    return menu
