"""Longer than one pass: the mode stretches the ladder, windows are drawn along it, each can have its own prompt."""

from __future__ import annotations

import json

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from studio.contract import load_limits, wire_form
from tests.gui.compose.conftest import Desk, Media
from tests.helpers.waiting import until

LEFT = Qt.MouseButton.LeftButton


async def test_windows_are_shown_and_each_gets_its_prompt(desk: Desk) -> None:
    output, model = desk.view.output, desk.model
    long = output.long_video
    assert not long.bar.isVisible() and output.length.slider.maximum() == 15
    model.type_prompt("a long walk")
    long.modes.setFocus()
    QTest.keyClick(long.modes, Qt.Key.Key_End)
    assert model.shot.long_video == {"long_video_mode": "continuation"}
    output.length.box.lineEdit().setText("30")
    QTest.keyClick(output.length.box, Qt.Key.Key_Return)
    assert model.shot.frames == 736
    assert model.resolved is not None and model.resolved.windows == ((0, 277), (255, 532), (510, 736))
    assert long.bar.isVisible() and "3 windows of 277 frames" in long.said.text() and "22 frames" in long.said.text()
    long.bar.grab()

    dialog = long.ask_prompts()
    assert [field.toPlainText() for field in dialog.fields] == ["a long walk"] * 3
    dialog.fields[1].setPlainText(" ")
    QTest.mouseClick(dialog.use, LEFT)
    assert dialog.isVisible() and "Window 2" in dialog.trouble.text()
    dialog.fields[1].setPlainText("the street turns")
    QTest.mouseClick(dialog.use, LEFT)
    sent = json.loads(dict(wire_form(model.request).fields)["extra_params"])
    assert sent["continuation_prompts"] == ["a long walk", "the street turns", "a long walk"]
    assert (sent["long_video"], sent["long_video_mode"], sent["duration"]) == (True, "continuation", 736 / 24)

    long.modes.setCurrentIndex(0)
    long.modes.activated.emit(0)
    assert model.shot.long_video is None and model.shot.frames == 362
    assert output.length.slider.maximum() == 15
    model.undo()
    assert model.shot.frames == 736 and long.bar.isVisible()


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)  # of lists, offscreen
async def test_mentions_in_the_prompts_of_windows_follow_their_cards(desk: Desk, media: Media) -> None:
    first, second = await desk.add(media.clip, media.long)
    model = desk.model
    model.edit(lambda s: s.but(long_video={"long_video_mode": "continuation"}, frames=736, follow=frozenset()), "x")
    dialog = desk.view.output.long_video.ask_prompts()
    dialog.fields[0].setPlainText("<Video 1> walks")
    dialog.fields[1].setPlainText("it meets <Video 2>")
    dialog.activateWindow()
    dialog.fields[2].setFocus()
    await until(dialog.fields[2].hasFocus, "the focus")
    QTest.keyClicks(dialog.fields[2], "end as in @Vid")
    assert dialog.fields[2].completer.is_open
    QTest.keyClick(dialog.fields[2], Qt.Key.Key_Tab)
    assert dialog.isVisible() and not dialog.fields[2].completer.is_open
    QTest.mouseClick(dialog.use, LEFT)
    stored = [f"@{{{first}}} walks", f"it meets @{{{second}}}", f"end as in @{{{first}}}"]
    assert model.shot.long_video is not None and model.shot.long_video["continuation_prompts"] == stored

    def sent() -> list[str]:
        return list(json.loads(dict(wire_form(model.request).fields)["extra_params"])["continuation_prompts"])

    assert sent() == ["<Video 1> walks", "it meets <Video 2>", "end as in <Video 1>"]
    model.move(first, 1)
    assert sent() == ["<Video 2> walks", "it meets <Video 1>", "end as in <Video 2>"]
    again = desk.view.output.long_video.ask_prompts()
    assert [field.shown() for field in again.fields] == ["Video 2 walks", "it meets Video 1", "end as in Video 2"]
    again.reject()
    model.remove(second)
    assert sent() == ["<Video 1> walks", "it meets ", "end as in <Video 1>"]
    (gone,) = (f for f in model.findings if f.code == "prompt.mention.gone")
    model.apply_mend(gone, gone.mends[0])
    assert "prompt.mention.gone" not in {f.code for f in model.findings}
    assert model.shot.long_video["continuation_prompts"][1] == "it meets "
    for _ in range(2):
        model.undo()
    assert sent() == ["<Video 2> walks", "it meets <Video 1>", "end as in <Video 2>"]


async def test_other_tasks_have_no_windows_and_old_servers_no_long_video(desk: Desk) -> None:
    desk.model.set_task("t2va")
    modes = desk.view.output.long_video.modes
    assert [modes.itemData(n) for n in range(modes.count())] == ["", "full"]
    desk.model.limits = load_limits("0.26.0")
    desk.model.findings_changed.emit()
    assert not modes.isVisible()


@pytest.mark.parametrize("mode", ["full", "continuation"])
async def test_a_shot_that_is_long_shows_its_mode(desk: Desk, mode: str) -> None:
    long_shot = desk.model.shot.but(long_video={"long_video_mode": mode}, frames=600, follow=frozenset())
    desk.model.edit(long_shot, "edit.long_video")
    long = desk.view.output.long_video
    assert long.modes.currentData() == mode
    assert desk.view.output.length.box.value() == 25.0
