"""How grave a line of a server's log is: by its level word, or as what follows such a line (a traceback has none)."""

from __future__ import annotations

import re
from enum import IntEnum
from typing import Final


class Gravity(IntEnum):
    """From the least; also the choices of what a log shows."""

    ALL = 0
    WARNING = 1
    ERROR = 2


_HEAD: Final = 60
# "(APIServer pid=7) ERROR 11-29 …" of vLLM's logger, "ERROR:    …" of uvicorn, "[rank0]: …" of torch.
_LEVEL: Final = re.compile(r"^(?:\([^)]*pid=\d+\) )?(?:\[rank\d+\]:\s*)?(DEBUG|INFO|WARNING|ERROR|CRITICAL)\b")
_PREFIX: Final = re.compile(r"^(?:\([^)]*pid=\d+\) )?(?:\[rank\d+\]: ?)?")
_FAULT: Final = re.compile(r"Traceback \(most recent call last\)|(?:\w+\.)*\w*(?:Error|Exception)\b: |\w+: error: ")
_OF: Final = {"WARNING": Gravity.WARNING, "ERROR": Gravity.ERROR, "CRITICAL": Gravity.ERROR}


class GravityReader:
    """Feed it a log's lines in order."""

    def __init__(self) -> None:
        self._in_traceback = False

    def read(self, line: str) -> Gravity:
        """How grave this line is."""
        if found := _LEVEL.match(line, 0, _HEAD):
            self._in_traceback = False
            return _OF.get(found[1], Gravity.ALL)
        prefix = _PREFIX.match(line, 0, _HEAD)
        start = prefix.end() if prefix is not None else 0
        if _FAULT.match(line, start):
            self._in_traceback = line.startswith("Traceback", start)
            return Gravity.ERROR
        self._in_traceback = self._in_traceback and line.startswith(" ", start)
        return Gravity.ERROR if self._in_traceback else Gravity.ALL
