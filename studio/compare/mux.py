"""One clip's sound under another clip's pictures: a new file in which every picture packet is the old one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
from av.container import InputContainer, OutputContainer
from av.packet import Packet
from av.stream import Stream

from studio.compare.decode import read_timeline
from studio.compare.errors import CompareError
from studio.core.files import finish
from studio.media.container import open_media, picture_track, sound_track
from studio.media.sequence import Sequence
from studio.media.workers import Workers

TIMEOUT_S = 600.0
_COPIED = {"aac", "mp3", "ac3", "eac3", "alac", "opus", "flac"}
"""What MP4 takes as it is."""


@dataclass(frozen=True, slots=True)
class _Timed:
    packet: Packet[Any]
    seconds: float


async def mux_sound(workers: Workers, picture: Path, sound: Path, path: Path, *, late: float = 0.0) -> None:
    """Write the pictures of `picture` with the first sound track of `sound` as an MP4. Nothing is encoded again.

    The sound starts at the first picture of both; `late` (seconds) moves it later. What lies before the first picture
    or after the last one is left out, to the packet. The file is there whole or not at all.
    Raises CompareError `compare.no_sound` and `compare.sound_codec`, MediaError, and what `Workers.run` raises.
    """
    part = path.with_name(f"{path.name}.part")
    try:
        await workers.run(_write, picture, sound, part, late, timeout=TIMEOUT_S)
        finish(part, path)
    finally:
        part.unlink(missing_ok=True)


def _write(picture: Path, sound: Path, part: Path, late: float) -> None:
    with closing(Sequence(picture)) as clip:
        zero, duration = float(clip.times[0]), float(clip.duration)
    shift = zero - read_timeline(sound).start + late
    with ExitStack() as files:
        box, other = files.enter_context(open_media(picture)), files.enter_context(open_media(sound))
        video = picture_track(box)
        assert video is not None, "it was read as a clip above"
        audio = sound_track(other)
        if audio is None:
            raise CompareError("compare.no_sound", name=sound.name)
        if audio.codec_context.name not in _COPIED:
            raise CompareError("compare.sound_codec", name=sound.name, codec=audio.codec_context.name)
        out = files.enter_context(av.open(str(part), "w", format="mp4", container_options={"movflags": "+faststart"}))
        pictures = _packets(box, video, out, 0.0)
        sounds = (
            timed for timed in _packets(other, audio, out, shift) if zero - 0.05 <= timed.seconds < zero + duration
        )
        for timed in _interleaved(pictures, sounds):
            out.mux(timed.packet)


def _packets(box: InputContainer, stream: Stream, out: OutputContainer, shift: float) -> Iterator[_Timed]:
    """The packets of a stream as those of a new one in `out`, `shift` seconds later than in the file."""
    target = out.add_stream_from_template(stream)
    base = stream.time_base or Fraction(1, 1000)
    zero = Fraction(box.start_time or 0, av.time_base)
    ticks = round((Fraction(shift) - zero) / base)

    def moved() -> Iterator[_Timed]:
        for packet in box.demux(stream):
            if packet.dts is None or packet.pts is None:
                continue
            packet.pts, packet.dts = packet.pts + ticks, packet.dts + ticks
            packet.stream = target
            yield _Timed(packet, float(packet.dts * base))

    return moved()


def _interleaved(first: Iterator[_Timed], second: Iterator[_Timed]) -> Iterator[_Timed]:
    """Both, in the order of their time."""
    a, b = next(first, None), next(second, None)
    while a is not None or b is not None:
        if b is None or (a is not None and a.seconds <= b.seconds):
            assert a is not None
            yield a
            a = next(first, None)
        else:
            yield b
            b = next(second, None)
