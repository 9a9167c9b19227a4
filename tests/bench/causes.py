"""What the main thread was at while the event loop did not come back: its stack, looked at from another thread."""

from __future__ import annotations

import gc
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

LONG_MS = 16.0
_LOOK_S = 0.002
_ROOT = Path(__file__).resolve().parents[2]


class Causes:
    """Between `start` and `stop`, notes the stack whenever the last beat is older than LONG_MS; `beat` is the loop's.

    What collects garbage stands under that name.
    """

    def __init__(self) -> None:
        self.beat = time.perf_counter()
        self._main = threading.main_thread().ident
        self._seen: Counter[str] = Counter()
        self._collects = ""
        self._ends = threading.Event()
        self._thread = threading.Thread(target=self._run, name="causes", daemon=True)

    def start(self) -> None:
        """Begin to look."""
        self.beat = time.perf_counter()
        gc.callbacks.append(self._on_garbage)
        self._thread.start()

    def stop(self) -> list[tuple[str, float]]:
        """Look no more. Gives the causes: the innermost calls of ours, and milliseconds they held the loop beyond
        LONG_MS, the longest first."""
        self._ends.set()
        self._thread.join()
        gc.callbacks.remove(self._on_garbage)
        return [(cause, 1000 * _LOOK_S * count) for cause, count in self._seen.most_common(12)]

    def _on_garbage(self, phase: str, info: dict[str, int]) -> None:
        self._collects = f"garbage of generation {info['generation']}" if phase == "start" else ""

    def _run(self) -> None:
        while not self._ends.wait(_LOOK_S):
            if 1000 * (time.perf_counter() - self.beat) > LONG_MS:
                calls = list(_calls(sys._current_frames().get(self._main or 0)))
                self._seen[self._collects or " < ".join(calls[:4])] += 1


def _calls(frame: FrameType | None) -> Iterator[str]:
    """The calls of a stack that are ours, innermost first; before them what they have called elsewhere."""
    first = True
    while frame is not None:
        code = frame.f_code
        path = Path(code.co_filename)
        ours = path.is_relative_to(_ROOT) and ".venv" not in path.parts
        if ours or first:
            yield f"{path.relative_to(_ROOT) if ours else path.name}:{frame.f_lineno} {code.co_name}"
        first = False
        frame = frame.f_back
