"""The question of the first start, and what its answers do."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest

from studio.server import RehearsalLauncher, ServerManager, ServerState, discovery
from studio.server.discovery import find_servers
from studio.settings import SettingsStore
from tests.helpers.layout import clipped, nameless, overlapping
from tests.helpers.window import a_window
from ui.hand import Hand


@pytest.fixture(autouse=True)
def no_usual_ports(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(discovery, "PORTS", ())


async def test_the_page_is_readable_and_complete() -> None:
    async with a_window() as studio:
        studio.welcome()
        hand = Hand(studio.window)
        await hand.until(lambda: hand.there("Try it without a GPU"), "the question")
        assert (clipped(studio.window), overlapping(studio.window), nameless(studio.window)) == ([], [], [])


async def test_trying_starts_the_rehearsal_server_and_it_is_not_asked_again() -> None:
    async with a_window() as studio:
        studio.welcome()
        hand = Hand(studio.window)
        hand.click("Try it without a GPU")
        assert studio.window.workspace == "go.compose" and hand.there("Prompt")
        assert SettingsStore().present.welcomed
        await hand.until(lambda: studio.manager.status.state is ServerState.READY, "the rehearsal server")


async def test_looking_around_first_leaves_everything_as_it_is() -> None:
    async with a_window() as studio:
        studio.welcome()
        hand = Hand(studio.window)
        hand.click("Look around first")
        assert hand.there("Prompt") and studio.manager.status.state is ServerState.STOPPED
        assert SettingsStore().present.welcomed


async def test_an_address_that_does_not_answer_is_said_on_the_page() -> None:
    async with a_window() as studio:
        studio.welcome()
        hand = Hand(studio.window)
        page = studio._first.page if studio._first else None
        assert page is not None
        hand.click("Connect to a running server")  # the grey address is an example
        assert "Write the server's address first" in page.trouble.text() and page.address.hasFocus()
        hand.write("Address of the server", "nonsense:port:here")
        hand.click("Connect to a running server")
        await hand.until(page.trouble.isVisible, "the reason")
        assert "nonsense" in page.trouble.text() and not SettingsStore().present.welcomed


async def test_a_found_server_is_connected_by_one_click(monkeypatch: pytest.MonkeyPatch) -> None:
    async with a_window() as studio:
        studio.welcome()
        hand = Hand(studio.window)
        other = ServerManager(RehearsalLauncher("cli"))
        await other.start()
        try:
            url = other.status.url or ""
            monkeypatch.setattr(discovery, "PORTS", (urlsplit(url).port,))
            (found,) = await find_servers()
            assert found.url == url and found.model
            assert studio._first is not None
            studio._first.page.show_found([found])
            offer = f"{url} · {found.model}"
            await hand.until(lambda: hand.there(offer), "the offer")
            hand.click(offer)
            await hand.until(lambda: studio.manager.status.state is ServerState.READY, "the connection")
            assert hand.there("Prompt") and studio.settings.present.server.url == url
        finally:
            await other.stop()
            await other.aclose()


async def test_setting_up_opens_the_doctor() -> None:
    async with a_window() as studio:
        studio.welcome()
        hand = Hand(studio.window)
        hand.click("Set one up on this machine")
        assert studio.window.workspace == "go.server"
        await hand.until(lambda: studio.settings.present.server.kind == "profile", "a profile to be chosen")
