"""Getting the model: a folder that is there comes first, then the download, which can be stopped and goes on."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from studio.core.notices import Notice, Notices
from studio.server.doctor import Level, check_hub
from tests.helpers.file_dialog import answer, asked
from tests.helpers.standins.hub import hub, small_model
from tests.helpers.waiting import until
from ui.server.model_dialog import ModelDialog
from ui.server.model_fetch import ModelFetch


def put(folder: Path, lacking: str = "") -> Path:
    """A small whole model on disk, but for one file."""
    for name, data in small_model().items():
        if name != lacking:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(data)
    return folder


@pytest.fixture
def window(qtbot: QtBot) -> QWidget:
    """A window that stays: the program goes on when a dialog is closed."""
    made = QWidget()
    qtbot.addWidget(made)
    made.show()
    return made


async def test_a_folder_that_is_there_is_used_or_told_what_it_lacks(window: QWidget, tmp_path: Path) -> None:
    fetch = ModelFetch(Notices())
    dialog = ModelDialog(fetch, "combined", "", window)
    dialog.show()
    assert dialog.focusWidget() is dialog.use or dialog.use.isEnabled()
    chosen: list[Path] = []
    dialog.chosen.connect(chosen.append)
    dialog.use.click()
    answer(asked(dialog), put(tmp_path / "a", lacking="model_index.json"))
    assert "model_index.json" in dialog.trouble.text() and not chosen
    dialog.use.click()
    answer(asked(dialog), put(tmp_path / "b"))
    assert chosen == [tmp_path / "b"] and not dialog.isVisible()
    await fetch.aclose()


async def test_the_hub_is_asked_on_a_press_alone(
    window: QWidget, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with hub() as there:
        monkeypatch.setenv("HF_ENDPOINT", there.url)
        monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
        fetch = ModelFetch(Notices())
        dialog = ModelDialog(fetch, "combined", str(tmp_path), window)
        dialog.show()
        assert dialog.answer.text() == "" and there.heads == 0
        for refuses, said in ((0, "gives"), (401, "hf auth login"), (403, "may not be granted")):
            there.refuses = refuses
            dialog.ask.click()
            assert not dialog.ask.isEnabled()
            await until(dialog.ask.isEnabled, "the answer")
            assert said in dialog.answer.text()
        assert there.heads == 3
        await fetch.aclose()
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    away = await check_hub()
    assert away.level is Level.FAIL and away.mend is not None and "HTTPS_PROXY" in away.mend.text()


async def test_a_download_is_watched_stopped_and_gone_on_with(
    qtbot: QtBot, window: QWidget, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with hub() as there:
        monkeypatch.setenv("HF_ENDPOINT", there.url)
        monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
        there.slow = 0.2
        notices, told, chosen = Notices(), list[Notice](), list[Path]()
        notices.posted.subscribe(told.append)
        fetch = ModelFetch(notices)
        folder = tmp_path / "H3"
        dialog = ModelDialog(fetch, "combined", str(folder), window)
        dialog.chosen.connect(chosen.append)
        dialog.show()
        qtbot.mouseClick(dialog.start, Qt.MouseButton.LeftButton)
        assert dialog.start.text() == "Stop" and not dialog.folder.isEnabled()
        await until(lambda: dialog.files.topLevelItemCount() > 20, "the files")
        await until(lambda: fetch.progress.done > 0, "bytes")
        qtbot.mouseClick(dialog.start, Qt.MouseButton.LeftButton)
        await until(lambda: not fetch.running, "its end")
        assert dialog.start.text() == "Download" and not dialog.trouble.text()
        there.slow = 0.0
        qtbot.mouseClick(dialog.start, Qt.MouseButton.LeftButton)
        await until(lambda: chosen, "the model")
        assert chosen == [folder] and not dialog.isVisible()
        assert [notice.severity for notice in told] == ["good"]
        await fetch.aclose()


async def test_a_refusal_says_what_to_do(
    qtbot: QtBot, window: QWidget, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with hub() as there:
        monkeypatch.setenv("HF_ENDPOINT", there.url)
        monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
        there.refuses = 401
        fetch = ModelFetch(Notices())
        dialog = ModelDialog(fetch, "FL2VA", str(tmp_path / "H3"))
        dialog.show()
        qtbot.mouseClick(dialog.start, Qt.MouseButton.LeftButton)
        await until(lambda: dialog.trouble.isVisible(), "the refusal")
        assert "hf auth login" in dialog.trouble.text()
        await fetch.aclose()
