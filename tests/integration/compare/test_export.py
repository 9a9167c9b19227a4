"""What is written for others: whole or not at all."""

from __future__ import annotations

import asyncio
import csv
import json
from pathlib import Path

import av
import numpy as np
import pytest
from PIL import Image

from studio.compare.comparison import compare_files
from studio.compare.compositing import Look, Mode
from studio.compare.drawing import GROUND, Beside, View
from studio.compare.errors import CompareError
from studio.compare.export import Asked, export, measures_csv
from studio.compare.result import Comparison
from studio.media.workers import Workers
from tests.integration.compare.scenes import rustle, scene, write

ORANGE, BLUE = (0xF2, 0xA6, 0x5A), (0x5A, 0xB1, 0xF2)


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Comparison:
    folder = tmp_path_factory.mktemp("pair")
    a = write(folder / "a.mp4", scene(), sound=rustle(2))
    return compare_files(a, write(folder / "b.mp4", scene(first=3), crf=30))


async def test_contact_sheet(found: Comparison, tmp_path: Path, workers: Workers) -> None:
    await export(workers, found, tmp_path / "new folder" / "sheet.png")
    with Image.open(tmp_path / "new folder" / "sheet.png") as sheet:
        pixels = np.asarray(sheet.convert("RGB"))
    seen = {tuple(colour) for colour in np.unique(pixels.reshape(-1, 3), axis=0).tolist()}
    assert {ORANGE, BLUE} <= seen
    assert pixels.shape[1] > 6 * 250
    assert [p.name for p in (tmp_path / "new folder").iterdir()] == ["sheet.png"]


async def test_difference_clip_has_every_pair_and_the_sound_of_a(
    found: Comparison, tmp_path: Path, workers: Workers
) -> None:
    told: list[float] = []
    await export(workers, found, tmp_path / "clip.mp4", progress=told.append)
    with av.open(str(tmp_path / "clip.mp4")) as clip:
        pictures = [frame.to_ndarray(format="rgb24") for frame in clip.decode(video=0)]
        assert clip.streams.video[0].average_rate == 24
        clip.seek(0)
        sound = np.concatenate([f.to_ndarray() for f in clip.decode(audio=0)], axis=1)
    assert (len(pictures), pictures[0].shape[1]) == (45, 3 * 256)
    difference = pictures[10][40:144, 2 * 256 + 80 :]
    assert difference.mean() < 60
    assert sound.shape[1] == pytest.approx(45 / 24 * 32000, abs=2048)
    # A's sound from its third frame on, where the comparison starts.
    original = rustle(2)[0, 4000 : 4000 + 32000]
    assert np.corrcoef(sound[0, :32000], original)[0, 1] > 0.6
    assert told == sorted(told)


def test_measures_have_a_row_a_pair(found: Comparison, tmp_path: Path) -> None:
    measures_csv(found, tmp_path / "measures.csv")
    with (tmp_path / "measures.csv").open(newline="") as fp:
        rows = list(csv.DictReader(fp))
    assert len(rows) == found.frames_compared == 45
    assert (rows[0]["frame_a"], rows[0]["frame_b"]) == ("3", "0")
    assert float(rows[7]["mad"]) == pytest.approx(found.frames.mad[7], abs=1e-4)


@pytest.mark.parametrize(
    ("mode", "size"), [("stacked", (256, 2 * 144)), ("wipe", (256, 144)), ("side", (2 * 256, 144))]
)
async def test_a_clip_of_a_mode_and_a_range(
    found: Comparison, tmp_path: Path, workers: Workers, mode: Mode, size: tuple[int, int]
) -> None:
    asked = Asked(View(mode))
    await export(workers, found.part(5, 9), tmp_path / "clip.mp4", asked=asked)
    with av.open(str(tmp_path / "clip.mp4")) as clip:
        pictures = [frame.to_ndarray(format="rgb24") for frame in clip.decode(video=0)]
    assert (len(pictures), pictures[0].shape[1], pictures[0].shape[0] - 32) == (5, *size)


