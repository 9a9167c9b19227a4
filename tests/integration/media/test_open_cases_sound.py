"""Sounds that break such programs, alone and in clips: what must come of each (numbers as in test_open_cases.py)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from studio.contract import Severity
from studio.media.workers import Workers
from tests.helpers.media_factory import change_codes, click_times, clicks, read_sound, write_clip, write_sound
from tests.helpers.references import errors, findings, prepared


@pytest.mark.parametrize(
    ("name", "codec", "rate"),
    [("a.m4a", "alac", 44_100), ("a.wav", "pcm_s24le", 96_000), ("a.wav", "pcm_s16le", 192_000)],
)
async def test_any_rate_and_codec_becomes_a_wav_in_pitch(
    workers: Workers, tmp_path: Path, name: str, codec: str, rate: int
) -> None:
    """REQ-7, AUD-2"""
    made = await prepared(workers, write_sound(tmp_path / name, clicks(2.5, rate), rate, codec))
    samples, out_rate = read_sound(made.output)
    assert (made.filename, out_rate) == ("r1.wav", 32_000)
    assert made.facts.size_bytes <= 15 << 20 and made.facts.duration == pytest.approx(2.5, abs=0.001)
    for side, pitch in zip(samples, (440, 660), strict=True):
        piece = side[out_rate // 4 : out_rate * 3 // 4]
        assert int(np.abs(np.fft.rfft(piece)).argmax()) * 2 == pytest.approx(pitch, abs=1)
    assert click_times(samples, out_rate) == pytest.approx([0, 1, 2], abs=0.002)


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(15.0, set()), (15.01, {"ref.audio.too_long"}), (1.9, {"ref.audio.too_short", "refs.audio_only"})],
)
def test_15_s_of_sound_is_the_limit_without_tolerance(tmp_path: Path, seconds: float, said: set[str]) -> None:
    """AUD-1"""
    path = write_sound(tmp_path / "a.wav", clicks(seconds, 16_000, 1), 16_000, "pcm_s16le")
    assert errors(path) - {"refs.audio_only"} == said - {"refs.audio_only"}


async def test_a_silent_clip_is_accepted(workers: Workers, tmp_path: Path) -> None:
    """AUD-4"""
    source = write_clip(tmp_path / "a.mp4", frames=72, sound=np.zeros((2, 3 * 48_000), np.float32))
    assert not errors(source)
    made = await prepared(workers, source)
    assert made.facts.audio is not None and made.facts.duration == 3.0


async def test_sound_longer_than_the_picture_is_cut(workers: Workers, tmp_path: Path) -> None:
    """AUD-4"""
    made = await prepared(workers, write_clip(tmp_path / "a.mp4", frames=72, sound=clicks(5)))
    assert made.facts.duration == 3.0
    assert made.facts.audio is not None and 2.9 < made.facts.audio.duration <= 3.0


async def test_15_s_that_an_mp3_makes_longer_are_sent_as_15_s(workers: Workers, tmp_path: Path) -> None:
    """AUD-1: the coder's padding is no sound."""
    path = write_sound(tmp_path / "a.mp3", clicks(15.0, 32_000), 32_000, "libmp3lame")
    assert errors(path) <= {"refs.audio_only"}
    made = await prepared(workers, path)
    assert (made.filename, read_sound(made.output)[0].shape[1]) == ("r1.wav", 15 * 32_000)


@pytest.mark.parametrize(("seconds", "kept"), [(1.5, False), (1.98, False), (2.0, True), (2.5, True)])
async def test_a_soundtrack_under_2_s_is_left_out_with_a_note(
    workers: Workers, tmp_path: Path, seconds: float, kept: bool
) -> None:
    """AUD-4"""
    source = write_clip(tmp_path / "a.mp4", frames=72, sound=clicks(seconds, 32_000), sound_rate=32_000)
    said = {f.code: f for f in findings(source)}
    made = await prepared(workers, source)
    assert not errors(source)
    assert made.facts.duration == 3.0
    assert (made.facts.audio is not None) == kept == ("ref.video.sound_too_short" not in said)
    assert ("sound_short" in change_codes(made.receipt)) == (not kept)
    if not kept:
        note = said["ref.video.sound_too_short"]
        assert note.severity == Severity.NOTE and f"{seconds:.2f} s" in note.message.text()


async def test_sound_that_begins_late_counts_with_the_silence_before_it(workers: Workers, tmp_path: Path) -> None:
    """AUD-4: one and a half seconds from 1 s on are two and a half in the file."""
    source = write_clip(tmp_path / "a.mp4", frames=72, sound=clicks(1.5, 32_000), sound_rate=32_000, sound_start=1.0)
    assert "ref.video.sound_too_short" not in {f.code for f in findings(source)}
    made = await prepared(workers, source)
    assert made.facts.audio is not None
    assert made.facts.audio.duration == pytest.approx(2.5, abs=0.04)


async def test_a_clip_without_sound_stays_without(workers: Workers, tmp_path: Path) -> None:
    """AUD-4"""
    made = await prepared(workers, write_clip(tmp_path / "a.mov", frames=48))
    assert made.facts.audio is None and not {"sound_short", "sound_dropped"} & change_codes(made.receipt)
