"""A sound made ready: 16-bit PCM WAV, 32 kHz stereo, trimmed, never a sample longer than planned."""

from __future__ import annotations

import wave
from pathlib import Path

import numpy as np

from studio.contract.facts import MediaFacts
from studio.contract.plan import Planned
from studio.media.container import open_media, sound_track
from studio.media.errors import MediaError
from studio.media.sound import RATE, decode_sound, measure


def make_sound(facts: MediaFacts, planned: Planned, part: Path) -> float:
    """Write the prepared sound, or that of a clip, to `part` and give its length in seconds.

    Blocking. Raises MediaError, OSError.
    """
    with open_media(facts.path) as box:
        stream = sound_track(box)
        span = measure(box, stream) if stream is not None else None
        if stream is None or span is None or facts.audio is None:
            raise MediaError("media.damaged", name=facts.path.name)
        zero = span[0] - facts.audio.start  # the sound of a clip may begin later than its picture
        samples = decode_sound(box, stream, zero + planned.start, planned.seconds)
    pcm = np.clip(np.rint(samples.T * 32767), -32768, 32767).astype("<i2")
    with part.open("wb") as fp, wave.open(fp, "wb") as out:
        out.setnchannels(2)
        out.setsampwidth(2)
        out.setframerate(RATE)
        out.writeframes(pcm.tobytes())
    return len(pcm) / RATE
