"""The samples are what their README says, and a demo clip is what a phone makes."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

import av
import numpy as np
import pytest
from PIL import Image

from studio.media.samples import make_samples, write_clip
from studio.media.scene import Scene
from studio.media.sequence import Sequence
from studio.media.verify import verify_file

SHIPPED = Path(str(resources.files("resources"))) / "samples"


@pytest.fixture(params=["shipped", "made"], scope="module")
def samples(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    if request.param == "shipped":
        return SHIPPED
    folder = tmp_path_factory.mktemp("samples")
    make_samples(folder)
    return folder


def test_the_clip(samples: Path) -> None:
    found = verify_file(None, samples / "boat.mp4")
    assert (found.frames, found.width, found.height, found.fps) == (124, 640, 360, 24.0)
    assert (found.audio_rate, found.audio_channels) == (48_000, 2)
    assert found.audio_seconds == pytest.approx(124 / 24, abs=0.03)
    assert not found.sound_silent and not found.rehearsal


def test_the_pictures_and_the_sound(samples: Path) -> None:
    with Image.open(samples / "still-a.jpg") as a, Image.open(samples / "still-b.jpg") as b:
        assert (a.size, b.size) == ((960, 540), (720, 960))
    with av.open(str(samples / "theme.wav")) as box:
        sound = box.streams.audio[0]
        assert (sound.sample_rate, sound.channels, float(sound.duration * sound.time_base)) == (24_000, 1, 3.0)


def test_they_are_small(samples: Path) -> None:
    sizes = {path.name: path.stat().st_size for path in samples.iterdir()}
    assert sizes["boat.mp4"] <= 600_000
    assert sizes["theme.wav"] <= 300_000
    assert max(sizes["still-a.jpg"], sizes["still-b.jpg"]) <= 250_000


def test_a_clip_of_a_phone_is_stored_lying_and_shown_upright(tmp_path: Path) -> None:
    path = tmp_path / "phone.mp4"
    write_clip(path, seconds=0.5, width=144, height=256, fps=60, rotation=90, preset="ultrafast", crf=10, sound=True)
    clip = Sequence(path)
    (_, frame), *_ = clip.step() or clip.step() or clip.step()
    shown = clip.bgra(frame)[..., 2::-1]
    assert (frame.width, frame.height) == (256, 144)
    assert (clip.width, clip.height, len(clip)) == (144, 256, 30)
    assert np.abs(shown.astype(int) - Scene(144, 256).picture(0.0)).mean() < 6
    clip.close()


def test_things_move(tmp_path: Path) -> None:
    scene = Scene(160, 90, seed=1)
    first, later = scene.picture(0.0).astype(int), scene.picture(0.5).astype(int)
    assert np.abs(first - later).mean() > 2
    assert np.array_equal(Scene(160, 90, seed=1).picture(0.5), later)
