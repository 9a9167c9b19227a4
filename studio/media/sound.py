"""Sound: measured by its decoded samples, and decoded to the one form that everything here uses."""

from __future__ import annotations

from typing import Final

import av
import numpy as np
import numpy.typing as npt
from av.audio.stream import AudioStream
from av.container import InputContainer

from studio.contract.facts import AudioFacts
from studio.media.container import decoded, promised_seconds, rewind, seek

RATE: Final = 32_000
"""Hz: the model's own rate, and that of a result's sound track."""

Samples = npt.NDArray[np.float32]

_DECODE_UP_TO_S: Final = 600.0
_GAP_S: Final = 0.02


def measure(box: InputContainer, stream: AudioStream) -> tuple[float, float] | None:
    """When the sound starts and ends, in seconds on the container's clock; None when nothing decodes.

    Up to ten minutes are decoded, which takes coder delay and padding out of the length; longer ones go by packets.
    """
    rewind(box, stream)
    base = float(stream.time_base or 0)
    if promised_seconds(box, stream) > _DECODE_UP_TO_S:
        spans = [(p.pts * base, (p.pts + (p.duration or 0)) * base) for p in box.demux(stream) if p.pts is not None]
    else:
        spans = [(f.time, f.time + f.samples / f.sample_rate) for f in decoded(box, stream) if f.time is not None]
    return (min(s for s, _ in spans), max(e for _, e in spans)) if spans else None


def audio_facts(box: InputContainer, stream: AudioStream, start: float, end: float) -> AudioFacts:
    """Facts of a sound stream that lasts from `start` to `end`, in seconds from the file's zero."""
    return AudioFacts(
        codec=stream.codec_context.codec.canonical_name,
        sample_rate=stream.codec_context.sample_rate,
        channels=stream.codec_context.channels,
        duration=end - start,
        server_duration=promised_seconds(box, stream),
        start=start,
        tracks=len(box.streams.audio),
    )


def decode_sound(box: InputContainer, stream: AudioStream, start: float, seconds: float) -> Samples:
    """The sound between `start` and `start + seconds` on the container's clock: (2, n) float32 at 32 kHz, |x| ≤ 1.

    n is never more than `seconds` hold. Time without sound is silence, so sync is kept to a sample; mono is on both
    sides, more channels are mixed down, and what would go over full scale is scaled, never wrapped.
    """
    wanted = int(seconds * RATE + 1e-6)
    out = np.zeros((2, wanted), dtype=np.float32)
    seek(box, stream, start - 1.0)
    layout = "mono" if stream.codec_context.channels == 1 else "stereo"
    run = _Run(layout)
    for frame in decoded(box, stream):
        moment = frame.time
        if moment is None or moment + frame.samples / frame.sample_rate <= start:
            continue
        if moment >= start + seconds:
            break
        if not run.continues_at(moment):
            run.write(out, start)
            run = _Run(layout)
        run.add(frame, moment)
    run.write(out, start)
    peak = float(np.abs(out).max(initial=0.0))
    return out / peak if peak > 1 else out


class _Run:
    """Samples without a gap between them, resampled together."""

    def __init__(self, layout: str) -> None:
        self._resampler = av.AudioResampler(format="fltp", layout=layout, rate=RATE)
        self._blocks: list[Samples] = []
        self._start: float | None = None
        self._end = 0.0

    def continues_at(self, moment: float) -> bool:
        return self._start is None or abs(moment - self._end) <= _GAP_S

    def add(self, frame: av.AudioFrame, moment: float) -> None:
        if self._start is None:
            self._start = self._end = moment
        self._end += frame.samples / frame.sample_rate
        self._resample(frame)

    def write(self, out: Samples, zero: float) -> None:
        """Put the run where it belongs in `out`, whose first sample is at `zero` seconds."""
        if self._start is None:
            return
        self._resample(None)
        samples = np.concatenate(self._blocks, axis=1)
        at = round((self._start - zero) * RATE)
        samples = samples[:, max(0, -at) :][:, : out.shape[1] - max(0, at)]
        out[:, max(0, at) : max(0, at) + samples.shape[1]] = samples

    def _resample(self, frame: av.AudioFrame | None) -> None:
        if frame is not None:
            frame.pts = None
        self._blocks += [np.asarray(f.to_ndarray(), dtype=np.float32) for f in self._resampler.resample(frame)]
