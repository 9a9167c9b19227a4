"""Arrays → MP4, in the shape that vLLM-Omni 0.30.0 gives its results. A leaf: imports nothing of studio.

Video is H.264 4:2:0 8 bit at a constant rate, limited range, BT.601 matrix and *no colour tags* (media_utils.py); sound
is AAC-LC. The index (`moov`) stands at the end unless `faststart` is asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from types import TracebackType
from typing import Self

import av
import numpy as np
import numpy.typing as npt
from av.audio.frame import AudioFrame
from av.audio.stream import AudioStream
from av.video.frame import VideoFrame
from av.video.stream import VideoStream

SOUND_BIT_RATE = 128_000  # bit/s
_SOUND_BLOCK = 1024  # samples: one AAC frame


class Mp4Writer:
    """Writes one MP4 file frame by frame.

    `width`, `height`: pixels, even. `fps`: frames a second. `sample_rate`: Hz of a stereo track, or None for no sound.
    `preset`, `crf`: x264's. `comment` and `tags` become container tags; `faststart` moves the index to the front when
    the file is closed (a second pass over the bytes).

    Picture and sound may be handed over in any order; alternating keeps the file interleaved and memory small.
    Leaving the `with` block closes the file, also after an exception (the file is then incomplete).
    """

    def __init__(
        self,
        path: Path,
        width: int,
        height: int,
        fps: int | Fraction = 24,
        sample_rate: int | None = None,
        comment: str | None = None,
        preset: str = "ultrafast",
        crf: int = 18,
        *,
        faststart: bool = False,
        tags: Mapping[str, str] | None = None,
    ) -> None:
        if width < 2 or height < 2 or width % 2 or height % 2:
            raise ValueError(f"4:2:0 pictures have even sides, got {width}x{height}")
        self.width, self.height = width, height
        self.fps = Fraction(fps)
        self.sample_rate = sample_rate
        self._frames = 0
        self._samples = 0
        flags = {"movflags": "+faststart"} if faststart else {}
        self._container = av.open(str(path), "w", format="mp4", container_options=flags)
        self._container.metadata.update({**(tags or {}), **({"comment": comment} if comment else {})})
        self._video = self._add_video(preset, crf)
        self._audio = self._add_audio(sample_rate) if sample_rate else None

    def _add_video(self, preset: str, crf: int) -> VideoStream:
        stream = self._container.add_stream("libx264", rate=self.fps)
        assert isinstance(stream, VideoStream)
        stream.width, stream.height, stream.pix_fmt = self.width, self.height, "yuv420p"
        stream.options = {"preset": preset, "crf": str(crf), "threads": "0"}
        return stream

    def _add_audio(self, sample_rate: int) -> AudioStream:
        stream = self._container.add_stream("aac", rate=sample_rate)
        assert isinstance(stream, AudioStream)
        stream.layout = "stereo"
        stream.bit_rate = SOUND_BIT_RATE
        return stream

    def frame(self, rgb: npt.NDArray[np.uint8]) -> None:
        """Append one picture: (height, width, 3) uint8, R'G'B' full range."""
        if rgb.shape != (self.height, self.width, 3):
            raise ValueError(f"expected {(self.height, self.width, 3)}, got {rgb.shape}")
        picture = VideoFrame.from_ndarray(np.ascontiguousarray(rgb), format="rgb24")
        picture.pts, picture.time_base = self._frames, 1 / self.fps
        self._frames += 1
        self._container.mux(self._video.encode(picture))

    def sound(self, samples: npt.NDArray[np.float32]) -> None:
        """Append sound: (2, n) float32 in [-1, 1] at `sample_rate`. Raises ValueError when there is no sound track."""
        if self._audio is None or self.sample_rate is None:
            raise ValueError("this file has no sound track")
        if samples.ndim != 2 or samples.shape[0] != 2:
            raise ValueError(f"expected (2, n), got {samples.shape}")
        for start in range(0, samples.shape[1], _SOUND_BLOCK):
            block = np.ascontiguousarray(samples[:, start : start + _SOUND_BLOCK], dtype=np.float32)
            piece = AudioFrame.from_ndarray(block, format="fltp", layout="stereo")
            piece.sample_rate, piece.pts = self.sample_rate, self._samples
            piece.time_base = Fraction(1, self.sample_rate)
            self._samples += block.shape[1]
            self._container.mux(self._audio.encode(piece))

    def close(self) -> None:
        """Flush both encoders and write the index."""
        try:
            self._container.mux(self._video.encode(None))
            if self._audio is not None:
                self._container.mux(self._audio.encode(None))
        finally:
            self._container.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.close()
        else:
            self._container.close()
