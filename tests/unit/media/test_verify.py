"""A render counts as done only when all of it decodes; what is broken is said with the number reached."""

from __future__ import annotations

import hashlib
from pathlib import Path

import av
import numpy as np
import pytest

from studio.media.errors import MediaError
from studio.media.mp4 import Mp4Writer
from studio.media.verify import verify, verify_file
from studio.media.workers import Workers
from tests.helpers import barcode

FRAMES = 73


def render(
    path: Path, *, comment: str | None = None, loudness: float = 0.3, sound: bool = True, faststart: bool = True
) -> Path:
    """What the server sends: 24 fps, sound of the same length. The index in front lets a cut file still open."""
    with Mp4Writer(path, 256, 256, sample_rate=32_000 if sound else None, comment=comment, faststart=faststart) as box:
        tone = loudness * np.sin(np.arange(FRAMES * 32_000 // 24) * 0.1, dtype=np.float32)
        for n in range(FRAMES):
            box.frame(barcode.picture(n, 256, 256))
            if sound:
                at = slice(n * len(tone) // FRAMES, (n + 1) * len(tone) // FRAMES)
                box.sound(np.stack([tone[at]] * 2))
    return path


async def test_a_whole_render(tmp_path: Path, workers: Workers) -> None:
    path = render(tmp_path / "a.mp4", comment="H3 Studio rehearsal")
    told: list[float] = []
    found = await verify(workers, path, told.append)
    assert (found.frames, found.width, found.height, found.fps) == (FRAMES, 256, 256, 24.0)
    assert found.video_seconds == pytest.approx(FRAMES / 24)
    assert (found.audio_rate, found.audio_channels) == (32_000, 2)
    assert found.audio_seconds == pytest.approx(FRAMES / 24, abs=0.04)
    assert found.rehearsal and not found.sound_silent
    assert found.size_bytes == path.stat().st_size
    assert found.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert told and told[-1] <= 1.0


def test_a_real_server_leaves_no_mark(tmp_path: Path) -> None:
    assert not verify_file(None, render(tmp_path / "a.mp4", faststart=False)).rehearsal


def test_silence_and_no_sound(tmp_path: Path) -> None:
    silent = verify_file(None, render(tmp_path / "silent.mp4", loudness=0))
    mute = verify_file(None, render(tmp_path / "mute.mp4", sound=False))
    assert silent.sound_silent and silent.audio_seconds == pytest.approx(FRAMES / 24, abs=0.04)
    assert mute.sound_silent and (mute.audio_rate, mute.audio_channels, mute.audio_seconds) == (None, None, None)


@pytest.mark.parametrize(("level", "luma"), [(0, 0), (255, 255)])
def test_mean_luma(level: int, luma: int, tmp_path: Path) -> None:
    path = tmp_path / "flat.mp4"
    with Mp4Writer(path, 64, 64) as box:
        for _ in range(5):
            box.frame(np.full((64, 64, 3), level, np.uint8))
    assert verify_file(None, path).mean_luma == pytest.approx(luma, abs=2)


@pytest.mark.parametrize("part", [0.4, 0.7, 0.95])
async def test_a_cut_file_is_damaged(part: float, tmp_path: Path, workers: Workers) -> None:
    path = render(tmp_path / "cut.mp4")
    path.write_bytes(path.read_bytes()[: int(path.stat().st_size * part)])
    with pytest.raises(MediaError) as caught:
        await verify(workers, path)
    assert caught.value.code in ("video.damaged", "video.sound_damaged")
    if caught.value.code == "video.damaged":
        reached = caught.value.params["frame"]
        assert isinstance(reached, int) and 0 < reached < FRAMES
        assert f"{reached} of {FRAMES}" in caught.value.text()


def test_a_cut_file_without_sound_names_the_picture_reached(tmp_path: Path) -> None:
    path = render(tmp_path / "cut.mp4", sound=False)
    path.write_bytes(path.read_bytes()[: int(path.stat().st_size * 0.7)])
    with pytest.raises(MediaError) as caught:
        verify_file(None, path)
    assert caught.value.code == "video.damaged"
    assert FRAMES * 0.4 < float(caught.value.params["frame"] or 0) < FRAMES


def test_a_file_whose_end_with_the_index_is_missing(tmp_path: Path) -> None:
    path = render(tmp_path / "cut.mp4", faststart=False)
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    with pytest.raises(MediaError) as caught:
        verify_file(None, path)
    assert caught.value.code == "media.incomplete"


def test_bytes_that_turned_to_zero(tmp_path: Path) -> None:
    path = render(tmp_path / "holes.mp4", sound=False)
    content = bytearray(path.read_bytes())
    middle = len(content) // 2
    content[middle : middle + 600] = bytes(600)
    path.write_bytes(content)
    with pytest.raises(MediaError) as caught:
        verify_file(None, path)
    assert caught.value.code == "video.damaged"


def test_a_sound_is_no_render(tmp_path: Path) -> None:
    path = tmp_path / "sound.m4a"
    with av.open(str(path), "w", format="ipod") as box:
        track = box.add_stream("aac", rate=32_000, layout="stereo")
        frame = av.AudioFrame.from_ndarray(np.zeros((2, 1024), np.float32), format="fltp", layout="stereo")
        frame.sample_rate = 32_000
        box.mux(track.encode(frame))
        box.mux(track.encode(None))
    with pytest.raises(MediaError) as caught:
        verify_file(None, path)
    assert caught.value.code == "media.no_picture"
