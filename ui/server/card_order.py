"""Which cards a server should have, in which order, and why: asked of `nvidia-smi topo -m`, here or by SSH."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, Signal

from studio.core.errors import StudioError
from studio.core.tasks import TaskScope
from studio.core.words import Message
from studio.server import profiles
from studio.server.launchers.commands import run
from studio.server.ssh import SshHost
from studio.server.topology import parse, suggest
from studio.settings import SettingsStore
from studio.settings.model import ServerSettings

_ASK = ("nvidia-smi", "topo", "-m")


class CardOrder(QObject):
    """Suggests for the chosen server; those of the same machine that come before it keep their cards."""

    told = Signal(object)
    """Why: a tuple of Messages."""

    def __init__(
        self, settings: SettingsStore, change: Callable[..., None], scope: TaskScope, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._settings, self._change, self._scope = settings, change, scope

    def ask(self) -> None:
        """Look at the machine and put the order into the settings."""
        self._scope.start(self._ask(), name="cards")

    async def _ask(self) -> None:
        chosen = self._settings.present.server
        try:
            prefix = SshHost(chosen.host, "doctor").prefix if chosen.run_as == "ssh" else ()
            topology = parse(await run(*prefix, *_ASK))
        except StudioError as error:
            self.told.emit((error.message,))
            return
        beside = self._beside(chosen)
        made = suggest(topology, [cards(server) for server in beside])
        if not made or chosen not in beside:
            self.told.emit((Message("cards.too_few", {"count": len(topology.cards)}),))
            return
        own = made[beside.index(chosen)]
        if self._settings.present.server == chosen:
            self._change(gpus=own.devices, numa=own.numa)
            self.told.emit(own.why)

    def _beside(self, chosen: ServerSettings) -> Sequence[ServerSettings]:
        """The servers of profiles on the same machine, in their order."""
        present = self._settings.present
        every = sorted((chosen, *present.others), key=lambda one: (len(one.place), one.place))

        def machine(server: ServerSettings) -> str:
            return server.host if server.run_as == "ssh" else ""

        return [one for one in every if one.kind == "profile" and cards(one) and machine(one) == machine(chosen)]


def cards(server: ServerSettings) -> int:
    """How many cards a server's profile uses; 0 when it has none."""
    try:
        return profiles.find(server.profile).gpus if server.profile else 0
    except StudioError:
        return 0
