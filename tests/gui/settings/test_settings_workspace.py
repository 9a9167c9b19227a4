"""The Settings workspace: what is changed is kept and in force at once."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import keyring
import pytest
import pytest_asyncio
from keyring.backend import KeyringBackend
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QCheckBox, QLineEdit
from pytestqt.qtbot import QtBot

from studio.core import words
from studio.core.notices import Notices
from studio.media import cache
from studio.settings import SettingsStore, secrets
from tests.helpers.waiting import until
from ui.settings import SettingsModel, SettingsWorkspace
from ui.theme import palette
from ui.theme.language import follow_language
from ui.theme.tokens import tokens_of


@pytest_asyncio.fixture
async def page(qtbot: QtBot) -> AsyncIterator[SettingsWorkspace]:
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    palette.apply(app, "dark")
    forget = follow_language(app)
    model = SettingsModel(SettingsStore(), Notices())
    page = SettingsWorkspace(model)
    qtbot.addWidget(page)
    page.resize(1208, 684)
    page.show()
    yield page
    await model.aclose()
    forget()
    palette.apply(app, "dark")


@pytest.fixture
def key_store() -> Iterator[dict[tuple[str, str], str]]:
    """A desktop with a key store."""
    kept: dict[tuple[str, str], str] = {}

    class Store(KeyringBackend):
        priority = 1

        def get_password(self, service: str, username: str) -> str | None:
            return kept.get((service, username))

        def set_password(self, service: str, username: str, password: str) -> None:
            kept[service, username] = password

        def delete_password(self, service: str, username: str) -> None:
            del kept[service, username]

    before = keyring.get_keyring()
    keyring.set_keyring(Store())
    yield kept
    keyring.set_keyring(before)


def test_language_and_theme_change_while_the_page_stands(page: SettingsWorkspace) -> None:
    page.look.language.setCurrentIndex(page.look.language.findData("zh_CN"))
    page.look.language.activated.emit(page.look.language.currentIndex())
    assert words.language() == "zh_CN"
    QTest.mouseClick(page.look.theme.buttons["light"], Qt.MouseButton.LeftButton)
    assert palette.tokens() == tokens_of("light")
    kept = SettingsStore().present
    assert (kept.language, kept.theme) == ("zh_CN", "light")


async def test_results_go_elsewhere_and_a_refused_folder_is_said(page: SettingsWorkspace, tmp_path: Path) -> None:
    model = page._model
    elsewhere = tmp_path / "renders"
    model.set_results_dir(elsewhere)
    await until(lambda: page.files.folder.text() == str(elsewhere), "the folder")
    assert elsewhere.is_dir() and SettingsStore().present.results_dir == elsewhere
    (tmp_path / "file").write_text("")
    model.set_results_dir(tmp_path / "file" / "inside")
    await until(lambda: bool(model._notices.recent), "the notice")
    assert model._notices.recent[0].message.code == "settings.folder_refused"
    assert model.results_dir == elsewhere
    QTest.mouseClick(page.files.default, Qt.MouseButton.LeftButton)
    await until(lambda: SettingsStore().present.results_dir is None, "the default")


async def test_the_cache_is_weighed_and_emptied(page: SettingsWorkspace) -> None:
    entry = cache.prepared_dir() / "a"
    entry.mkdir(parents=True)
    (entry / "clip.mp4").write_bytes(bytes(3 << 20))
    page._model.look_at_cache()
    await until(page.files.empty.isEnabled, "the size")
    assert page.files.empty.text() == "Empty (3.0 MiB)"
    QTest.mouseClick(page.files.empty, Qt.MouseButton.LeftButton)
    await until(lambda: not entry.exists() and page._model.cache_bytes == 0, "an empty cache")


def test_what_goes_with_a_render(page: SettingsWorkspace) -> None:
    rendering = page.rendering
    QTest.mouseClick(rendering.switches["notify"], Qt.MouseButton.LeftButton, pos=_box(rendering.switches["notify"]))
    QTest.mouseClick(rendering.tidy, Qt.MouseButton.LeftButton, pos=_box(rendering.tidy))
    rendering.closing.activated.emit(rendering.closing.findData("keep"))
    rendering.post.setText("https://example.org/told")
    rendering.post.editingFinished.emit()
    rendering.post.setText("http://not an address")
    rendering.post.editingFinished.emit()
    assert page._model._notices.recent[-1].message.code == "settings.bad_address"
    rendering.stalled.setValue(30)
    QTest.mouseClick(page.preparation.edge.buttons["source"], Qt.MouseButton.LeftButton)
    page.files.room.setValue(4)
    kept = SettingsStore().present
    assert (kept.queue.notify, kept.tidy_server, kept.closing) == (False, True, "keep")
    assert (kept.queue.post_url, kept.queue.stalled_after_minutes) == ("https://example.org/told", 30)
    assert (kept.short_edge, kept.cache_gib) == (None, 4)


@pytest.mark.parametrize("there", [True, False])
async def test_a_key_goes_to_the_key_store_or_is_said_to_be_for_this_session(
    page: SettingsWorkspace, request: pytest.FixtureRequest, there: bool
) -> None:
    kept = request.getfixturevalue("key_store") if there else {}
    servers = page.servers
    assert not servers.keep.isEnabled()
    servers.address.setText("http://10.0.0.5:8000/")
    QTest.keyClicks(servers.key, "sk-secret")
    QTest.keyClick(servers.key, Qt.Key.Key_Return)
    notices = page._model._notices
    await until(lambda: bool(notices.recent), "the notice")
    assert notices.recent[0].message.code == ("settings.key_kept" if there else "settings.key_for_session")
    assert list(kept.values()) == (["sk-secret"] if there else [])
    assert secrets.api_key("http://10.0.0.5:8000") == "sk-secret"
    assert servers.key.text() == ""
    QTest.mouseClick(servers.forget, Qt.MouseButton.LeftButton)
    await until(lambda: secrets.api_key("http://10.0.0.5:8000") is None, "the key to be gone")


def _box(box: QCheckBox) -> QPoint:
    """Where a check box is clicked: on its mark."""
    return QPoint(8, box.height() // 2)


async def test_a_server_has_its_limits_and_a_way_to_its_cards(page: SettingsWorkspace) -> None:
    servers = page.servers
    QTest.keyClicks(servers.limits, "MiniMax")
    servers.limits.activated.emit(servers.limits.currentIndex())
    assert SettingsStore().present.server.limits == "0.30.0"
    QTest.keyClicks(servers.cards, "ssh -p 2222 'gpu box'")
    QTest.keyClick(servers.cards, Qt.Key.Key_Return)
    assert SettingsStore().present.server.gpu_command == ("ssh", "-p", "2222", "gpu box")
    servers.cards.clear()
    QTest.keyClicks(servers.cards, "ssh 'open")
    QTest.keyClick(servers.cards, Qt.Key.Key_Return)
    assert SettingsStore().present.server.gpu_command == ("ssh", "-p", "2222", "gpu box")
    assert servers.cards.text() == "ssh -p 2222 'gpu box'"


async def test_examples_in_empty_fields_can_be_read_whole(page: SettingsWorkspace) -> None:
    fields = [field for field in page.findChildren(QLineEdit) if field.placeholderText()]
    cut = [
        field.placeholderText()
        for field in fields
        if field.fontMetrics().horizontalAdvance(field.placeholderText()) + 16 > field.width()
    ]
    assert fields and not cut
