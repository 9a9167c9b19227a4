"""Names of the processes that hold a card's memory, looked up once each."""

from __future__ import annotations

import psutil

_MOST = 256


class Names:
    """vLLM's workers set their titles ("vLLM-Omni::DiffusionWorker_TP0"): those say more than "python3"."""

    def __init__(self) -> None:
        self._known: dict[int, str] = {}

    def of(self, pid: int) -> str:
        """What a process calls itself; "" when it is gone or not ours to see."""
        if pid not in self._known:
            while len(self._known) >= _MOST:
                self._known.pop(next(iter(self._known)))
            self._known[pid] = _name(pid)
        return self._known[pid]


def _name(pid: int) -> str:
    try:
        process = psutil.Process(pid)
        first = next(iter(process.cmdline()), "")
        return first.split("/")[-1][:80] or str(process.name())
    except psutil.Error:
        return ""
