"""The sound of a clip to be drawn and heard, and one clip's sound under another's pictures."""

from pathlib import Path

import av
import numpy as np
import pytest

from studio.compare.errors import CompareError
from studio.compare.mux import mux_sound
from studio.compare.sound import read_sound, sound_lag
from studio.compare.tracks import OUTLINE_RATE, difference, read_track, read_tracks
from studio.media.workers import Workers
from tests.integration.compare.scenes import RATE, rustle, scene, write


def packets(path: Path) -> list[tuple[bytes, float]]:
    """The picture packets as stored, and when each is shown."""
    with av.open(str(path)) as box:
        stream = box.streams.video[0]
        return [(bytes(p), round(float(p.pts * stream.time_base), 4)) for p in box.demux(stream) if p.size]


def test_a_track_says_level_silence_and_clipping(tmp_path: Path) -> None:
    sound = np.zeros((2, 2 * RATE), np.float32)
    sound[:, :RATE] = np.clip(1.5 * np.sin(np.arange(RATE) * 2 * np.pi * 200 / RATE), -1, 1)
    track = read_track(write(tmp_path / "loud.mp4", scene(48), sound=sound))
    assert track is not None
    assert track.seconds == pytest.approx(2.0, abs=0.05)
    assert len(track.outline) == pytest.approx(2 * OUTLINE_RATE, abs=10)
    assert np.abs(track.outline[: OUTLINE_RATE - 10]).max() > 0.9
    assert np.abs(track.outline[OUTLINE_RATE + 20 :]).max() < 0.01
    assert track.silent_s == pytest.approx(1.0, abs=0.11)
    assert track.clipped > 100
    assert track.peak_db == pytest.approx(0.0, abs=0.1)
    assert -6 < track.level_db < -2


def test_quiet_sound_is_not_clipped(tmp_path: Path) -> None:
    track = read_track(write(tmp_path / "a.mp4", scene(24), sound=rustle(1)))
    assert track is not None
    assert track.clipped == 0


async def test_a_side_without_sound_is_none(tmp_path: Path, workers: Workers) -> None:
    heard = write(tmp_path / "a.mp4", scene(12), sound=rustle(0.5))
    a, b = await read_tracks(workers, heard, write(tmp_path / "b.mp4", scene(12)))
    assert a is not None
    assert b is None


@pytest.mark.parametrize("lag", [0, 7, -7])
def test_the_difference_of_a_moved_copy_is_silence(lag: int) -> None:
    a = np.random.default_rng(1).integers(-9000, 9000, (100, 2)).astype(np.int16)
    b = a[lag:] if lag >= 0 else np.concatenate((np.zeros((-lag, 2), np.int16), a))
    left = difference(a, b, lag)
    assert not left[max(0, lag) :].any()
    assert (left[: max(0, lag)] == a[: max(0, lag)]).all()


async def test_the_picture_packets_stay_and_the_sound_is_in_step(tmp_path: Path, workers: Workers) -> None:
    source = write(tmp_path / "source.mp4", scene(48), sound=rustle(2))
    silent = write(tmp_path / "render.mp4", scene(48, seed=2))
    made = tmp_path / "both.mp4"
    await mux_sound(workers, silent, source, made)
    assert packets(made) == packets(silent)
    lag, correlation = sound_lag(read_sound(source, 0.0), read_sound(made, 0.0))
    assert correlation > 0.99
    assert abs(lag) < 0.001
    assert not list(tmp_path.glob("*.part"))


async def test_the_sound_follows_the_offset(tmp_path: Path, workers: Workers) -> None:
    """B starts 12 frames into A: its pictures get A's sound from there on."""
    source = write(tmp_path / "source.mp4", scene(60), sound=rustle(2.5))
    later = write(tmp_path / "later.mp4", scene(48, first=12), sound=rustle(2, seed=9))
    made = tmp_path / "both.mp4"
    await mux_sound(workers, later, source, made, late=-0.5)
    assert packets(made) == packets(later)
    lag, correlation = sound_lag(read_sound(source, 0.0), read_sound(made, 0.0))
    assert correlation > 0.95
    assert lag == pytest.approx(-0.5, abs=0.001)


async def test_a_source_without_sound_is_said(tmp_path: Path, workers: Workers) -> None:
    silent = write(tmp_path / "a.mp4", scene(12))
    with pytest.raises(CompareError) as caught:
        await mux_sound(workers, silent, silent, tmp_path / "both.mp4")
    assert caught.value.code == "compare.no_sound"
    assert [p.name for p in tmp_path.glob("*.mp4*")] == ["a.mp4"]
