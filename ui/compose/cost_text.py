"""What a render costs, in words: rows, time as a range, memory."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from studio.contract import Cost, Range
from studio.core.words import tr

if TYPE_CHECKING:
    from studio.jobs.room import Room

_MINUTE: Final = 60
_GIB: Final = 1 << 30


def rows_short(rows: int) -> str:
    """A number of rows, three figures long: "73.1k"."""
    return f"{rows:,}" if rows < 1000 else f"{rows / 1000:.1f}k" if rows < 100_000 else f"{round(rows / 1000):,}k"


def time_range(seconds: Range) -> str:
    """A range of time, rounded outwards to what can be told apart: "1 h 20 – 1 h 50 min"."""
    step = 1 if seconds.most < 2 * _MINUTE else 10 if seconds.most < 10 * _MINUTE else 60
    step = step if seconds.most < 7200 else 600
    least, most = math.floor(seconds.least / step) * step, math.ceil(seconds.most / step) * step
    return duration(most) if least == most else f"{duration(least)} – {duration(most)}"


def duration(seconds: float) -> str:
    """A length of time: "45 s", "12 min", "1 h 20 min"."""
    whole = round(seconds)
    hours, minutes = whole // 3600, whole % 3600 // 60
    if hours:
        return tr("{hours} h {minutes:02d} min", hours=hours, minutes=minutes)
    if whole >= 2 * _MINUTE:
        rest = whole % 60
        return tr("{minutes} min {seconds:02d} s", minutes=minutes, seconds=rest) if rest else tr("{n} min", n=minutes)
    return tr("{n} s", n=whole)


def time_words(found: Cost) -> str:
    """How long a render takes, or that nothing is known yet."""
    if found.seconds is None:
        return tr("no history yet")
    return tr("about {time}", time=time_range(found.seconds)) if found.guess else time_range(found.seconds)


def memory_words(found: Cost, room: Room | None) -> str:
    """How much memory the fullest GPU needs, and how much it can give, as far as either is known."""
    if found.memory is None:
        return tr("no history yet")
    least, most = (round(n / _GIB) for n in found.memory)
    needed = f"{most}" if least == most else f"{least}–{most}"
    if room is None:
        return tr("{needed} GB", needed=needed)
    if room.taken:
        return tr("{needed} of {free} GB free", needed=needed, free=int(room.free / _GIB))
    return tr("{needed} of {total} GB", needed=needed, total=round(room.total / _GIB))
