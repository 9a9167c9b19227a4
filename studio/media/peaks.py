"""The outline of a sound, to be drawn as a waveform."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import av
import numpy as np
import numpy.typing as npt

from studio.media import frames_sentences as _sentences  # noqa: F401  (registers the texts of the codes below)
from studio.media.container import open_media, sound_track
from studio.media.errors import MediaError
from studio.media.workers import Workers

Peaks = npt.NDArray[np.float32]

_BLOCK: Final = 32  # samples; the outline of an hour then takes 43 MB while it is made
_TIMEOUT_S: Final = 120.0


async def peaks(workers: Workers, path: Path, buckets: int) -> Peaks:
    """(buckets, 2) float32: lowest and highest value (-1 … 1) of the mono mix in each of `buckets` equal parts.

    Raises MediaError `video.no_sound` when there is none, or why the file cannot be read.
    """
    return await workers.run(peaks_of_file, path, buckets, timeout=_TIMEOUT_S)


def peaks_of_file(path: Path, buckets: int) -> Peaks:
    """`peaks`, blocking."""
    samples = np.zeros(0, np.float32)
    outlines: list[Peaks] = []
    for piece in _mono(path):
        samples = np.concatenate([samples, piece])
        whole = len(samples) // _BLOCK * _BLOCK
        outlines.append(_outline(samples[:whole].reshape(-1, _BLOCK)))
        samples = samples[whole:]
    if len(samples):
        outlines.append(_outline(samples[None]))
    outline = np.concatenate(outlines) if outlines else np.zeros((1, 2), np.float32)
    starts = np.arange(buckets) * len(outline) // buckets
    low = np.minimum.reduceat(outline[:, 0], starts)
    high = np.maximum.reduceat(outline[:, 1], starts)
    return np.stack([low, high], axis=1)


def _outline(blocks: npt.NDArray[np.float32]) -> Peaks:
    return np.stack([blocks.min(axis=1), blocks.max(axis=1)], axis=1)


def _mono(path: Path) -> Iterator[npt.NDArray[np.float32]]:
    """The mean of all channels, piece by piece; what cannot be decoded is passed over."""
    with open_media(path) as box:
        stream = sound_track(box)
        if stream is None:
            raise MediaError("video.no_sound", name=path.name)
        resampler = av.AudioResampler(format="fltp")
        for packet in box.demux(stream):
            try:
                decoded = packet.decode()
            except av.InvalidDataError:
                continue
            for frame in decoded:
                for planar in resampler.resample(frame):
                    yield np.asarray(planar.to_ndarray().mean(axis=0), np.float32)
