"""How loud a sound is, as broadcasters measure it: EBU R 128 integrated loudness and true peak, by FFmpeg's filter."""

from __future__ import annotations

from fractions import Fraction

import av
import numpy as np
import numpy.typing as npt
from av.audio.frame import AudioFrame
from av.filter import Graph
from pydantic import BaseModel, ConfigDict

from studio.media.sound import RATE

BLOCK = RATE // 10
GATED_LUFS = -69.5
"""Under the absolute gate of ITU-R BS.1770 (-70 LUFS) there is nothing to integrate."""

Samples = npt.NDArray[np.float32]


class Loudness(BaseModel):
    """`integrated`: LUFS of the whole sound (EBU R 128), None where all of it is under the gate. `true_peak`: dBTP."""

    model_config = ConfigDict(frozen=True)

    integrated: float | None
    true_peak: float


def loudness(samples: Samples) -> Loudness | None:
    """Of (2, n) float32 at `media.sound.RATE`; None when shorter than the 0.4 s that one measuring block takes."""
    if samples.shape[1] < 4 * BLOCK:
        return None
    graph = Graph()
    source = graph.add_abuffer(sample_rate=RATE, format="fltp", layout="stereo", time_base=Fraction(1, RATE))
    meter, sink = graph.add("ebur128", "metadata=1:peak=true"), graph.add("abuffersink")
    source.link_to(meter)
    meter.link_to(sink)
    graph.configure()
    said: dict[str, str] = {}
    for start in range(0, samples.shape[1], BLOCK):
        block = AudioFrame.from_ndarray(np.ascontiguousarray(samples[:, start : start + BLOCK]), "fltp", "stereo")
        block.sample_rate, block.pts, block.time_base = RATE, start, Fraction(1, RATE)
        source.push(block)
        said |= _drained(sink)
    source.push(None)
    said |= _drained(sink)
    integrated, peak = float(said["lavfi.r128.I"]), float(said["lavfi.r128.true_peak"])
    return Loudness(
        integrated=integrated if integrated > GATED_LUFS else None,
        true_peak=round(20 * float(np.log10(max(peak, 1e-6))), 2),
    )


def _drained(sink: av.filter.FilterContext) -> dict[str, str]:
    """What the frames that are ready say; the last one counts."""
    said: dict[str, str] = {}
    while True:
        try:
            said |= sink.pull().metadata
        except (av.BlockingIOError, av.EOFError):
            return said
