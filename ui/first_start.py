"""What the answers of the first start do."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from studio.core.notices import Notices
from studio.core.tasks import TaskScope
from studio.settings import SettingsStore
from ui.welcome import WelcomePage

if TYPE_CHECKING:
    from studio.server import ServerStatus
    from ui.server.viewmodel import ServerModel


class FirstStart(QObject):
    """Shows the question over the window until it is answered; `go` opens a workspace, `away` puts the page away.

    `server` is asked for with the first answer: the page stands before there is any.
    """

    def __init__(
        self,
        server: Callable[[], ServerModel],
        settings: SettingsStore,
        notices: Notices,
        go: Callable[[str], None],
        away: Callable[[], None],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._ask_server, self._settings, self._go, self._away = server, settings, go, away
        self._scope = TaskScope("first start", lambda error, _task: notices.error(error))
        self._connecting = False
        self.page = WelcomePage()
        self.page.rehearsal_chosen.connect(self._on_rehearsal)
        self.page.address_chosen.connect(self._on_address)
        self.page.unit_chosen.connect(self._on_unit)
        self.page.set_up_chosen.connect(self._on_set_up)
        self.page.put_off.connect(lambda: self._answered("go.compose"))
        self._looking: asyncio.Task[None] | None = None

    def look(self) -> None:
        """Look for servers that run here already, and offer them."""
        self._looking = self._scope.start(self._look(), name="look")

    async def aclose(self) -> None:
        """Stop looking."""
        await self._scope.aclose()

    @cached_property
    def _server(self) -> ServerModel:
        server = self._ask_server()
        server.address_refused.connect(self.page.show_trouble)
        server.status_changed.connect(self._on_status)
        return server

    async def _look(self) -> None:
        from studio.server.discovery import find_servers

        self.page.show_found(await find_servers())

    def _on_rehearsal(self) -> None:
        self._server.choose("rehearsal")
        self._server.start()
        self._answered("go.compose")

    def _on_address(self, url: str, key: str) -> None:
        self._connecting = True
        self._server.attach(url, key)

    def _on_unit(self, unit: str) -> None:
        self._server.launches.change(unit=unit, unit_in="systemd")
        self._server.choose("unit")
        self._answered("go.server")

    def _on_set_up(self) -> None:
        """The doctor looks at the first profile that fits this machine, once the machine was read."""
        self._server.launches.profiles_changed.connect(self._on_profiles)
        self._server.launches.look()
        self._answered("go.server")

    def _on_profiles(self) -> None:
        launches = self._server.launches
        if launches.profiles:
            launches.profiles_changed.disconnect(self._on_profiles)
            fitting = next((p for p in launches.profiles if not launches.why_not(p)), launches.profiles[0])
            self._server.choose_profile(fitting.id)

    def _on_status(self, status: ServerStatus) -> None:
        if not self._connecting:
            return
        from studio.server import ServerState

        if status.state is ServerState.READY:
            self._answered("go.compose")
        elif status.state is ServerState.FAILED:
            self._connecting = False
            self.page.show_trouble(status.trouble)

    def _answered(self, workspace: str) -> None:
        self._connecting = False
        if self._looking is not None:
            self._scope.cancel(self._looking)
        if "_server" in self.__dict__:
            self._server.status_changed.disconnect(self._on_status)
            self._server.address_refused.disconnect(self.page.show_trouble)
        with contextlib.suppress(OSError):  # then it is asked again at the next start
            self._settings.update(welcomed=True)
        self._away()
        self._go(workspace)
