"""Cards and timelines show what is in the file: the right picture, upright; the right loudness at the right place."""

from __future__ import annotations

import io
import wave
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from studio.media.errors import MediaError
from studio.media.peaks import peaks
from studio.media.samples import write_sound
from studio.media.thumbs import filmstrip, thumbnail
from studio.media.workers import Workers
from tests.helpers import barcode


def bgra(png: bytes) -> np.ndarray:
    with Image.open(io.BytesIO(png)) as image:
        return np.asarray(image.convert("RGBA"))[..., [2, 1, 0, 3]]


async def test_a_thumbnail_shows_the_moment_asked_for(tmp_path: Path, workers: Workers) -> None:
    path = barcode.write(tmp_path / "clip.mp4", frames=60, gop=250, b_frames=2, width=512, height=256)
    for at, shown in ((0.0, 0), (1.0, 24), (2.49, 59), (99.0, 59)):
        picture = bgra(await thumbnail(workers, path, at=at))
        assert picture.shape == (128, 256, 4)
        assert barcode.read(picture) == shown


async def test_a_thumbnail_is_upright_and_never_larger(tmp_path: Path, workers: Workers) -> None:
    path = barcode.write(tmp_path / "clip.mp4", frames=3, width=192, height=128, rotation=90)
    picture = bgra(await thumbnail(workers, path, edge=512))
    assert picture.shape == (192, 128, 4)
    assert barcode.corner_names(picture) == ["green", "blue", "yellow", "red"]


async def test_a_thumbnail_of_a_still(tmp_path: Path, workers: Workers) -> None:
    Image.fromarray(barcode.picture(77, 600, 300)).save(tmp_path / "a.png")
    picture = bgra(await thumbnail(workers, tmp_path / "a.png", edge=300))
    assert picture.shape == (150, 300, 4)
    assert barcode.read(picture) == 77


async def test_a_filmstrip_runs_from_left_to_right(tmp_path: Path, workers: Workers) -> None:
    path = barcode.write(tmp_path / "clip.mp4", frames=40, gop=250, b_frames=2)
    strip = bgra(await filmstrip(workers, path, count=4, height=128))
    assert strip.shape == (128, 512, 4)
    assert [barcode.read(strip[:, left : left + 128]) for left in range(0, 512, 128)] == [5, 15, 25, 35]


async def test_peaks_of_a_click_track(tmp_path: Path, workers: Workers) -> None:
    samples = np.zeros(48_000, np.int16)
    samples[::12_000] = 16_384
    samples[6_000] = -32_768
    with wave.open(str(tmp_path / "clicks.wav"), "wb") as fp:
        fp.setnchannels(1)
        fp.setsampwidth(2)
        fp.setframerate(24_000)
        fp.writeframes(samples.tobytes())
    found = await peaks(workers, tmp_path / "clicks.wav", 40)
    assert found.shape == (40, 2) and found.dtype == np.float32
    assert np.flatnonzero(found[:, 1] > 0.4).tolist() == [0, 10, 20, 30]
    assert np.flatnonzero(found[:, 0] < -0.9).tolist() == [5]
    assert np.count_nonzero(found) == 5


async def test_peaks_are_of_the_mono_mix_and_of_compressed_sound_too(tmp_path: Path, workers: Workers) -> None:
    path = barcode.write(tmp_path / "clip.mp4", frames=48, sound=True)
    found = await peaks(workers, path, 16)
    assert found[1:15, 1] == pytest.approx(0.2, abs=0.03)
    assert found[1:15, 0] == pytest.approx(-0.2, abs=0.03)


async def test_more_buckets_than_samples(tmp_path: Path, workers: Workers) -> None:
    write_sound(tmp_path / "short.wav", 0.01)
    assert (await peaks(workers, tmp_path / "short.wav", 500)).shape == (500, 2)


async def test_no_sound_is_said(tmp_path: Path, workers: Workers) -> None:
    path = barcode.write(tmp_path / "mute.mp4", frames=3)
    with pytest.raises(MediaError) as caught:
        await peaks(workers, path, 10)
    assert caught.value.code == "video.no_sound"
