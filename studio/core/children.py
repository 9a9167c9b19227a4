"""Child processes: a clean environment, an identity that survives pid reuse, signals to a whole group."""

from __future__ import annotations

import contextlib
import functools
import os
import signal
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import psutil

# OpenCV writes the first two at import, PySide6 and our own set-up the rest: none is a child's business.
_OURS = (
    "QT_QPA_PLATFORM_PLUGIN_PATH",
    "QT_QPA_FONTDIR",
    "QT_PLUGIN_PATH",
    "QML2_IMPORT_PATH",
    "QT_API",
    "PYQTGRAPH_QT_LIB",
    "PYTEST_QT_API",
    "PYTEST_CURRENT_TEST",
)


def clean_environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """This process's environment without what Qt, OpenCV and PySide6 put there, plus `extra`."""
    env = {k: v for k, v in os.environ.items() if k not in _OURS}
    env.update(extra or {})
    return env


@functools.cache
def boot_id() -> str:
    """Names this boot of the machine: a pid of another boot is another process."""
    with contextlib.suppress(OSError):
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    return str(int(psutil.boot_time()))


@dataclass(frozen=True, slots=True)
class ProcessId:
    """A process that cannot be mistaken for another: pid, start time (s since the epoch, as psutil gives it), boot."""

    pid: int
    started: float
    boot: str

    @classmethod
    def of(cls, pid: int) -> ProcessId:
        """The identity of a running process. Raises ProcessLookupError when there is none."""
        try:
            return cls(pid, psutil.Process(pid).create_time(), boot_id())
        except psutil.Error as error:
            raise ProcessLookupError(pid) from error

    @classmethod
    def mine(cls) -> ProcessId:
        """This process."""
        return cls.of(os.getpid())

    def alive(self) -> bool:
        """Whether exactly this process still runs (a zombie does not)."""
        if self.boot != boot_id():
            return False
        try:
            process = psutil.Process(self.pid)
            return abs(process.create_time() - self.started) < 0.05 and process.status() != psutil.STATUS_ZOMBIE
        except psutil.Error:
            return False

    def send(self, number: int) -> bool:
        """Send a signal to this process; False when it is gone."""
        if not self.alive():
            return False
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(self.pid, number)
            return True
        return False

    def kill_group(self, number: int = signal.SIGKILL) -> bool:
        """Signal the process group that this process leads; False when there is none."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, number)
            return True
        return False

    def as_dict(self) -> dict[str, Any]:
        """Plain data for a record."""
        return asdict(self)
