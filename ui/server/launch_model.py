"""What would be started: the profiles and which of them fit, the place, the doctor's list, the launch as text.

Beside ServerModel the other place in Server that talks to studio.
"""

from __future__ import annotations

import asyncio
import hashlib
import platform
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, Literal

from PySide6.QtCore import QObject, Signal

from studio.core.errors import StudioError
from studio.core.notices import Notices
from studio.core.tasks import TaskScope
from studio.core.words import Message
from studio.server import Launcher, Place, ProcessLauncher, Profile, QuadletLauncher, profiles
from studio.server.failures import Edit
from studio.server.fitting import reasons_against
from studio.server.launch import plan
from studio.server.launchers import UnitLauncher
from studio.server.machine import GIB, Machine, nvml, read
from studio.server.texts import Form, check_command, file_name, render
from studio.settings import SettingsStore
from studio.settings.model import ServerSettings

_NO_MODEL: Final = "/path/to/MiniMax-H3"


class LaunchModel(QObject):
    """Lives on the GUI thread; looks at the machine on another."""

    profiles_changed = Signal()
    """Another list, another fit, or another choice."""
    place_changed = Signal()
    examined = Signal(object)
    """The doctor's Checks, worst first; None while it looks."""

    def __init__(
        self,
        settings: SettingsStore,
        notices: Notices,
        remember: Callable[..., None],
        parent: QObject | None = None,
        *,
        library: Callable[[], Any | None] = nvml,
    ) -> None:
        super().__init__(parent)
        self._settings, self._notices, self._remember, self._library = settings, notices, remember, library
        self._scope = TaskScope("launch-model", lambda error, _task: notices.error(error))
        self._examining: asyncio.Task[None] | None = None
        self._machine: Machine | None = None
        self.profiles: tuple[Profile, ...] = ()
        """The user's own and the built-in ones; empty until they were asked for."""

    async def aclose(self) -> None:
        """Stop looking."""
        await self._scope.aclose()

    # The choice.

    @property
    def server(self) -> ServerSettings:
        """What the user chose, as the settings have it."""
        return self._settings.present.server

    @property
    def profile(self) -> Profile | None:
        """The chosen profile, if it still exists."""
        if not self.profiles and self.server.profile is not None:
            self.profiles = profiles.every()
        return next((profile for profile in self.profiles if profile.id == self.server.profile), None)

    def why_not(self, profile: Profile) -> tuple[Message, ...]:
        """Why a profile does not fit this machine; empty when it does, or when the machine was not looked at yet."""
        return reasons_against(profile, self._machine) if self._machine is not None else ()

    @property
    def place(self) -> Place:
        """Where it would run."""
        server = self.server
        return Place(model_root=server.model_root, port=server.port)

    @property
    def is_container(self) -> bool:
        """Whether it runs as a quadlet."""
        return self.server.run_as == "quadlet"

    def choose(self, profile_id: str) -> None:
        """Choose a profile; starts nothing."""
        if profile_id != self.server.profile or self.server.kind != "profile":
            self._remember(kind="profile", profile=profile_id)
            self.profiles_changed.emit()
            self.examine()

    def change(self, **changes: Any) -> None:
        """Change the place: `model_root`, `port`, `run_as`, `unit`, `unit_url`."""
        if any(getattr(self.server, name) != value for name, value in changes.items()):
            self._remember(**changes)
            self.place_changed.emit()
            if self.server.kind == "profile":
                self.examine()

    def mend(self, edit: Edit) -> None:
        """Keep the chosen profile with a change as the user's own, and choose it."""
        if (profile := self.profile) is None:
            return
        own = profile.id if profile not in profiles.shipped() else f"{profile.id[:58]}-mine"
        title = profile.title if own == profile.id else f"{profile.title} *"
        self._keep(edit.apply(profile).model_copy(update={"id": own, "title": title}))

    def import_file(self, path: Path) -> None:
        """Take a profile's file in; it starts nothing before it was confirmed."""
        try:
            profile = profiles.load_file(path)
        except StudioError as error:
            self._notices.error(error)
            return
        if any(profile.id == shipped.id for shipped in profiles.shipped()):
            profile = profile.model_copy(update={"id": f"{profile.id[:54]}-imported"})
        self._keep(profile, confirmed=False)

    def export_file(self, path: Path) -> None:
        """Write the chosen profile to a file."""
        if self.profile is not None:
            try:
                profiles.save(self.profile, path)
            except OSError as error:
                self._notices.error(_disk_error(path, error))

    # Before a start.

    def unconfirmed(self) -> str | None:
        """What a profile that is not built in would run otherwise than the nearest built-in; None once confirmed."""
        profile = self.profile
        if self.server.kind != "profile" or profile is None or profile in profiles.shipped():
            return None
        if _mark(profile) in self.server.confirmed:
            return None
        near = profiles.nearest(profile)
        rows = profiles.differences(profile, near)
        return "\n".join(f"{name}: {_plain(own)}  ({near.id}: {_plain(other)})" for name, (own, other) in rows.items())

    def confirm(self) -> None:
        """The chosen profile was looked at and may be started, as it is now."""
        if self.profile is not None:
            self._remember(confirmed=(*self.server.confirmed, _mark(self.profile)))

    def launcher(self, longest_job: float | None = None) -> Launcher:
        """The launcher of what is chosen. Raises StudioError when something is missing."""
        server = self.server
        if server.kind == "unit":
            return UnitLauncher("window", server.unit, server.unit_url)
        if self.profile is None:
            raise StudioError("server.no_launch")
        how: Literal["process", "container"] = "container" if self.is_container else "process"
        launch = plan(self.profile, self.place, how=how, longest_job=longest_job)
        return QuadletLauncher("window", launch) if self.is_container else ProcessLauncher("window", launch)

    # What there is to see.

    def machine_line(self) -> str:
        """The machine in one line, for a copied log."""
        there = self._machine
        if there is None:
            return platform.platform()
        cards = ", ".join(f"{gpu.name} {gpu.total / GIB:.0f} GiB" for gpu in there.gpus) or "no NVIDIA card"
        driver = there.driver or "–"
        return f"{platform.platform()} · {there.ram_total / GIB:.0f} GiB · {cards} · driver {driver}"

    def look(self) -> None:
        """Read the user's profiles and the machine anew."""
        self._scope.start(self._look(), name="look")

    def examine(self) -> None:
        """Have the doctor look at the choice."""
        if self._examining is not None:
            self._scope.cancel(self._examining)
        self._examining = self._scope.start(self._examine(), name="doctor")

    def text(self, form: Form) -> str:
        """The chosen launch as text, or why it cannot be written so."""
        if self.profile is None:
            return ""
        place = self.place if self.place.model_root else Place(model_root=_NO_MODEL, port=self.server.port)
        try:
            how: Literal["process", "container"] = "container" if form in ("quadlet", "compose") else "process"
            return render(plan(self.profile, place, how=how), form)
        except StudioError as error:
            return error.text()

    def note(self, form: Form) -> tuple[str, str]:
        """(where the text belongs, the command that has it checked by the program that reads it)."""
        return f"~/{file_name(form, self.place.name)}", check_command(form, self.place.name)

    async def _look(self) -> None:
        self.profiles = await asyncio.to_thread(profiles.every)
        self._machine = await asyncio.to_thread(lambda: read(self._library()))
        self.profiles_changed.emit()
        if self.server.kind == "profile":
            self.examine()

    async def _examine(self) -> None:
        from studio.server.doctor import examine

        profile, place, container = self.profile, self.place, self.is_container
        self.examined.emit(None)
        if profile is None:
            return
        checks = await asyncio.to_thread(lambda: examine(profile, place, read(self._library()), container=container))
        self.examined.emit(checks)

    def _keep(self, profile: Profile, *, confirmed: bool = True) -> None:
        try:
            profiles.save(profile)
        except OSError as error:
            self._notices.error(_disk_error(profiles.users_dir(), error))
            return
        self.profiles = profiles.every()
        self.choose(profile.id)
        if confirmed:
            self.confirm()
        self.profiles_changed.emit()


def _mark(profile: Profile) -> str:
    """Names a profile with its content: one that was changed since is asked about again."""
    return f"{profile.id}:{hashlib.sha256(profile.model_dump_json().encode()).hexdigest()[:16]}"


def _plain(value: Any) -> str:
    return " ".join(value) if isinstance(value, tuple) else str(value)


def _disk_error(path: Path, error: OSError) -> StudioError:
    return StudioError("disk.write", mend="disk.write.mend", path=str(path), reason=error.strerror or str(error))
