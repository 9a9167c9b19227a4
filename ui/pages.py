"""The workspaces as the window has them. Each is imported and made when it is first wanted."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from ui.main_window import Workspace

if TYPE_CHECKING:
    from ui.studio import Studio


def workspaces(studio: Studio) -> list[Workspace]:
    """All of them, in the order of the rail."""
    return [
        Workspace("go.compose", lambda: studio.compose_page),
        Workspace("go.queue", partial(_queue, studio)),
        Workspace("go.compare", partial(_compare, studio)),
        Workspace("go.library", partial(_library, studio)),
        Workspace("go.server", partial(_server, studio)),
        Workspace("go.settings", partial(_settings, studio), at_foot=True),
    ]


def _queue(studio: Studio) -> QWidget:
    from ui.queue import QueueWorkspace

    page = QueueWorkspace(studio.queue)
    page.compose_requested.connect(lambda: studio.window.go("go.compose"))
    return page


def _compare(studio: Studio) -> QWidget:
    from ui.compare.view import CompareWorkspace

    return CompareWorkspace(studio.compare)


def _library(studio: Studio) -> QWidget:
    from ui.library import LibraryWorkspace

    page = LibraryWorkspace(studio.library)
    page.compose_requested.connect(lambda: studio.window.go("go.compose"))
    return page


def _server(studio: Studio) -> QWidget:
    from ui.server.view import ServerWorkspace

    return ServerWorkspace(studio.server, servers=studio.servers)


def _settings(studio: Studio) -> QWidget:
    from ui.settings import SettingsWorkspace

    page = SettingsWorkspace(studio.preferences)
    page.server_requested.connect(lambda: studio.window.go("go.server"))
    return page
