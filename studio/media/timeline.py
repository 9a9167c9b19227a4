"""When each picture is shown: from the packets' timestamps where they tell, from decoding where they do not."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from av.container import InputContainer
from av.video.stream import VideoStream

from studio.media.container import decoded, rewind

Seconds = npt.NDArray[np.float64]
Numbers = npt.NDArray[np.int64]

# Packets of these carry pictures that are never shown.
_HIDDEN_PICTURES = frozenset({"vp8"})


@dataclass(frozen=True, slots=True)
class Timeline:
    """`times`: (frames,) seconds, rising, on the container's own clock. `end`: when the last picture ends.

    `stored` counts the pictures in the file, with those that an edit list hides.
    """

    times: Seconds
    end: float
    stored: int
    hidden: int

    @property
    def steps(self) -> Seconds:
        """(frames,) how long each picture is shown, in seconds."""
        return np.diff(np.append(self.times, self.end))

    def picks(self, at: Seconds, tick: float) -> Numbers:
        """(n,) numbers of the pictures on screen at the moments `at` (rising); the first one before it is shown."""
        # A time base may be coarse (1 ms in Matroska): half a tick early is on time.
        slack = min(0.51 * tick, 0.001) + 1e-9
        return np.maximum(np.searchsorted(self.times, at + slack, side="right") - 1, 0).astype(np.int64)

    def varies(self, tick: float) -> bool:
        """Whether the rate is variable: a picture shown for another time than the average one.

        `tick` is the container's time base; rounding to it does not count.
        """
        if len(self.times) < 3:
            return False
        steps = np.diff(self.times)
        return bool(np.abs(steps - steps.mean()).max() > 2 * tick + 0.1 * steps.mean())


def read_timeline(box: InputContainer, stream: VideoStream) -> Timeline | None:
    """The shown pictures of `stream`; None when there is not one. Leaves the reading position anywhere."""
    base = float(stream.time_base or 0)
    shown: list[tuple[int, int]] = []
    stored = hidden = 0
    readable = stream.codec_context.name not in _HIDDEN_PICTURES
    for packet in box.demux(stream):
        if packet.size == 0 or packet.is_corrupt:
            continue
        stored += 1
        if packet.is_discard:
            hidden += 1
        elif packet.pts is None:
            readable = False
        else:
            shown.append((packet.pts, packet.duration or 0))
    if not readable or len({pts for pts, _ in shown}) != len(shown):
        shown = _decoded(box, stream)
        stored, hidden = len(shown), 0
    if not shown:
        return None
    shown.sort()
    times = np.array([pts for pts, _ in shown], dtype=np.float64) * base
    return Timeline(times, float(times[-1]) + _last_step(times, shown[-1][1] * base, base), stored, hidden)


def _last_step(times: Seconds, promised: float, tick: float) -> float:
    """How long the last picture is shown: as its packet says, or like the others where that is only rounding."""
    usual = float(np.diff(times).mean()) if len(times) > 1 else promised
    return usual if not promised or abs(promised - usual) <= 2 * tick else promised


def _decoded(box: InputContainer, stream: VideoStream) -> list[tuple[int, int]]:
    rewind(box, stream)
    frames = ((f.pts, f.duration or 0) for f in decoded(box, stream))
    return [(pts, duration) for pts, duration in frames if pts is not None]
