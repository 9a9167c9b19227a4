"""Failures on order: `NAME[=VALUE][@WHEN]`.

`VALUE` is the fault's number or text. `@WHEN` is a denoise step for faults in the render (default: half way) and a
number of times for faults on the wire (default: always).
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass, field

IN_THE_RENDER = {
    "oom": "the job fails with a CUDA out-of-memory text, and so does every later one",
    "cudnn": "a job of more than VALUE rows (100000) fails in cuDNN's attention graph",
    "error": "the job fails with VALUE as its text",
    "hang": "no step ends any more",
    "engine_death": "the job fails with VALUE as its text, /health is 503 and every later job fails",
    "server_death": "the process ends without a word",
    "forget": "all jobs are forgotten, as after a restart",
    "forward_timeout": "a render longer than VALUE seconds (600) fails, the workers are gone and /health is 503",
    "output_watchdog": "the finished render is lost after VALUE seconds (600) of waiting for its output",
}
IN_THE_RESULT = {
    "wrong_frames": "VALUE frames fewer than asked for (17)",
    "wrong_canvas": "both sides VALUE pixels smaller (32)",
    "no_sound": "no sound track",
    "silent": "a sound track of zeros",
    "frozen": "the first picture, over and over",
    "flash": "one white frame in the middle",
    "unedited": "the first clip as it is, only encoded again",
    "disk_full": "saving fails with errno 28",
}
ON_THE_WIRE = {
    "http": "every route answers VALUE (502) with a proxy's page",
    "unauthorized": "every guarded route answers 401, from VALUE seconds (0) on",
    "slow_answer": "every route answers VALUE seconds late (5)",
    "broken_json": "JSON ends in the middle",
    "unhealthy": "/health answers 503",
    "status": "open jobs have the status VALUE (preparing)",
    "capitals": "the status of jobs is in capitals",
    "expired": "expires_at of finished jobs is an hour ago",
    "busy_delete": "DELETE answers 409",
    "slow_cancel": "DELETE answers 200, the job holds the engine for VALUE seconds (10) more",
    "content_404": "the file of a finished job is gone",
    "slow": "content comes at VALUE bytes a second (65536)",
    "reset": "the connection drops after VALUE bytes of content (half)",
    "truncated": "content ends early and says so (half)",
    "wrong_length": "content-length says more than is sent",
    "chunked": "content comes in chunks, its length is not said",
    "corrupt": "bytes in the middle of the content are noise",
}
IN_THE_PROCESS = {
    "stuck_queued": "no job is ever scheduled",
    "refuse_sigterm": "SIGTERM and SIGINT do nothing",
    "port_taken": "ends at once, as if another program held the port",
    "slow_boot": "VALUE seconds until HTTP answers (10)",
    "boot_failure": "ends while loading; VALUE names one of the known ways or is the text (out_of_memory)",
    "no_bar": "no step bar",
}
KNOWN = IN_THE_RENDER | IN_THE_RESULT | ON_THE_WIRE | IN_THE_PROCESS
_TEXTS = ("error", "engine_death", "status", "boot_failure")


@dataclass(slots=True)
class Fault:
    """One order. `left` counts down for faults on the wire; `since` is when it was given (monotonic seconds)."""

    name: str
    value: str | None = None
    when: int | None = None
    left: int | None = None
    since: float = field(default_factory=time.monotonic, compare=False)
    struck: bool = False

    def number(self, default: float) -> float:
        """`VALUE` as a number."""
        return float(self.value) if self.value is not None else default


def parse(text: str) -> Fault:
    """Read one order. Raises ValueError with a sentence."""
    head, at, when = text.rpartition("@") if "@" in text else (text, "", "")
    name, _, value = head.partition("=")
    if name not in KNOWN:
        raise ValueError(f"unknown fault {name!r}; known are {', '.join(sorted(KNOWN))}")
    if at and not when.isdigit():
        raise ValueError(f"{text!r}: after @ stands a whole number")
    if value and name not in _TEXTS:
        try:
            float(value)
        except ValueError as error:
            raise ValueError(f"{text!r}: after = stands a number") from error
    count = int(when) if at else None
    return Fault(name, value or None, count, count if name in ON_THE_WIRE else None)


class Faults:
    """The orders in force. They can be replaced while the server runs."""

    def __init__(self, orders: Iterable[str] = ()) -> None:
        self._faults: dict[str, Fault] = {}
        self.replace(orders)

    def replace(self, orders: Iterable[str]) -> None:
        """Put other orders in force. Raises ValueError and changes nothing when one is unknown."""
        self._faults = {fault.name: fault for fault in map(parse, orders)}

    def get(self, name: str) -> Fault | None:
        """The order of this name, if it is in force."""
        return self._faults.get(name)

    def take(self, name: str) -> Fault | None:
        """Like `get`, and one time less is left of it."""
        fault = self._faults.get(name)
        if fault is None or fault.left is None:
            return fault
        if fault.left == 0:
            return None
        fault.left -= 1
        return fault

    def take_since(self, name: str) -> Fault | None:
        """Like `take`, but only once `VALUE` seconds have passed since the order."""
        fault = self._faults.get(name)
        return self.take(name) if fault and time.monotonic() - fault.since >= fault.number(0) else None

    def at_step(self, name: str, step: int, steps: int) -> Fault | None:
        """The order when it strikes before this step (1-based) of so many."""
        fault = self._faults.get(name)
        if fault is None:
            return None
        return fault if step == min(fault.when or steps // 2 + 1, steps) else None

    def words(self) -> list[str]:
        """The orders as text."""
        return [
            f.name + (f"={f.value}" if f.value else "") + (f"@{f.when}" if f.when is not None else "")
            for f in self._faults.values()
        ]