async def test_a_flickering_clip_shows_a_and_b_in_turn(found: Comparison, tmp_path: Path, workers: Workers) -> None:
    await export(workers, found.part(0, 17), tmp_path / "clip.mp4", asked=Asked(View("flicker")))
    with av.open(str(tmp_path / "clip.mp4")) as clip:
        corners = [frame.to_ndarray(format="rgb24")[2:5, 2:5].mean(axis=(0, 1)) for frame in clip.decode(video=0)]
    sides = ["A" if np.abs(corner - ORANGE).mean() < np.abs(corner - BLUE).mean() else "B" for corner in corners]
    assert "".join(sides) == 6 * "A" + 6 * "B" + 6 * "A"


async def test_a_grid_shows_c_beside_the_pair_and_an_empty_place_where_it_has_ended(
    found: Comparison, tmp_path: Path, workers: Workers
) -> None:
    frames = (None, 0, 1, *[None] * (found.frames_compared - 3))
    view = View("grid", beside=(Beside(found.a, (256, 144), frames),))
    await export(workers, found.part(0, 4), tmp_path / "clip.mp4", asked=Asked(view))
    with av.open(str(tmp_path / "clip.mp4")) as clip:
        pictures = [frame.to_ndarray(format="rgb24").astype(int) for frame in clip.decode(video=0)]
    assert pictures[0].shape == (2 * 144 + 32, 2 * 256, 3)
    of_c = [picture[144 + 30 : 288, :256] for picture in pictures]
    assert [bool(np.abs(c - GROUND).mean() > 8) for c in of_c] == [False, True, True, False, False]
    assert np.abs(of_c[1] - np.asarray(scene()[0]).astype(int)[30:]).mean() < 12
    assert np.abs(pictures[1][144:288, 256:] - GROUND).mean() < 8, "no D"


async def test_a_still_shows_both_halves_of_its_frame(found: Comparison, tmp_path: Path, workers: Workers) -> None:
    asked = Asked(View("wipe", Look(edge=0.5, upright=False)), still=10)
    await export(workers, found, tmp_path / "still.png", asked=asked)
    with Image.open(tmp_path / "still.png") as still:
        pixels = np.asarray(still.convert("RGB")).astype(int)
    a, b = (np.asarray(scene()[n]).astype(int) for n in (10, 10))
    assert np.abs(pixels[40:72, 64:] - a[40:72, 64:]).mean() < 8
    assert np.abs(pixels[80:, 64:] - b[80:, 64:]).mean() < 12


async def test_a_contact_sheet_of_chosen_frames(found: Comparison, tmp_path: Path, workers: Workers) -> None:
    await export(workers, found, tmp_path / "sheet.png", asked=Asked(at=(5, 40)))
    with Image.open(tmp_path / "sheet.png") as sheet:
        assert sheet.width == 3 * 280
    with pytest.raises(CompareError, match="Frame 1 of A"):
        await export(workers, found, tmp_path / "sheet.png", asked=Asked(at=(1,)))


async def test_measures_as_json(found: Comparison, tmp_path: Path, workers: Workers) -> None:
    await export(workers, found, tmp_path / "measures.json")
    data = json.loads((tmp_path / "measures.json").read_text())
    assert (data["verdict"], len(data["frames"]["mad"])) == ("shifted", 45)


async def test_cancelling_leaves_nothing(found: Comparison, tmp_path: Path, workers: Workers) -> None:
    started = asyncio.Event()
    writing = export(workers, found, tmp_path / "clip.mp4", progress=lambda done: started.set() if done else None)
    task = asyncio.create_task(writing)
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert list(tmp_path.glob("*.mp4*")) == []


async def test_other_suffixes_are_refused(found: Comparison, tmp_path: Path, workers: Workers) -> None:
    with pytest.raises(CompareError, match=r"clip\.avi"):
        await export(workers, found, tmp_path / "clip.avi")
