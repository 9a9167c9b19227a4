"""The servers of one window: a manager for each place of the settings. They share nothing but this machine's cards."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from functools import partial

from studio.core.events import Event
from studio.server.launchers import RehearsalLauncher
from studio.server.lifecycle import ServerManager
from studio.server.status import ServerState, ServerStatus

_RUNS = (ServerState.STARTING, ServerState.READY)


class InView:
    """The one server of a fleet that the window is about; `changed` also tells that it is another."""

    def __init__(self, fleet: Fleet) -> None:
        self.changed: Event[ServerStatus] = Event()
        self._fleet, self._place = fleet, fleet.first.place
        fleet.changed.subscribe(self._on_changed)

    @property
    def status(self) -> ServerStatus:
        """How it stands."""
        return self._fleet.status(self._place)

    def show(self, place: str) -> None:
        """Bring the server of a place into view."""
        self._place = place
        self.changed.emit(self.status)

    def _on_changed(self, place: str) -> None:
        if place == self._place:
            self.changed.emit(self.status)


class Fleet:
    """`changed` tells the place of a server whose status is another. The first manager's place is always there."""

    def __init__(self, first: ServerManager) -> None:
        self.first = first
        self.changed: Event[str] = Event()
        self._managers: dict[str, ServerManager] = {}
        self._take(first)
        self.in_view = InView(self)

    def __iter__(self) -> Iterator[ServerManager]:
        return iter(tuple(self._managers.values()))

    def at(self, place: str) -> ServerManager:
        """The manager of a place; a new one starts a rehearsal server until it is told otherwise."""
        if place not in self._managers:
            self._take(ServerManager(RehearsalLauncher("window"), place=place))
        return self._managers[place]

    def status(self, place: str) -> ServerStatus:
        """How the server of a place stands; stopped where there never was one."""
        manager = self._managers.get(place)
        return manager.status if manager is not None else ServerStatus()

    def runs(self, place: str) -> bool:
        """Whether a server of a place can take a job now or soon."""
        return self.status(place).state in _RUNS

    def by_url(self, url: str) -> ServerManager | None:
        """The manager whose server is reached at an address."""
        return next((one for one in self if (one.status.url or "").rstrip("/") == url.rstrip("/")), None)

    async def adopt(self) -> None:
        """Take up what an earlier studio left running, at each place. Starts none."""
        await asyncio.gather(*(manager.adopt() for manager in self))

    async def forget(self, place: str) -> None:
        """Let go of a place's server without ending it. The first one's place stays."""
        if place != self.first.place and (manager := self._managers.pop(place, None)) is not None:
            await manager.aclose()
            self.changed.emit(place)

    async def aclose(self) -> None:
        """Let go of all without ending anything."""
        for manager in self:
            await manager.aclose()

    def _take(self, manager: ServerManager) -> None:
        self._managers[manager.place] = manager
        manager.changed.subscribe(partial(self._on_changed, manager.place))

    def _on_changed(self, place: str, _status: ServerStatus) -> None:
        self.changed.emit(place)
