"""The comparison as others use it: in a worker, with files of all kinds."""

from __future__ import annotations

import asyncio
import json
import os
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest
from PIL import Image

from studio.compare.comparison import compare, compare_files
from studio.compare.decode import Decoded, read_timeline
from studio.compare.errors import CompareError
from studio.compare.measured import readable
from studio.core.errors import StudioError
from studio.media.frames import Clip
from studio.media.workers import Workers
from tests.integration.compare.scenes import rustle, scene, write


def _by_libavfilter(a: Path, b: Path) -> tuple[float, float]:
    """Mean luma SSIM, and PSNR of the mean squared error, as ffmpeg's filters find them on the 4:2:0 pictures."""
    graph = av.filter.Graph()
    buffers = [
        graph.add_buffer(width=256, height=144, format=av.VideoFormat("yuv420p"), time_base=Fraction(1, 24))
        for _ in "ab"
    ]
    split, psnr, ssim, sink = graph.add("split"), graph.add("psnr"), graph.add("ssim"), graph.add("buffersink")
    buffers[0].link_to(psnr, 0, 0)
    buffers[1].link_to(split)
    split.link_to(psnr, 0, 1)
    psnr.link_to(ssim, 0, 0)
    split.link_to(ssim, 1, 1)
    ssim.link_to(sink)
    graph.configure()
    mse, similar = [], []
    with av.open(str(a)) as file_a, av.open(str(b)) as file_b:
        for k, frames in enumerate(zip(file_a.decode(video=0), file_b.decode(video=0), strict=True)):
            for buffer, frame in zip(buffers, frames, strict=True):
                frame.pts, frame.time_base = k, Fraction(1, 24)
                buffer.push(frame)
            marks = sink.pull().metadata
            mse.append(float(marks["lavfi.psnr.mse.y"]))
            similar.append(float(marks["lavfi.ssim.Y"]))
    return float(np.mean(similar)), 10 * np.log10(255**2 / np.mean(mse))


def test_psnr_and_ssim_are_those_of_ffmpeg(tmp_path: Path) -> None:
    a, b = write(tmp_path / "a.mp4", scene(12)), write(tmp_path / "b.mp4", scene(12), crf=33)
    found = compare_files(a, b)
    ssim, psnr = _by_libavfilter(a, b)
    assert found.ssim == pytest.approx(ssim, abs=0.0005)
    assert found.psnr == pytest.approx(psnr, abs=0.02)


async def test_in_a_worker_with_progress(tmp_path: Path, workers: Workers) -> None:
    a, b = write(tmp_path / "a.mp4", scene(), sound=rustle(2)), write(tmp_path / "b.mp4", scene(), crf=30)
    told: list[float] = []
    found = await compare(workers, a, b, progress=told.append)
    assert told == sorted(told)
    assert 0 < told[-1] <= 1
    printed = json.loads(json.dumps(found.as_json(), allow_nan=False))
    assert list(printed) == [
        "frames_compared",
        "alignment",
        "mad",
        "psnr",
        "ssim",
        "verdict",
        "verdict_text",
        "faults",
        "colour_shift",
        "motion_kept",
        "audio",
    ]
    assert printed["frames_compared"] == 48
    assert printed["alignment"] == {"offset_frames": 0, "how": "none"}
    assert printed["faults"] == ["silent"]
    assert set(printed["mad"]) == {"mean", "max", "fitted_mean"}


async def test_cancelling_ends_the_worker(no_children_left: None, tmp_path: Path, workers: Workers) -> None:
    a = write(tmp_path / "a.mp4", scene(240), preset="ultrafast")
    started = asyncio.Event()
    task = asyncio.create_task(compare(workers, a, a, progress=lambda fraction: started.set() if fraction else None))
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


@pytest.mark.parametrize("kind", ["missing", "garbage", "pipe", "folder", "sound only"])
def test_what_cannot_be_compared_says_why(tmp_path: Path, kind: str) -> None:
    a, b = write(tmp_path / "a.mp4", scene(4)), tmp_path / "b.mp4"
    match kind:
        case "garbage":
            b.write_bytes(os.urandom(5000))
        case "pipe":
            os.mkfifo(b)
        case "folder":
            b.mkdir()
        case "sound only":
            with av.open(str(b), "w") as container:
                container.add_stream("aac", rate=32000)
    with pytest.raises(StudioError) as caught:
        compare_files(a, b)
    assert "b.mp4" in caught.value.text()


def test_an_offset_beyond_the_clip_is_refused_with_both_lengths(tmp_path: Path) -> None:
    a = write(tmp_path / "a.mp4", scene(6))
    with pytest.raises(CompareError, match="offset of 6 frames nothing overlaps: A has 6 frames, B has 6"):
        compare_files(a, a, 6)


def test_other_rates_are_paired_by_time_on_the_slower_clock(tmp_path: Path) -> None:
    a = write(tmp_path / "a.mp4", scene(48))
    b = write(tmp_path / "b.mp4", scene(96, step=0.5), fps=48)
    found = compare_files(a, b)
    assert (found.pairing, found.frames_compared, found.fps) == ("time", 48, pytest.approx(24))
    assert found.frames.a == tuple(range(48))
    assert found.frames.b == tuple(range(0, 96, 2))
    assert found.verdict == "re-encode"


def test_equal_rates_are_paired_by_number_and_the_rest_is_left_over(tmp_path: Path) -> None:
    a, b = write(tmp_path / "a.mp4", scene(24)), write(tmp_path / "b.mp4", scene(23), crf=20)
    found = compare_files(a, b)
    assert (found.pairing, found.frames_a, found.frames_b, found.frames_compared) == ("index", 24, 23, 23)


def test_b_of_another_size_is_brought_to_the_size_of_a(tmp_path: Path) -> None:
    a = write(tmp_path / "a.mp4", scene(12))
    large = [np.asarray(Image.fromarray(p).resize((512, 288), Image.Resampling.BICUBIC)) for p in scene(12)]
    found = compare_files(a, write(tmp_path / "b.mp4", large))
    assert (found.width, found.height, found.width_b, found.height_b) == (256, 144, 512, 288)
    assert (found.verdict, found.faults) == ("re-encode", ())


def test_stills_compare_as_clips_of_one_frame(tmp_path: Path) -> None:
    (picture,) = scene(1)
    Image.fromarray(picture).save(tmp_path / "a.png")
    Image.fromarray(picture).save(tmp_path / "b.jpg", quality=90)
    found = compare_files(tmp_path / "a.png", tmp_path / "b.jpg")
    assert (found.verdict, found.frames_compared) == ("re-encode", 1)


@pytest.mark.parametrize("step", [1, 2])
async def test_frames_that_a_viewer_has_decoded_give_the_same_measures(tmp_path: Path, step: int) -> None:
    pictures = [picture[::step, ::step] for picture in scene(30)]  # 256 × 144, and as small as what is kept of each
    paths = write(tmp_path / "a.mp4", pictures), write(tmp_path / "b.mp4", pictures, crf=30)
    clips = [await Clip.open(path) for path in paths]
    try:
        a, b = await clips[0].whole(), await clips[1].whole()
        assert a is not None
        assert b is not None
        stores = Decoded(a, read_timeline(paths[0])), Decoded(b, read_timeline(paths[1]))
        cached = await asyncio.to_thread(compare_files, *paths, 0, stores=stores)
    finally:
        for clip in clips:
            await clip.aclose()
    assert cached.frames == (await asyncio.to_thread(compare_files, *paths, 0)).frames
    # A store that is gone is no reason not to measure.
    assert readable(stores) is None
