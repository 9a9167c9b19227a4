"""What the real server prints: vLLM's log lines on stdout, the step bar and uvicorn's notes on stderr.

Every line starts with `(Name pid=N) `; an update of the bar starts with CR, so the prefix stands once before them
(vllm 0.30.0, utils/system_utils.py).
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO

import tqdm


class _Prefixed:
    """A text stream that puts the process's name before each line."""

    def __init__(self, stream: TextIO, log: Log) -> None:
        self._stream = stream
        self._log = log
        self._new_line = True

    def write(self, text: str) -> int:
        for piece in text.splitlines(keepends=True):
            self._stream.write(self._log.prefix + piece if self._new_line else piece)
            self._new_line = piece.endswith("\n")
        return len(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


class Log:
    """Writer of log lines. `name` is the process's title: `APIServer`, after loading `DiffusionWorker`."""

    def __init__(self) -> None:
        self.name = "APIServer"
        self.plain = os.environ.get("VLLM_CONFIGURE_LOGGING") == "0"

    @property
    def prefix(self) -> str:
        """What stands before each line."""
        return "" if self.plain else f"({self.name} pid={os.getpid()}) "

    def attach(self) -> None:
        """From here on, everything this process prints is prefixed."""
        sys.stdout = _Prefixed(sys.stdout, self)
        sys.stderr = _Prefixed(sys.stderr, self)

    def info(self, place: str, message: str, level: str = "INFO") -> None:
        """One record; `place` is `file.py:line`. Lines after the first repeat the header, joined with CR LF."""
        stamp = time.strftime("%m-%d %H:%M:%S")
        head = f"{level} {stamp} [{place}] "
        sys.stdout.write("\r\n".join(head + line for line in message.split("\n")) + "\n")
        sys.stdout.flush()

    def error(self, place: str, message: str) -> None:
        """One ERROR record."""
        self.info(place, message, "ERROR")

    def profile(self, target: str, seconds: float) -> None:
        """The line that marks the end of a phase (`--enable-diffusion-pipeline-profiler`)."""
        text = f"[DiffusionPipelineProfiler] MiniMaxH3Pipeline.{target} took {seconds:.6f}s"
        self.info("diffusion_pipeline_profiler.py:52", text)


@contextmanager
def step_bar(steps: int, shown: bool = True) -> Iterator[Any]:
    """H3's bar: tqdm with only `total` and `disable` given, so that the environment's `TQDM_*` variables hold."""
    with tqdm.tqdm(total=steps, disable=not shown) as bar:
        yield bar
