"""Tails the two log files of a server that we started, as bytes, and tells what they say."""

from __future__ import annotations

import asyncio
import re
from collections import deque
from pathlib import Path

from studio.core.events import Event
from studio.server.records import ServerRecord
from studio.telemetry.steps import Phase, ProgressReader, Reading

_FAST, _SLOW = 0.1, 1.0
# What stands before a bar's carriage return: the process's prefix and nothing else.
_ONLY_PREFIX = re.compile(r"\([^)]*pid=\d+\)")
_CHUNK = 1 << 20


class _Tail:
    """Reads what was appended to one file since the last look."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._at = 0

    def read(self) -> bytes:
        try:
            with self._path.open("rb") as fp:
                fp.seek(self._at)
                data = fp.read(_CHUNK)
        except OSError:
            return b""
        self._at += len(data)
        return data


class LogWatch:
    """Follows one server's logs: `readings` for progress, `lines` for people; keeps the last 2,000 lines.

    `present`: what the render of now, or the last one, has told so far: for who begins to listen in its middle.

    The log is looked at ten times a second while it grows and once a second while it does not.
    """

    def __init__(self, record: ServerRecord) -> None:
        self.readings: Event[Reading] = Event()
        self.lines: Event[str] = Event()
        self.recent: deque[str] = deque(maxlen=2000)
        self.present: deque[Reading] = deque(maxlen=10_000)
        self._streams = [(_Tail(path), ProgressReader()) for path in (record.stderr, record.stdout)]
        self._rest = ["", ""]
        self._looking = asyncio.Lock()

    async def run(self) -> None:
        """Follow until cancelled."""
        pause = _FAST
        while True:
            grew = await self.look()
            pause = _FAST if grew else min(_SLOW, pause * 1.3)
            await asyncio.sleep(pause)

    async def look(self) -> bool:
        """Read what is new now; whether there was anything."""
        grew = False
        async with self._looking:
            for index, (tail, reader) in enumerate(self._streams):
                while data := await asyncio.to_thread(tail.read):
                    grew = True
                    for reading in reader.feed(data):
                        if reading is Phase.PREPARE:
                            self.present.clear()
                        self.present.append(reading)
                        self.readings.emit(reading)
                    self._say(index, data)
        return grew

    def _say(self, index: int, data: bytes) -> None:
        text = self._rest[index] + data.decode("utf-8", "replace").replace("\r", "\n")
        *lines, self._rest[index] = text.split("\n")
        for line in (line.rstrip() for line in lines):
            if not line or _ONLY_PREFIX.fullmatch(line):
                continue
            self.recent.append(line)
            self.lines.emit(line)
