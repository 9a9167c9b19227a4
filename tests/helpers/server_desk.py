"""The Server workspace on a real manager and a real queue, as a person finds it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from studio.core.notices import Notices
from studio.jobs import JobService, ManagedServers
from studio.server import RehearsalLauncher, ServerManager, ServerState
from tests.helpers.jobs import bench
from tests.helpers.waiting import until
from ui.server import ServerModel, ServerWorkspace


@dataclass(slots=True)
class ServerDesk:
    """The workspace and what stands behind it."""

    manager: ServerManager
    model: ServerModel
    view: ServerWorkspace
    notices: Notices
    service: JobService

    async def state(self, wanted: ServerState) -> None:
        """Wait for the server."""
        await until(lambda: self.manager.status.state is wanted, f"the server to be {wanted}")

    def press(self, qtbot: QtBot) -> None:
        """Press the one act."""
        qtbot.mouseClick(self.view.state.act.button, Qt.MouseButton.LeftButton)

    def offers(self, text: str) -> bool:
        """Whether a remedy's button is there."""
        return any(button.text() == text and button.isVisible() for button in self._buttons())

    def remedy(self, text: str) -> QPushButton:
        """A remedy's button."""
        return next(button for button in self._buttons() if button.text() == text and button.isVisible())

    def _buttons(self) -> list[QPushButton]:
        return self.view.state.findChildren(QPushButton)


@asynccontextmanager
async def server_desk(qtbot: QtBot) -> AsyncIterator[ServerDesk]:
    """The workspace at 1360 × 860; what it started is stopped at the end."""
    manager = ServerManager(RehearsalLauncher("window"))
    async with bench(servers=ManagedServers(manager), stop=False) as b:
        model = ServerModel(manager, b.service.tools.settings, b.notices, b.service)
        view = ServerWorkspace(model)
        qtbot.addWidget(view)
        view.resize(1360, 860)
        view.show()
        try:
            yield ServerDesk(manager, model, view, b.notices, b.service)
        finally:
            view.hide()
            await model.aclose()
            await manager.stop()
            await manager.aclose()
