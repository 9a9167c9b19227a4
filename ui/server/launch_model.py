"""What would be started: the profiles and which of them fit, the place, the doctor's list, the launch as text.

Beside ServerModel the other place in Server that talks to studio.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import platform
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, Literal

from PySide6.QtCore import QObject, Signal

from studio.contract import PastRun, Shot
from studio.core.errors import StudioError
from studio.core.notices import Notices
from studio.core.tasks import TaskScope
from studio.core.words import Message
from studio.jobs import Job, Target
from studio.jobs.longest import longest_seconds
from studio.server import Launcher, Place, ProcessLauncher, Profile, QuadletLauncher, RehearsalLauncher, ports, profiles
from studio.server.doctor import Check, Keeper, Level, examine, examine_remote
from studio.server.failures import Edit
from studio.server.fitting import reasons_against
from studio.server.launch import Launch, plan
from studio.server.launchers import ContainerLauncher, OwnContainerLauncher, SshLauncher, UnitLauncher
from studio.server.machine import GIB, Machine, nvml, read
from studio.server.ssh import SshHost
from studio.server.texts import Form, check_command, file_name, render
from studio.settings import SettingsStore
from studio.settings.model import ServerSettings
from ui.server.card_order import CardOrder
from ui.server.lacking import lacking
from ui.server.model_fetch import ModelFetch

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
        jobs: Callable[[], Iterable[Job]] = tuple,
        past_runs: Callable[[str], Awaitable[Sequence[PastRun]]] | None = None,
        library: Callable[[], Any | None] = nvml,
    ) -> None:
        super().__init__(parent)
        self._settings, self._notices, self._remember = settings, notices, remember
        self._jobs, self._library, self._past_runs = jobs, library, past_runs
        self.draft: Callable[[], Iterable[Shot]] = tuple
        """What is being composed and would be rendered next."""
        self._past: Sequence[PastRun] = ()
        self._scope = TaskScope("launch-model", lambda error, _task: notices.error(error))
        self.cards = CardOrder(settings, self.change, self._scope, self)
        self.fetch = ModelFetch(notices, self)
        self._examining: asyncio.Task[None] | None = None
        self._machine: Machine | None = None
        self._longest: float | None = None
        self.profiles: tuple[Profile, ...] = ()
        """The user's own and the built-in ones; empty until they were asked for."""
        self.unit_lacks: tuple[Path | None, str] | None = None
        """(file, text to add there): what the chosen user unit does not set; no file for a container's options."""

    async def aclose(self) -> None:
        """Stop looking, and end a download; it goes on from there next time."""
        await self.fetch.aclose()
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

    @property
    def is_built_in(self) -> bool:
        """Whether the chosen profile is a shipped one, or none is chosen."""
        return self.profile is None or self.profile in profiles.shipped()

    def why_not(self, profile: Profile) -> tuple[Message, ...]:
        """Why a profile does not fit this machine; empty when it does, or when the machine was not looked at yet."""
        return reasons_against(profile, self._machine) if self._machine is not None else ()

    @property
    def place(self) -> Place:
        """Where it would run."""
        server = self.server
        name = f"minimax-h3-{server.place}" if server.place else "minimax-h3"
        return Place(
            model_root=server.model_root,
            port=server.port,
            name=name,
            conflicts=server.conflicts,
            values=server.values,
            devices=server.gpus,
            numa=server.numa,
        )

    @property
    def url(self) -> str:
        """Where the chosen profile would be reached."""
        port = self.server.port or (self.profile.port_default if self.profile is not None else 8000)
        return f"http://127.0.0.1:{port}"

    @property
    def longest_job(self) -> float | None:
        """The longest queued job's estimate on the chosen server, s; None when unknown or none is queued."""
        profile = self.profile if self.server.kind == "profile" else None
        return longest_seconds(self._jobs(), (*self._past, *(profile.published_runs if profile is not None else ())))

    @property
    def is_container(self) -> bool:
        """Whether it runs in a container."""
        return self.server.run_as in ("quadlet", "podman", "docker")

    def choose(self, profile_id: str) -> None:
        """Choose a profile; starts nothing."""
        if profile_id != self.server.profile or self.server.kind != "profile":
            self._remember(kind="profile", profile=profile_id)
            self.profiles_changed.emit()
            self.examine()

    def change(self, **changes: Any) -> None:
        """Change the place: `model_root`, `port`, `values`, `run_as`, `conflicts`, `unit`, `unit_in`, `unit_url`."""
        if any(getattr(self.server, name) != value for name, value in changes.items()):
            self._remember(**changes)
            self.place_changed.emit()
            if self.server.kind == "profile":
                self.examine()
            elif "unit" in changes or "unit_in" in changes:
                self.look_at_unit()

    async def recall(self) -> None:
        """Learn anew how fast the chosen server was."""
        if self._past_runs is not None:
            self._past = await self._past_runs(Target.of(self.server).lane)

    def on_queue(self) -> None:
        """Other jobs are queued: the time limits follow the longest."""
        longest = self.longest_job
        if longest != self._longest:
            self._longest = longest
            self.place_changed.emit()

    def use_free_port(self) -> None:
        """Choose the next port that nothing has."""
        port = self.server.port or (self.profile.port_default if self.profile is not None else 8000)
        self.change(port=next(port for port in range(port + 1, 65536) if ports.is_free("127.0.0.1", port)))

    def mend(self, edit: Edit) -> None:
        """Keep the chosen profile with a change as the user's own, and choose it."""
        if (profile := self.profile) is None:
            return
        own = profile.id if profile not in profiles.shipped() else f"{profile.id[:58]}-mine"
        title = profile.title if own == profile.id else f"{profile.title} *"
        self._keep(edit.apply(profile).model_copy(update={"id": own, "title": title}))

    def keep(self, profile: Profile) -> None:
        """Keep what the chosen profile was edited into, as the user's own, and choose it."""
        if self.is_built_in:
            title = profile.title if profile.title != getattr(self.profile, "title", "") else f"{profile.title} *"
            profile = profile.model_copy(update={"id": profiles.free_id(title), "title": title})
        self._keep(profile)

    def remove(self) -> None:
        """Forget the chosen profile, which is the user's own."""
        if self.profile is None or self.is_built_in:
            return
        near = profiles.nearest(self.profile).id
        try:
            profiles.remove(self.profile.id)
        except OSError as error:
            self.tell_unwritten(profiles.users_dir(), error)
            return
        self.profiles = profiles.every()
        self.choose(near)

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
                self.tell_unwritten(path, error)

    def tell_unwritten(self, path: Path, error: OSError) -> None:
        """Say that a file could not be written."""
        reason = error.strerror or str(error)
        self._notices.error(StudioError("disk.write", mend="disk.write.mend", path=str(path), reason=reason))

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

    def launcher(self, present: Launcher | None = None) -> Launcher:
        """The launcher of what is chosen; `present` is the one of now. Raises StudioError when something is missing."""
        server = self.server
        if server.kind in ("rehearsal", "url"):
            rehearsal = present if isinstance(present, RehearsalLauncher) else RehearsalLauncher("window")
            rehearsal.step_seconds, rehearsal.task_type = server.rehearsal_step_seconds, server.rehearsal_task
            return rehearsal
        if server.kind == "unit":
            if server.unit_in == "systemd":
                return UnitLauncher("window", server.unit, server.unit_url)
            return ContainerLauncher("window", server.unit, server.unit_url, engine=server.unit_in)
        if self.profile is None:
            raise StudioError("server.no_launch")
        return self._launcher_of(self._launch(self.profile))

    def _launch(self, profile: Profile) -> Launch:
        how: Literal["process", "container"] = "container" if self.is_container else "process"
        return plan(profile, self.place, how=how, longest_job=self.longest_job)

    def _launcher_of(self, launch: Launch) -> Launcher:
        match self.server.run_as:
            case "quadlet":
                return QuadletLauncher("window", launch)
            case "podman" | "docker" as engine:
                return OwnContainerLauncher("window", launch, engine=engine)
            case "ssh":
                SshHost(self.server.host)  # said before anything is asked
                return SshLauncher("window", self.server.host, launch)
            case _:
                return ProcessLauncher("window", launch)

    # What there is to see.

    def machine_line(self) -> str:
        """The machine in one line, for a copied log."""
        there = self._machine
        if there is None:
            return platform.platform()
        cards = ", ".join(f"{gpu.name} {gpu.total / GIB:.0f} GB" for gpu in there.gpus) or "no NVIDIA card"
        driver = there.driver or "–"
        return f"{platform.platform()} · {there.ram_total / GIB:.0f} GB · {cards} · driver {driver}"

    def refresh(self) -> None:
        """Another server is chosen: everything is another."""
        self.unit_lacks = None
        self.profiles_changed.emit()
        self.place_changed.emit()
        self.look()

    def look(self) -> None:
        """Read the user's profiles and the machine anew."""
        self._scope.start(self._look(), name="look")

    def examine(self) -> None:
        """Have the doctor look at the choice."""
        if self._examining is not None:
            self._scope.cancel(self._examining)
        self._examining = self._scope.start(self._examine(), name="doctor")

    def look_at_unit(self) -> None:
        """Read what the chosen user unit lacks; its files are left as they are."""
        self._scope.start(self._look_at_unit(), name="unit")

    def text(self, form: Form) -> str:
        """The chosen launch as text, or why it cannot be written so."""
        if self.profile is None:
            return ""
        place = self.place if self.place.model_root else replace(self.place, model_root=_NO_MODEL)
        given = {name: value for name, value in self.server.values.items() if value}
        place = replace(place, values={name: f"/path/to/{name}" for name in self.profile.placeholders} | given)
        try:
            how: Literal["process", "container"] = "container" if form in ("quadlet", "compose") else "process"
            return render(plan(self.profile, place, how=how, longest_job=self.longest_job), form)
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
        elif self.server.kind == "unit":
            self.look_at_unit()

    async def _examine(self) -> None:
        profile, place, container = self.profile, self.place, self.is_container
        self.examined.emit(None)
        await self.recall()
        if profile is None:
            return
        longest, run_as = self.longest_job, self.server.run_as
        shots = [job.shot for job in self._jobs()] + list(self.draft())
        engine: Keeper = run_as if run_as in ("podman", "docker") else "quadlet"
        if run_as == "ssh":
            self.examined.emit(await self._examine_there(profile, shots))
            return
        how: dict[str, Any] = {"container": container, "engine": engine, "longest_job": longest, "shots": shots}
        checks = await asyncio.to_thread(lambda: examine(profile, place, read(self._library()), **how))
        self.examined.emit(checks)

    async def _examine_there(self, profile: Profile, shots: Sequence[Shot]) -> list[Check]:
        try:
            root = self.place.model_root or _NO_MODEL
            launch = plan(profile, replace(self.place, model_root=root), longest_job=self.longest_job)
            return await examine_remote(self.server.host, launch, shots)
        except StudioError as error:
            return [Check(Level.FAIL, error.message)]

    async def _look_at_unit(self) -> None:
        self.unit_lacks = None
        if self.server.unit:
            with contextlib.suppress(StudioError):  # a start says what is wrong with it
                self.unit_lacks = await lacking(self.launcher())
        self.place_changed.emit()

    def _keep(self, profile: Profile, *, confirmed: bool = True) -> None:
        try:
            profiles.save(profile)
        except OSError as error:
            self.tell_unwritten(profiles.users_dir(), error)
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
