"""Clips made ready: the right frames at the right time, upright, in the right colours, with their sound."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest

from studio.contract.plan import planned
from studio.contract.shot import Crop, Preparation, Reference
from studio.media.prepare import Prepared, prepare
from studio.media.probe import probe_file
from studio.media.workers import Workers
from tests.helpers import barcode
from tests.helpers.media_factory import (
    HLG,
    Colour,
    change_codes,
    click_times,
    clicks,
    numbers,
    read_clip,
    read_sound,
    write_clip,
)


async def prepared(workers: Workers, path: Path, **wishes: object) -> Prepared:
    reference = Reference.model_validate({"id": "r1", "path": path, "kind": "video", **wishes})
    facts = probe_file(path)
    made = await prepare(workers, facts, reference, path.parent / "out")
    assert made.facts == probe_file(made.output)
    video, plan = made.facts.video, planned(reference, facts)
    assert video is not None
    assert (video.frames, video.width, video.height) == (plan.frames, plan.width, plan.height)
    assert (video.server_fps, video.vfr, video.rotation, video.sar, video.interlaced) == (24, False, 0, (1, 1), False)
    assert (video.codec, video.pix_fmt, made.facts.container, made.content_type) == (
        "h264",
        "yuv420p",
        "mp4",
        "video/mp4",
    )
    return made


def corners(path: Path) -> list[str]:
    return barcode.corner_names(read_clip(path)[0])


UPRIGHT = ["red", "green", "blue", "yellow"]


async def test_60_fps_becomes_24_by_time(workers: Workers, tmp_path: Path) -> None:
    made = await prepared(workers, write_clip(tmp_path / "a.mp4", frames=120, fps=60, b_frames=3))
    assert numbers(made.output) == [k * 60 // 24 for k in range(48)]
    assert change_codes(made.receipt) == {"rate"}
    receipt = made.receipt
    assert (receipt.frames_in, receipt.frames_out, receipt.frames_dropped, receipt.frames_doubled) == (118, 48, 70, 0)


@pytest.mark.parametrize(
    ("fps", "frames", "sent"),
    [(Fraction(24_000, 1001), 60, 60), (Fraction(30_000, 1001), 120, 96), (Fraction(24_000, 1001), 360, 360)],
)
async def test_as_many_frames_as_the_server_would_count(
    workers: Workers, tmp_path: Path, fps: Fraction, frames: int, sent: int
) -> None:
    sound = clicks(float(frames / fps), 32_000)
    source = write_clip(tmp_path / "a.mp4", frames=frames, fps=fps, sound=sound, sound_rate=32_000)
    made = await prepared(workers, source)
    video, audio = made.facts.video, made.facts.audio
    assert video is not None and audio is not None
    assert video.frames == sent and video.server_duration == sent / 24
    assert audio.server_duration <= video.server_duration
    assert numbers(made.output) == [int(k * fps / 24) for k in range(sent)]


async def test_a_small_clip_is_scaled_up_when_that_is_asked(workers: Workers, tmp_path: Path) -> None:
    source = write_clip(tmp_path / "a.mp4", frames=24, size=(128, 160))
    assert (await prepared(workers, source)).facts.shown_size == (128, 160)
    made = await prepared(workers, source, preparation={"enlarge": True})
    assert made.facts.shown_size == (256, 320)
    assert "scaled" in change_codes(made.receipt)


async def test_a_slow_clip_repeats_frames(workers: Workers, tmp_path: Path) -> None:
    made = await prepared(workers, write_clip(tmp_path / "a.mp4", frames=25, fps=Fraction(25, 2)))
    assert numbers(made.output) == [k * 25 // 48 for k in range(48)]
    assert made.receipt.frames_doubled == 23


async def test_variable_rate_by_time_with_its_hold(workers: Workers, tmp_path: Path) -> None:
    times = [Fraction(n, 60) for n in range(60)] + [Fraction(3, 2) + Fraction(n, 15) for n in range(15)]
    made = await prepared(workers, write_clip(tmp_path / "a.mp4", times=times))
    moments = np.array([float(t) for t in times])
    assert numbers(made.output) == [
        int(np.searchsorted(moments, k / 24 + 1e-6, "right")) - 1 for k in range(made.receipt.frames_out)
    ]
    assert "vfr" in change_codes(made.receipt)


@pytest.mark.parametrize("rotation", [90, 180, 270])
async def test_a_rotated_clip_becomes_upright(workers: Workers, tmp_path: Path, rotation: int) -> None:
    made = await prepared(workers, write_clip(tmp_path / "a.mp4", frames=24, size=(320, 256), rotation=rotation))
    assert corners(made.output) == UPRIGHT
    assert change_codes(made.receipt) == {"rotated"}


async def test_pixels_become_square_and_the_short_edge_is_reached(workers: Workers, tmp_path: Path) -> None:
    source = write_clip(tmp_path / "a.mp4", frames=24, size=(720, 576), sar=Fraction(64, 45))
    made = await prepared(workers, source, preparation=Preparation(short_edge=288))
    assert made.facts.shown_size == (512, 288)
    assert {"sar", "scaled"} <= change_codes(made.receipt)
    assert corners(made.output) == UPRIGHT


async def test_crop_is_of_the_upright_picture(workers: Workers, tmp_path: Path) -> None:
    source = write_clip(tmp_path / "a.mp4", frames=24, size=(512, 256), rotation=90)
    made = await prepared(workers, source, crop=Crop(x=0.5, y=0.0, width=0.5, height=0.5))
    assert made.facts.shown_size == (128, 256)
    picture = read_clip(made.output)[0]
    green = np.array(barcode.CORNERS["green"][::-1])
    assert np.abs(picture[10, -10].astype(int) - green).max() < 12


@pytest.mark.parametrize("start", [0.0, 0.5, 1.0, 2.375])
async def test_a_trim_is_exact_in_a_clip_with_one_key_frame(workers: Workers, tmp_path: Path, start: float) -> None:
    source = write_clip(tmp_path / "a.mp4", frames=96, gop=250, b_frames=3)
    made = await prepared(workers, source, start=start, end=start + 1)
    assert numbers(made.output) == [round(start * 24) + k for k in range(24)]
    assert "trimmed" in change_codes(made.receipt)


async def test_15_083_s_trimmed_to_345_frames(workers: Workers, tmp_path: Path) -> None:
    source = write_clip(tmp_path / "a.mp4", frames=362, gop=48, sound=clicks(362 / 24, 32_000), sound_rate=32_000)
    made = await prepared(workers, source, end=345 / 24)
    assert numbers(made.output) == list(range(345))
    video, audio = made.facts.video, made.facts.audio
    assert video is not None and audio is not None
    assert video.server_duration == 345 / 24
    assert audio.duration <= video.duration and audio.server_duration <= video.duration


async def test_sound_stays_with_the_picture(workers: Workers, tmp_path: Path) -> None:
    source = write_clip(tmp_path / "a.mp4", frames=150, fps=25, sound=clicks(6, 44_100), sound_rate=44_100)
    made = await prepared(workers, source, start=1.5, end=5.5)
    samples, rate = read_sound(made.output)
    assert rate == 32_000 and samples.shape[0] == 2
    assert click_times(samples, rate) == pytest.approx([0.5, 1.5, 2.5, 3.5], abs=0.001)
    assert 4 - 0.033 < samples.shape[1] / rate <= 4
    left = np.abs(np.fft.rfft(samples[0, 20_000:28_000]))
    assert int(left.argmax()) * rate / 8000 == 440


@pytest.mark.parametrize("late", ["sound", "picture"])
async def test_what_starts_late_stays_late(workers: Workers, tmp_path: Path, late: str) -> None:
    shown = [Fraction(1, 2) * (late == "picture") + Fraction(n, 24) for n in range(72)]
    source = write_clip(tmp_path / "a.mp4", times=shown, sound=clicks(2.5), sound_start=0.5 if late == "sound" else 0.0)
    made = await prepared(workers, source)
    samples, rate = read_sound(made.output)
    found = click_times(samples, rate)
    if late == "sound":
        assert found == pytest.approx([0.5, 1.5, 2.5], abs=0.022 + 0.001)  # AAC's own delay of one frame in the source
    else:
        assert found == pytest.approx([0.0, 1.0, 2.0], abs=0.001)
        assert numbers(made.output) == [0] * 12 + list(range(72))
        assert "filled" in change_codes(made.receipt)


@pytest.mark.parametrize("seconds", [2.0, 15.0])
async def test_sound_is_long_enough_and_never_too_long(workers: Workers, tmp_path: Path, seconds: float) -> None:
    frames = round(seconds * 24)
    source = write_clip(tmp_path / "a.mp4", frames=frames, gop=48, sound=clicks(seconds + 0.5), codec="mpeg4")
    made = await prepared(workers, source)
    audio = made.facts.audio
    assert audio is not None
    assert audio.server_duration <= seconds
    assert 2.0 <= audio.duration <= max(15.0, seconds + 0.032)


async def test_sound_left_out_when_unwanted_or_too_short(workers: Workers, tmp_path: Path) -> None:
    short = await prepared(workers, write_clip(tmp_path / "a.mp4", frames=72, sound=clicks(1.5)))
    assert short.facts.audio is None and "sound_short" in change_codes(short.receipt)
    unwanted = await prepared(workers, write_clip(tmp_path / "b.mp4", frames=72, sound=clicks(3)), keep_sound=False)
    assert unwanted.facts.audio is None and "sound_dropped" in change_codes(unwanted.receipt)


async def test_surround_sound_keeps_its_centre_and_never_clips(workers: Workers, tmp_path: Path) -> None:
    sound = np.zeros((6, 3 * 48_000), np.float32)
    sound[:] = 0.9 * np.sin(2 * np.pi * 440 * np.arange(sound.shape[1]) / 48_000)
    made = await prepared(workers, write_clip(tmp_path / "a.mp4", frames=72, sound=sound))
    samples, _ = read_sound(made.output)
    assert 0.7 < np.abs(samples[:, 10_000:80_000]).max() < 1.05
    assert "sound_channels" in change_codes(made.receipt)


@pytest.mark.parametrize(
    ("pix_fmt", "colour"),
    [("yuv420p", Colour()), ("yuvj420p", Colour(full_range=True)), ("yuv444p10le", Colour()), ("yuv420p", None)],
)
async def test_colours_stay_and_are_tagged(
    workers: Workers, tmp_path: Path, pix_fmt: str, colour: Colour | None
) -> None:
    source = write_clip(tmp_path / "a.mp4", frames=24, fps=30, pix_fmt=pix_fmt, colour=colour)
    made = await prepared(workers, source)
    video = made.facts.video
    assert video is not None
    assert (video.matrix, video.full_range, video.transfer, video.bit_depth) == ("bt709", False, "sdr", 8)
    picture = read_clip(made.output)[0].astype(int)
    for at, name in (((20, 20), "red"), ((20, -20), "green"), ((-20, -20), "blue"), ((-20, 20), "yellow")):
        assert np.abs(picture[at] - np.array(barcode.CORNERS[name][::-1])).max() <= 8, name


async def test_hdr_becomes_sdr(workers: Workers, tmp_path: Path) -> None:
    x265 = {"x265-params": "log-level=none:colorprim=9:transfer=18:colormatrix=9"}
    source = write_clip(
        tmp_path / "a.mov", frames=30, fps=30, codec="libx265", pix_fmt="yuv420p10le", colour=HLG, options=x265
    )
    made = await prepared(workers, source)
    assert made.facts.video is not None and made.facts.video.transfer == "sdr"
    assert corners(made.output) == UPRIGHT
    assert "tone_mapped" in change_codes(made.receipt)
    assert not list(made.output.parent.glob(".*"))


async def test_interlaced_frames_lose_their_combs(workers: Workers, tmp_path: Path) -> None:
    source = write_clip(
        tmp_path / "a.mpg",
        codec="mpeg2video",
        fps=25,
        frames=50,
        size=(320, 256),
        fields=True,
        options={"flags": "+ilme+ildct", "b": "4000000"},
    )
    made = await prepared(workers, source)

    def comb(path: Path) -> float:
        rows = read_clip(path)[10][52:84].astype(float)
        return float(np.abs(rows[1:-1] * 2 - rows[:-2] - rows[2:]).mean())

    assert comb(made.output) < 0.4 * comb(source)
    assert made.facts.video is not None and made.facts.video.frames == 48
    assert "deinterlaced" in change_codes(made.receipt)


async def test_transparent_pictures_lie_on_black(workers: Workers, tmp_path: Path) -> None:
    with av.open(str(tmp_path / "a.mov"), "w") as box:
        stream = box.add_stream("qtrle", rate=24)
        stream.width, stream.height, stream.pix_fmt = 256, 256, "argb"
        pixels = np.zeros((256, 256, 4), np.uint8)
        pixels[..., 2] = 255
        pixels[:, 128:, 0] = 255
        for n in range(48):
            frame = av.VideoFrame.from_ndarray(pixels, format="argb")
            frame.pts = n
            box.mux(stream.encode(frame))
        box.mux(stream.encode(None))
    made = await prepared(workers, tmp_path / "a.mov")
    assert "alpha.black" in change_codes(made.receipt)
    picture = read_clip(made.output)[0]
    assert picture[128, 40].max() < 8
    assert np.abs(picture[128, 200].astype(int) - [0, 255, 0]).max() < 8


async def test_a_fitting_clip_is_sent_as_it_is(workers: Workers, tmp_path: Path) -> None:
    source = write_clip(tmp_path / "a.mp4", frames=72, sound=clicks(3, 32_000), sound_rate=32_000)
    made = await prepared(workers, source)
    assert made.output.read_bytes() == source.read_bytes()
    assert made.receipt.untouched
    again = await prepared(workers, source, end=2.0)
    assert not again.receipt.untouched and again.facts.duration == 2.0


@pytest.mark.parametrize("name", ["a.mkv", "a.mov", "a.avi"])
async def test_other_containers_become_mp4(workers: Workers, tmp_path: Path, name: str) -> None:
    made = await prepared(workers, write_clip(tmp_path / name, frames=48, b_frames=0))
    assert numbers(made.output) == list(range(48))
    assert "codec" in change_codes(made.receipt)
