"""A reference clip as the model sees it: 24 pictures a second by time, stretched to the canvas; and its sound."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import av
import numpy as np
import numpy.typing as npt

from studio.rehearsal.clips import Segment

Picture = npt.NDArray[np.uint8]
Sound = npt.NDArray[np.float32]


def pictures(segment: Segment, width: int, height: int, rate: float = 24.0) -> Iterator[Picture]:
    """RGB pictures (height, width, 3), one each 1/rate s; a picture is shown from its rounded time on, as ffmpeg's
    `fps` filter does. Ends with the segment; stops early where the file is damaged."""
    last: Picture | None = None
    shown, wanted = 0, round(segment.duration * rate)
    with av.open(str(segment.path)) as container:
        stream = container.streams.video[0]
        stream.thread_type = "AUTO"
        origin = float((stream.start_time or 0) * (stream.time_base or 0)) + segment.start
        try:
            for frame in container.decode(stream):
                slot = round((float(frame.time or 0.0) - origin) * rate)
                while last is not None and shown < min(slot, wanted):
                    yield last
                    shown += 1
                if shown >= wanted:
                    return
                if slot >= 0 or last is None:
                    scaled = frame.reformat(width=width, height=height, format="rgb24", interpolation="FAST_BILINEAR")
                    last = scaled.to_ndarray().astype(np.uint8, copy=False)
        except av.FFmpegError:
            pass  # a damaged end: what decoded is used, as the real server's decoder does
    while last is not None and shown < wanted:
        yield last
        shown += 1


def sound(path: Path, start: float, seconds: float, rate: int) -> Sound:
    """(2, n) float32 at `rate` Hz, exactly `seconds` long from `start`; silence where the file has none."""
    wanted = round(seconds * rate)
    pieces: list[Sound] = []
    resampler = av.AudioResampler(format="fltp", layout="stereo", rate=rate)
    with av.open(str(path)) as container:
        try:
            for frame in container.decode(container.streams.audio[0]):
                pieces += [piece.to_ndarray().astype(np.float32, copy=False) for piece in resampler.resample(frame)]
            pieces += [piece.to_ndarray().astype(np.float32, copy=False) for piece in resampler.resample(None)]
        except av.FFmpegError:
            pass  # a damaged end
    heard = np.concatenate(pieces, axis=1) if pieces else np.zeros((2, 0), np.float32)
    heard = heard[:, round(start * rate) :][:, :wanted]
    return np.pad(heard, ((0, 0), (0, wanted - heard.shape[1])))
