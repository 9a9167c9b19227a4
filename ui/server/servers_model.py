"""The user's servers: which there are, how each stands, and which one is in view."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Literal

from PySide6.QtCore import QObject, Signal

from studio.core.notices import Notice, Notices
from studio.core.tasks import TaskScope
from studio.core.words import Message, tr
from studio.jobs import Target
from studio.server import Fleet, ServerState
from studio.server.profiles import PARTITION_TASKS
from studio.settings import SettingsStore
from studio.settings.model import ServerSettings
from studio.settings.saving import save
from ui.server import policy, server_words
from ui.server.viewmodel import ServerModel

Sort = Literal["machine", "container", "ssh", "url", "rehearsal"]
_NEW: Final[dict[Sort, dict[str, Any]]] = {
    "machine": {"kind": "profile", "run_as": "process"},
    "container": {"kind": "profile", "run_as": "podman"},
    "ssh": {"kind": "profile", "run_as": "ssh"},
    "url": {"kind": "url"},
    "rehearsal": {"kind": "rehearsal"},
}
_HELD: Final = (ServerState.STARTING, ServerState.READY, ServerState.STOPPING)


class ServersModel(QObject):
    """Keeps the list in the settings; the chosen one is what every other part of the window calls the server."""

    changed = Signal()

    def __init__(
        self,
        fleet: Fleet,
        server: ServerModel,
        settings: SettingsStore,
        notices: Notices,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._fleet, self._server, self._settings, self._notices = fleet, server, settings, notices
        self._scope = TaskScope("servers-model", lambda error, _task: notices.error(error))
        self._unsubscribe = (
            fleet.changed.subscribe(lambda _: self.changed.emit()),
            settings.changed.subscribe(lambda _: self.changed.emit()),
        )
        server.launches.profiles_changed.connect(self.changed)
        for entry in self.entries:
            fleet.at(entry.place)
        self._use_chosen()

    async def aclose(self) -> None:
        """Stop following; the servers are left as they are."""
        for unsubscribe in self._unsubscribe:
            unsubscribe()
        await self._scope.aclose()

    @property
    def entries(self) -> tuple[ServerSettings, ...]:
        """All servers, in the order in which they were added."""
        present = self._settings.present
        return tuple(sorted((present.server, *present.others), key=lambda one: (len(one.place), one.place)))

    @property
    def chosen(self) -> str:
        """The place of the one in view."""
        return self._settings.present.server.place

    def name(self, entry: ServerSettings) -> str:
        """What the user calls a server; the first one has a name as soon as there is a second."""
        return entry.title or tr("Server {number}", number=entry.place or "1")

    def about(self, entry: ServerSettings) -> str:
        """What it is and how it stands, in a few words."""
        status = self._fleet.status(entry.place)
        return server_words.about(entry, status, status.tasks or self._tasks(entry))

    def _tasks(self, entry: ServerSettings) -> Sequence[str]:
        """What it will render, of the profiles that are read already: this is asked at every line of a start."""
        if entry.kind == "rehearsal":
            return PARTITION_TASKS[entry.rehearsal_task]
        known = (one.tasks for one in self._server.launches.profiles if one.id == entry.profile)
        return next(known, ()) if entry.kind == "profile" else ()

    def dot(self, entry: ServerSettings) -> str:
        """Token role of its dot."""
        return policy.dot(self._fleet.status(entry.place))

    def restart(self, lane: str) -> None:
        """Bring the server of a lane of the queue into view and start it again."""
        self.choose(self._place(lane))
        self._server.stop()
        self._server.start()

    def end(self, lane: str) -> None:
        """End the server of a lane, if it is ours."""
        manager = self._fleet.at(self._place(lane))
        if manager.status.ours:
            self._scope.start(manager.stop(), name="end")

    def _place(self, lane: str) -> str:
        return next((one.place for one in self.entries if Target.of(one).lane == lane), self.chosen)

    def choose(self, place: str) -> None:
        """Bring a server into view; starts and stops nothing."""
        if place == self.chosen:
            return
        present = self._settings.present
        chosen = next(one for one in present.others if one.place == place)
        others = tuple(one for one in present.others if one.place != place)
        if self._save(server=chosen, others=(*others, present.server)):
            self._use_chosen()

    def add(self, sort: Sort) -> None:
        """Add a server and bring it into view; the model's folder is taken over from the present one."""
        present = self._settings.present
        numbers = {int(one.place or "1") for one in self.entries if (one.place or "1").isdigit()}
        place = str(next(n for n in range(2, 1000) if n not in numbers))
        profile = present.server.profile if _NEW[sort]["kind"] == "profile" else None
        own = {"place": place, "title": tr("Server {number}", number=place), "profile": profile}
        root = present.server.model_root if sort != "ssh" else ""
        entry = ServerSettings(**_NEW[sort], **own, model_root=root, confirmed=present.server.confirmed)
        self._fleet.at(place)
        first = present.server.model_copy(update={"title": self.name(present.server)})  # jobs carry their server's name
        if self._save(server=entry, others=(*present.others, first)):
            self._use_chosen()

    def rename(self, place: str, title: str) -> None:
        """Give a server another name."""
        present = self._settings.present
        renamed = [
            one.model_copy(update={"title": title.strip()}) if one.place == place else one for one in self.entries
        ]
        server = next(one for one in renamed if one.place == present.server.place)
        self._save(server=server, others=tuple(one for one in renamed if one is not server))

    def can_remove(self, place: str) -> bool:
        """Whether a server may be taken off the list: not the first, and none that runs."""
        return place != "" and self._fleet.status(place).state not in _HELD

    def remove(self, place: str) -> None:
        """Take a server off the list. Its results and its logs stay."""
        if not self.can_remove(place):
            self._notices.post(Notice("warn", Message("server.remove_stopped_only")))
            return
        if place == self.chosen:
            self.choose("")
        others = tuple(one for one in self._settings.present.others if one.place != place)
        if self._save(others=others):
            self._scope.start(self._fleet.forget(place), name="forget")

    def _use_chosen(self) -> None:
        self._server.use(self._fleet.at(self.chosen))
        self._fleet.in_view.show(self.chosen)
        self.changed.emit()

    def _save(self, **changes: Any) -> bool:
        return save(self._settings, self._notices, **changes)
