"""The MP4 that is sent for a clip: H.264 at 24 fps and AAC, interleaved, index in front, never over the size limit."""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from fractions import Fraction
from pathlib import Path
from typing import Final

import av
import numpy as np
from av.audio.stream import AudioStream
from av.packet import Packet
from av.video.frame import PictureType
from av.video.stream import VideoStream

from studio.contract.limits import load_limits
from studio.contract.plan import Planned
from studio.contract.shot import FPS
from studio.media.ahead import ahead
from studio.media.sound import RATE, Samples

LIMIT_BYTES: Final = load_limits().video_bytes_max
"""A reference clip's upload."""
SOURCE_LIMIT_BYTES: Final = 512 << 20
"""The upload of a clip that is edited (vllm-omni 0.30.0, video/generation/helpers.py)."""

AAC_FRAME: Final = 1024
"""Samples of one block of AAC."""

_SOUND_BITS: Final = 160_000
_WAITING: Final = 4  # packets


class ClipWriter:
    """The MP4: H.264 at 24 fps and, where it is planned, AAC, interleaved, index in front.

    `sound` gives (2, n) float32 at 32 kHz. It is called when the first picture is encoded, while others are under way.
    """

    def __init__(self, part: Path, planned: Planned, sound: Callable[[], Samples]) -> None:
        self._box = av.open(str(part), "w", format="mp4", container_options={"movflags": "+faststart"})
        self._video = self._box.add_stream("libx264", rate=FPS)
        self._video.width, self._video.height, self._video.pix_fmt = planned.width, planned.height, "yuv420p"
        self._video.options = {"preset": "veryfast", "crf": "10" if planned.source else "18", **_capped(planned)}
        context = self._video.codec_context
        context.time_base = Fraction(1, FPS)
        context.color_primaries, context.color_trc, context.colorspace, context.color_range = 1, 1, 1, 1
        self._audio: AudioStream | None = None
        if planned.sound_seconds:
            self._audio = self._box.add_stream("aac", rate=RATE, layout="stereo", bit_rate=_SOUND_BITS)
        self._blocks = _blocks(sound)

    def __enter__(self) -> ClipWriter:
        return self

    def __exit__(self, *_: object) -> None:
        self._box.close()

    def write(self, pictures: Iterator[av.VideoFrame], report: Callable[[int], None]) -> None:
        """Write all of it; `report` hears how many pictures are in the file. Encodes on a thread, sound beside it."""
        self._box.start_encoding()
        with closing(ahead(self._encoded(pictures), _WAITING)) as packets:
            for n, packet in enumerate(packets, 1):
                self._box.mux(packet)
                self._add_sound(until=n * RATE // FPS)
                report(n)
        self._add_sound()
        if self._audio is not None:
            self._box.mux(self._audio.encode(None))

    def _encoded(self, pictures: Iterator[av.VideoFrame]) -> Generator[Packet[VideoStream], None, None]:
        for n, picture in enumerate(pictures):
            picture.pts, picture.time_base = n, Fraction(1, FPS)
            # Else the source's picture types would be forced on the encoder.
            picture.pict_type = PictureType.NONE
            yield from self._video.encode(picture)
        yield from self._video.encode(None)

    def _add_sound(self, until: float = math.inf) -> None:
        """Add the sound up to a sample, or all that is left of it."""
        if self._audio is not None:
            for block in self._blocks:
                self._box.mux(self._audio.encode(block))
                if (block.pts or 0) + AAC_FRAME >= until:
                    return


def _blocks(sound: Callable[[], Samples]) -> Iterator[av.AudioFrame]:
    samples = sound()
    for at in range(0, samples.shape[1], AAC_FRAME):
        block = np.ascontiguousarray(samples[:, at : at + AAC_FRAME])
        frame = av.AudioFrame.from_ndarray(block, format="fltp", layout="stereo")
        frame.sample_rate, frame.pts, frame.time_base = RATE, at, Fraction(1, RATE)
        yield frame


def limit_bytes(planned: Planned) -> int:
    """The most bytes that the server takes for a clip."""
    return SOURCE_LIMIT_BYTES if planned.source else LIMIT_BYTES


def _capped(planned: Planned) -> dict[str, str]:
    """Encoder options that keep the file under the limit whatever the picture: quality gives way, size does not."""
    bits = 0.95 * limit_bytes(planned) * 8 - _SOUND_BITS * planned.seconds
    rate = int(bits / (planned.seconds + 1))
    return {"maxrate": str(min(rate, 100_000_000)), "bufsize": str(min(rate, 100_000_000))}
