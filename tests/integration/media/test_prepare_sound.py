"""Sounds made ready: plain WAV, in pitch, in time, never longer than allowed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from studio.contract.shot import Reference
from studio.media.errors import MediaError
from studio.media.prepare import Prepared, prepare
from studio.media.probe import probe_file
from studio.media.workers import Workers
from tests.helpers.media_factory import click_times, clicks, read_sound, write_sound


async def prepared(workers: Workers, path: Path, **wishes: object) -> Prepared:
    reference = Reference.model_validate({"id": "s1", "path": path, "kind": "audio", **wishes})
    made = await prepare(workers, probe_file(path), reference, path.parent / "out")
    assert made.facts == probe_file(made.output)
    return made


def pitch(samples: np.ndarray, rate: int) -> float:
    piece = samples[rate // 2 : rate // 2 + rate // 4]
    return float(np.abs(np.fft.rfft(piece * np.hanning(len(piece)))).argmax()) * rate / len(piece)


@pytest.mark.parametrize(
    ("name", "codec", "rate", "channels"),
    [
        ("a.m4a", "aac", 44_100, 2),
        ("a.flac", "flac", 96_000, 2),
        ("a.ogg", "libopus", 48_000, 2),
        ("a.wav", "pcm_f32le", 44_100, 2),
        ("a.wav", "pcm_u8", 8_000, 1),
        ("a.wav", "adpcm_ima_wav", 22_050, 1),
    ],
)
async def test_every_form_becomes_wav(
    workers: Workers, tmp_path: Path, name: str, codec: str, rate: int, channels: int
) -> None:
    source = write_sound(tmp_path / name, clicks(3, rate, channels), rate, codec)
    made = await prepared(workers, source)
    samples, out_rate = read_sound(made.output)
    assert (made.filename, made.content_type, out_rate, len(samples)) == ("s1.wav", "audio/wav", 32_000, 2)
    assert samples.shape[1] / out_rate == pytest.approx(3.0, abs=0.06)
    assert click_times(samples, out_rate)[1:] == pytest.approx([1.0, 2.0], abs=0.002)
    assert pitch(samples[0], out_rate) == pytest.approx(440, abs=4)
    assert pitch(samples[1], out_rate) == pytest.approx(440 if channels == 1 else 660, abs=4)


async def test_mono_is_as_loud_on_both_sides(workers: Workers, tmp_path: Path) -> None:
    made = await prepared(workers, write_sound(tmp_path / "a.flac", clicks(2, 44_100, 1), 44_100, "flac"))
    samples, _ = read_sound(made.output)
    assert np.array_equal(samples[0], samples[1])
    assert np.abs(samples[0, 2_000:30_000]).max() == pytest.approx(0.2, abs=0.01)


async def test_15_s_of_mp3_stay_15_s(workers: Workers, tmp_path: Path) -> None:
    made = await prepared(workers, write_sound(tmp_path / "a.mp3", clicks(15, 32_000), 32_000, "libmp3lame"))
    assert made.facts.duration == 15.0


async def test_a_trim_is_exact_to_the_sample(workers: Workers, tmp_path: Path) -> None:
    source = write_sound(tmp_path / "a.flac", clicks(20, 44_100), 44_100, "flac")
    made = await prepared(workers, source, start=4.25, end=19.25)
    samples, rate = read_sound(made.output)
    assert samples.shape[1] == 15 * rate
    assert click_times(samples, rate) == pytest.approx([0.75 + n for n in range(15)], abs=0.001)


async def test_over_full_scale_never_wraps(workers: Workers, tmp_path: Path) -> None:
    source = write_sound(tmp_path / "a.wav", clicks(2, 48_000, level=0.5) * 4, 48_000, "pcm_f32le")
    samples, _ = read_sound((await prepared(workers, source)).output)
    assert np.abs(samples).max() <= 1
    assert np.abs(np.diff(samples[0, 1_000:20_000])).max() < 0.2


async def test_short_plain_files_are_sent_as_they_are(workers: Workers, tmp_path: Path) -> None:
    for name, codec in (("a.wav", "pcm_s16le"), ("b.mp3", "libmp3lame")):
        source = write_sound(tmp_path / name, clicks(3, 44_100), 44_100, codec)
        made = await prepared(workers, source)
        assert made.receipt.untouched and made.output.read_bytes() == source.read_bytes()


async def test_an_empty_range_is_refused(workers: Workers, tmp_path: Path) -> None:
    source = write_sound(tmp_path / "a.flac", clicks(3, 44_100), 44_100, "flac")
    with pytest.raises(MediaError) as caught:
        await prepared(workers, source, start=5.0, end=8.0)
    assert caught.value.code == "media.empty_range" and "5.00" in caught.value.text()
