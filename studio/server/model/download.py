"""The model's download as the studio follows it: files, bytes, pace, stalls; ended by ending its process."""

from __future__ import annotations

import asyncio
import contextlib
import json
import signal
import time
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from studio.core.children import clean_environment
from studio.core.errors import StudioError
from studio.core.events import Event
from studio.core.program import own_argv
from studio.core.words import known_codes
from studio.server.model.wanted import Partition

STALLED_AFTER: Final = 20.0
"""Seconds without a byte after which a download is said to stand still."""
_PACE_OVER: Final = 30.0
_LOOK_EVERY: Final = 1.0
_LINE_LIMIT: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class FileState:
    """One file: bytes that it has, and that are there. `why` it broke off last, "" when it did not."""

    name: str
    size: int
    done: int = 0
    why: str = ""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a download is. `pace` in bytes a second; `stalled` in s since the last byte, None while bytes come."""

    files: tuple[FileState, ...] = ()
    pace: float = 0.0
    stalled: float | None = None
    ended: bool = False

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(file.size for file in self.files)

    @property
    def done(self) -> int:
        """Bytes that are there."""
        return sum(file.done for file in self.files)

    @property
    def seconds_left(self) -> float | None:
        """At the present pace; None when that is not known."""
        return (self.size - self.done) / self.pace if self.pace > 0 and self.files else None

    @property
    def current(self) -> FileState | None:
        """The file that is under way."""
        begun = [file for file in self.files if file.done < file.size]
        return max(begun, key=lambda file: (file.done > 0, -file.size), default=None)


class Download:
    """Fetches one partition into a folder. `run` again goes on where it was broken off."""

    def __init__(self, partition: Partition, folder: Path, *, revision: str = "main") -> None:
        self.partition, self.folder, self.revision = partition, folder, revision
        self.changed: Event[Progress] = Event()
        self.progress = Progress()
        self._heard = 0.0
        self._bytes: deque[tuple[float, int]] = deque()

    async def run(self) -> None:
        """Fetch everything. Cancelled, it ends its process and leaves what is there. Raises StudioError (`model.*`)."""
        argv = own_argv("model", "fetch", self.partition, str(self.folder), "--revision", self.revision)
        child = await asyncio.create_subprocess_exec(
            *argv,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env=clean_environment(),
            start_new_session=True,
            limit=_LINE_LIMIT,
        )
        assert child.stdout is not None
        self._heard = time.monotonic()
        try:
            last = await self._follow(child.stdout)
            status = await child.wait()
        finally:
            if child.returncode is None:
                with contextlib.suppress(ProcessLookupError):
                    child.send_signal(signal.SIGKILL)
                await child.wait()
        _heed(last, status)
        self._set(replace(self.progress, ended=True, stalled=None))

    async def _follow(self, lines: asyncio.StreamReader) -> Mapping[str, Any] | None:
        """Read what the process tells until it ends; its last word."""
        reading: asyncio.Task[bytes] | None = None
        try:
            while True:
                reading = reading or asyncio.ensure_future(lines.readline())
                await asyncio.wait([reading], timeout=_LOOK_EVERY)
                if not reading.done():
                    self._look_at_the_clock()
                    continue
                line, reading = reading.result(), None
                if not line:
                    return None
                said = json.loads(line)
                if "ended" in said:
                    return dict(said)
                self._take(said)
        finally:
            if reading is not None:
                reading.cancel()

    def _take(self, said: Mapping[str, Any]) -> None:
        if "files" in said:
            files = tuple(FileState(str(name), int(size), int(there)) for name, size, there in said["files"])
            self._heard = time.monotonic()
            self._set(replace(self.progress, files=files))
            return
        known = {file.name: file for file in self.progress.files}
        file = known[str(said["name"])]
        if "done" in said:
            now = time.monotonic()
            grown = int(said["done"]) - file.done
            known[file.name] = replace(file, done=int(said["done"]), why="")
            if grown > 0:
                self._heard = now
            self._set(replace(self.progress, files=tuple(known.values()), stalled=None, pace=self._pace(now, grown)))
        else:
            known[file.name] = replace(file, why=str(said["why"]))
            self._set(replace(self.progress, files=tuple(known.values())))

    def _pace(self, now: float, grown: int) -> float:
        self._bytes.append((now, max(0, grown)))
        while self._bytes[0][0] < now - _PACE_OVER:
            self._bytes.popleft()
        seconds = now - self._bytes[0][0]
        return sum(count for _, count in list(self._bytes)[1:]) / seconds if seconds > 0 else 0.0

    def _look_at_the_clock(self) -> None:
        silent = time.monotonic() - self._heard
        if silent >= STALLED_AFTER and self.progress.files:
            self._set(replace(self.progress, stalled=silent, pace=0.0))

    def _set(self, progress: Progress) -> None:
        if progress != self.progress:
            self.progress = progress
            self.changed.emit(progress)


async def ask() -> None:
    """Ask the hub whether it gives the model to this user; cancelling ends it. Raises StudioError (`model.*`)."""
    child = await asyncio.create_subprocess_exec(
        *own_argv("model", "ask"),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env=clean_environment(),
        start_new_session=True,
    )
    try:
        out, _ = await child.communicate()
    finally:
        if child.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                child.kill()
            await child.wait()
    lines = out.splitlines()
    _heed(json.loads(lines[-1]) if lines else None, child.returncode or 0)


def _heed(last: Mapping[str, Any] | None, status: int) -> None:
    """The last word of such a process. Raises StudioError (`model.*`) when it is not that all went well."""
    if last is None:
        raise StudioError("model.ended", mend="model.unreachable.mend", status=status)
    if last["ended"] is not None:
        code = str(last["ended"])
        mend = f"{code}.mend" if f"{code}.mend" in known_codes() else "model.unreachable.mend"
        raise StudioError(code, mend=mend, **last["params"])
