"""A profile being edited: flags one by one, variables, program; what is wrong with it while it is typed."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal

from studio.server import Profile
from studio.server.doctor import Check, Level
from studio.server.doctor.flags import check_flags
from studio.server.flag_table import Given, join, known, split


class ProfileDraft(QObject):
    """Begins as a profile; `profile` is what it has become."""

    edited = Signal()
    """A value is another."""
    rebuilt = Signal()
    """Another profile, or a flag or variable more or less."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._origin: Profile | None = None
        self.title = ""
        self.program = ""
        """As one line of a shell."""
        self.flags: list[Given] = []
        self.env: dict[str, str] = {}
        self.grace = 0.0
        """Seconds that it has to end by itself."""

    def take(self, profile: Profile | None) -> None:
        """Begin anew from a profile; the same one again changes nothing."""
        if profile == self._origin:
            return
        self._origin = profile
        self.reset()

    def reset(self) -> None:
        """Back to what it was."""
        profile = self._origin
        self.title = profile.title if profile else ""
        self.program = shlex.join(profile.program) if profile else ""
        self.flags = list(split(profile.args)) if profile else []
        self.env = dict(profile.env) if profile else {}
        self.grace = profile.grace_s if profile else 0.0
        self.rebuilt.emit()

    @property
    def profile(self) -> Profile | None:
        """What it has become, as a profile; None without an origin, or while the program cannot be read."""
        if self._origin is None:
            return None
        try:
            program = tuple(shlex.split(self.program))
        except ValueError:
            return None
        changes = {"title": self.title.strip(), "program": program, "args": join(self.flags), "env": dict(self.env)}
        return self._origin.model_copy(update={**changes, "grace_s": self.grace})

    @property
    def is_changed(self) -> bool:
        """Whether there is anything to keep."""
        return self._origin is not None and self.profile != self._as_it_was()

    def problems(self) -> Sequence[Check]:
        """What 0.30.0 would refuse or ignore of it."""
        profile = self.profile
        return [check for check in check_flags(profile) if check.level is not Level.PASS] if profile else []

    def set_title(self, title: str) -> None:
        """Call it something else."""
        self.title = title
        self.edited.emit()

    def set_program(self, line: str) -> None:
        """Run another program."""
        self.program = line
        self.edited.emit()

    def set_grace(self, seconds: float) -> None:
        """Let it have so long to end by itself."""
        self.grace = seconds
        self.edited.emit()

    def set_flag(self, index: int, value: str) -> None:
        """Another value; a flag that takes several has them separated as in a shell."""
        flag = self.flags[index].flag
        self.flags[index] = Given(flag, _words(flag, value))
        self.edited.emit()

    def add_flag(self, flag: str) -> None:
        """One flag more, with its default; a name that is none is left alone."""
        flag = flag.strip()
        if re.fullmatch(r"--[\w.-]+", flag) and flag not in (given.flag for given in self.flags):
            about = known(flag)
            self.flags.append(Given(flag, (about.default,) if about is not None and about.default else ()))
            self.rebuilt.emit()

    def remove_flag(self, index: int) -> None:
        """One flag less."""
        del self.flags[index]
        self.rebuilt.emit()

    def set_variable(self, name: str, value: str) -> None:
        """Another value of a variable, or a new one."""
        is_new = name not in self.env
        self.env[name] = value
        (self.rebuilt if is_new else self.edited).emit()

    def add_variable(self, name: str) -> None:
        """One variable more, empty; a name that is none is left alone."""
        if re.fullmatch(r"[A-Za-z_]\w*", name.strip()) and name.strip() not in self.env:
            self.set_variable(name.strip(), "")

    def remove_variable(self, name: str) -> None:
        """One variable less."""
        del self.env[name]
        self.rebuilt.emit()

    def _as_it_was(self) -> Profile | None:
        origin = self._origin
        return origin.model_copy(update={"args": join(split(origin.args)), "env": dict(origin.env)}) if origin else None


def _words(flag: str, value: str) -> tuple[str, ...]:
    about = known(flag)
    if about is not None and about.many:
        try:
            return tuple(shlex.split(value))
        except ValueError:
            return (value,)
    return (value,) if value else ()
