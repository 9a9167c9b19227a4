"""The leaf writer: the server's file shape, and the options that exports need."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest

from studio.media.mp4 import Mp4Writer

RED = np.full((64, 96, 3), (255, 0, 0), np.uint8)


def test_red_is_limited_bt601_without_tags(tmp_path: Path) -> None:
    path = tmp_path / "red.mp4"
    with Mp4Writer(path, 96, 64) as writer:
        for _ in range(5):
            writer.frame(RED)
    with av.open(str(path)) as container:
        video = container.streams.video[0]
        frame = next(container.decode(video))
        assert [int(frame.to_ndarray()[row, 0]) for row in (0, 64, 80)] == [81, 90, 240]
        assert (video.frames, video.duration, video.time_base) == (5, 5 * 512, Fraction(1, 12_288))
        assert not container.streams.audio


def test_sound_in_uneven_pieces_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "tone.mp4"
    time_s = np.arange(32_000, dtype=np.float32) / 32_000
    tone = np.stack([np.sin(2 * np.pi * 500 * time_s), np.zeros_like(time_s)]) * 0.5
    with Mp4Writer(path, 96, 64, sample_rate=32_000) as writer:
        for index, piece in enumerate(np.array_split(tone, 24, axis=1)):
            writer.frame(RED)
            writer.sound(piece[:, : 900 + index])
            writer.sound(piece[:, 900 + index :])
    with av.open(str(path)) as container:
        heard = np.concatenate([frame.to_ndarray() for frame in container.decode(audio=0)], axis=1)[:, :32_000]
    assert np.abs(heard[0] - tone[0])[2_000:30_000].max() < 0.05
    assert np.abs(heard[1]).max() < 0.02


def test_tags_rate_and_index_in_front(tmp_path: Path) -> None:
    path = tmp_path / "export.mp4"
    tags = {"title": "Two clips"}
    with Mp4Writer(path, 96, 64, Fraction(30_000, 1001), comment="made here", faststart=True, tags=tags) as writer:
        writer.frame(RED)
        writer.frame(RED)
    data = path.read_bytes()
    assert data.index(b"moov") < data.index(b"mdat")
    with av.open(str(path)) as container:
        assert container.metadata["title"] == "Two clips"
        assert container.metadata["comment"] == "made here"
        assert container.streams.video[0].average_rate == Fraction(30_000, 1001)


def test_wrong_input_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="even"):
        Mp4Writer(tmp_path / "odd.mp4", 95, 64)
    with Mp4Writer(tmp_path / "a.mp4", 96, 64) as writer:
        writer.frame(RED)
        with pytest.raises(ValueError, match=r"expected \(64, 96, 3\)"):
            writer.frame(RED[:32])
        with pytest.raises(ValueError, match="no sound"):
            writer.sound(np.zeros((2, 10), np.float32))


def test_after_an_error_inside_the_path_is_free_again(tmp_path: Path) -> None:
    path = tmp_path / "a.mp4"
    with pytest.raises(KeyError), Mp4Writer(path, 96, 64, sample_rate=32_000) as writer:
        writer.frame(RED)
        raise KeyError
    with Mp4Writer(path, 96, 64) as writer:
        writer.frame(RED)
    with av.open(str(path)) as container:
        assert container.streams.video[0].frames == 1
