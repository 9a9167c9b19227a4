"""Files that cameras, phones and tools wrote: what each of them was kept for (`tests/data/real/README.md`)."""

from __future__ import annotations

from pathlib import Path

import av
import pytest

from studio.contract import Severity
from studio.media.errors import MediaError
from studio.media.probe import probe_file
from studio.media.thumbs import thumbnail_png
from studio.media.workers import Workers
from tests.helpers.media_factory import change_codes
from tests.helpers.references import findings, prepared

REAL = Path(__file__).parents[2] / "data" / "real"


async def test_every_readable_file_is_prepared_and_drawn(workers: Workers, tmp_path: Path) -> None:
    for path in sorted(REAL.iterdir()):
        if path.name in ("README.md", "sample_malformed_free_box.mp4"):
            continue
        end = 1.0 if probe_file(path).kind != "image" else None
        made = await prepared(workers, path, tmp_path / path.stem, end=end)
        assert made.facts.size_bytes and change_codes(made.receipt), path.name
        if made.kind != "audio":
            assert thumbnail_png(path, 64, 0.0).startswith(b"\x89PNG"), path.name


@pytest.mark.parametrize("name", ["bear-id3.mp3", "sample_audio_only.mp4", "sample_opus.mp4", "sample_alac.mp4"])
async def test_sound_is_told_from_video_by_content(workers: Workers, tmp_path: Path, name: str) -> None:
    """VID-3, VID-4"""
    made = await prepared(workers, REAL / name, tmp_path)
    assert made.kind == "audio" and made.facts.video is None
    assert made.facts.duration == pytest.approx(probe_file(REAL / name).duration, abs=0.03)


async def test_a_phone_s_hdr_clip_is_sent_upright_in_sdr(workers: Workers, tmp_path: Path) -> None:
    """VID-1, VID-13"""
    made = await prepared(workers, REAL / "dolbyVision-hdr.MOV", tmp_path)
    video = made.facts.video
    assert video is not None
    assert (video.width, video.height, video.rotation) == (540, 960, 0)
    assert (video.transfer, video.matrix, video.bit_depth, video.full_range) == ("sdr", "bt709", 8, False)
    assert {"rotated", "tone_mapped", "codec"} <= change_codes(made.receipt)


async def test_slow_motion_goes_by_its_times(workers: Workers, tmp_path: Path) -> None:
    """VID-2: the first picture is on the screen for 0.325 s, and so for 8 of 24 a second."""
    made = await prepared(workers, REAL / "sample_android_slow_motion.mp4", tmp_path)
    assert (made.receipt.frames_out, made.receipt.frames_doubled) == (round(0.525 * 24), 7)
    assert {"vfr", "colour"} <= change_codes(made.receipt)


def test_an_index_that_cannot_be_found_is_said(tmp_path: Path) -> None:
    """VID-6"""
    with pytest.raises(MediaError) as caught:
        probe_file(REAL / "sample_malformed_free_box.mp4")
    assert caught.value.code == "media.incomplete" and "index" in caught.value.text()


def test_a_box_that_runs_past_the_end_is_harmless() -> None:
    """VID-6"""
    video = probe_file(REAL / "sample_mdat_too_long.mp4").video
    assert video is not None and video.frames == 30


async def test_a_picture_that_begins_late_keeps_its_distance_to_the_sound(workers: Workers, tmp_path: Path) -> None:
    """VID-9: the first picture fills the second that it comes late."""
    made = await prepared(workers, REAL / "edit_list_positive_shift.mp4", tmp_path)
    video, audio = made.facts.video, made.facts.audio
    assert video is not None and audio is not None
    assert (video.frames, video.start, audio.start) == (240, 0, 0)
    assert "filled" in change_codes(made.receipt)
    assert audio.duration == pytest.approx(10, abs=0.033)


async def test_no_picture_of_a_reordered_hevc_clip_is_lost(workers: Workers, tmp_path: Path) -> None:
    """VID-5, VID-10"""
    source = probe_file(REAL / "h265_bframes.mp4").video
    with av.open(str(REAL / "h265_bframes.mp4")) as box:
        assert source is not None and source.frames == sum(1 for _ in box.decode(video=0)) == 30
    made = await prepared(workers, REAL / "h265_bframes.mp4", tmp_path)
    assert made.receipt.frames_out == 24 and made.receipt.frames_dropped == 6 - 1  # the last one is not on the screen


def test_a_clip_over_15_s_is_refused_with_its_length_and_a_window() -> None:
    """VID-16"""
    path = REAL / "silent-black-25s.mp4"
    found = [f for f in findings(path) if f.code == "ref.video.too_long"]
    assert found[0].params["is"] == 25.0 and len(found[0].mends) > 1


async def test_sound_that_is_shorter_than_the_picture_and_than_2_s_is_left_out(
    workers: Workers, tmp_path: Path
) -> None:
    """AUD-4: with a note before, and a line on the receipt."""
    path = REAL / "sample_shorter_audio.mp4"
    made = await prepared(workers, path, tmp_path)
    assert made.facts.audio is None and made.facts.duration == pytest.approx(1.2, abs=0.021)
    assert "sound_short" in change_codes(made.receipt)
    assert not [f for f in findings(path) if "sound" in f.code and f.severity != Severity.NOTE]


async def test_a_still_with_a_motion_picture_is_a_picture(workers: Workers, tmp_path: Path) -> None:
    """IMG-8"""
    made = await prepared(workers, REAL / "sample_MP.heic", tmp_path)
    assert made.kind == "image" and made.content_type == "image/png"
    assert made.facts.shown_size == (1080, 1920)
