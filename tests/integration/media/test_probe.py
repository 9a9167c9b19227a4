"""Probing real files: the truth about them, what the server will measure, and a sentence for what is no media."""

from __future__ import annotations

import io
import os
import resource
import socket
import zlib
from fractions import Fraction
from pathlib import Path

import numpy as np
import pillow_heif
import pytest
from PIL import Image

from studio.contract.facts import VideoFacts
from studio.media.errors import MediaError
from studio.media.probe import glance, glance_file, probe, probe_file
from studio.media.workers import Workers
from tests.helpers import barcode
from tests.helpers.dead_mount import OnDeadMount, OnDyingMount
from tests.helpers.media_factory import HLG, Colour, clicks, write_clip, write_sound


def video_of(path: Path) -> VideoFacts:
    video = probe_file(path).video
    assert video is not None
    return video


def refusal(path: Path) -> MediaError:
    with pytest.raises(MediaError) as caught:
        probe_file(path)
    assert path.name in caught.value.text() and "{" not in caught.value.text()
    return caught.value


def still(path: Path, size: tuple[int, int] = (320, 256), **options: object) -> Path:
    Image.fromarray(barcode.picture(5, *size)).save(path, **options)
    return path


async def test_a_clip_is_measured_in_a_worker(workers: Workers, tmp_path: Path) -> None:
    path = write_clip(tmp_path / "a.mp4", frames=120, fps=60, sound=clicks(2))
    facts = await probe(workers, path)
    video, audio = facts.video, facts.audio
    assert video is not None and audio is not None
    assert (facts.kind, facts.container, facts.size_bytes) == ("video", "mp4", path.stat().st_size)
    assert (video.codec, video.width, video.height, video.frames) == ("h264", 256, 256, 120)
    assert (video.fps, video.server_fps, video.duration, video.vfr) == (60, 60, 2, False)
    assert (audio.codec, audio.sample_rate, audio.channels, audio.start) == ("aac", 48_000, 2, 0)
    assert audio.server_duration == pytest.approx(2, abs=0.001)


@pytest.mark.parametrize("rotation", [90, 180, 270])
def test_rotation_turns_the_shown_size(tmp_path: Path, rotation: int) -> None:
    video = video_of(write_clip(tmp_path / "a.mp4", frames=4, size=(320, 256), rotation=rotation))
    assert video.rotation == rotation
    assert (video.width, video.height) == (320, 256)
    assert (video.display_width, video.display_height) == ((320, 256) if rotation == 180 else (256, 320))


def test_pixel_aspect_widens_the_shown_size(tmp_path: Path) -> None:
    video = video_of(write_clip(tmp_path / "a.mp4", frames=4, size=(720, 576), sar=Fraction(64, 45)))
    assert video.sar == (64, 45)
    assert (video.display_width, video.display_height) == (1024, 576)


def test_variable_rate_is_seen_and_length_is_time(tmp_path: Path) -> None:
    times = [Fraction(n, 30) for n in range(30)] + [Fraction(3, 2) + Fraction(n, 15) for n in range(15)]
    video = video_of(write_clip(tmp_path / "a.mp4", times=times, fps=15))
    assert video.vfr
    assert video.frames == 45
    assert video.duration == pytest.approx(2.5, abs=0.001)


def test_millisecond_time_bases_are_no_variable_rate(tmp_path: Path) -> None:
    video = video_of(write_clip(tmp_path / "a.mkv", frames=72))
    assert not video.vfr
    assert video.duration == pytest.approx(3.0, abs=0.001)


def test_a_late_picture_keeps_its_distance_to_the_sound(tmp_path: Path) -> None:
    times = [Fraction(1, 2) + Fraction(n, 24) for n in range(48)]
    facts = probe_file(write_clip(tmp_path / "a.mp4", times=times, sound=clicks(2.5)))
    assert facts.video is not None and facts.audio is not None
    assert facts.video.start == pytest.approx(0.5, abs=0.001)
    assert facts.duration == pytest.approx(2.5, abs=0.001)
    assert facts.audio.start == 0 and facts.video.edit_list


def test_late_sound_is_found_late(tmp_path: Path) -> None:
    facts = probe_file(write_clip(tmp_path / "a.mp4", sound=clicks(1), sound_start=0.75))
    assert facts.audio is not None
    assert facts.audio.start == pytest.approx(0.75, abs=0.03)


def test_colour_tags_hdr_and_depth(tmp_path: Path) -> None:
    x265 = {"x265-params": "log-level=none:colorprim=9:transfer=18:colormatrix=9"}
    hdr = video_of(
        write_clip(tmp_path / "a.mp4", frames=4, codec="libx265", pix_fmt="yuv420p10le", colour=HLG, options=x265)
    )
    assert (hdr.transfer, hdr.matrix, hdr.bit_depth) == ("hlg", "bt2020", 10)
    full = video_of(write_clip(tmp_path / "b.mp4", frames=4, colour=Colour(full_range=True)))
    assert (full.full_range, full.matrix, full.transfer) == (True, "bt709", "sdr")
    assert video_of(write_clip(tmp_path / "c.mp4", frames=4)).matrix is None


def test_interlacing_is_seen_where_packets_have_no_plain_times(tmp_path: Path) -> None:
    path = write_clip(
        tmp_path / "a.mpg", codec="mpeg2video", fps=25, frames=50, fields=True, options={"flags": "+ilme+ildct"}
    )
    video = video_of(path)
    assert video.interlaced
    assert (video.frames, video.duration) == (50, pytest.approx(2.0, abs=0.001))


def test_an_animated_gif_is_a_clip_by_its_delays(tmp_path: Path) -> None:
    pictures = [Image.fromarray(barcode.picture(n, 256, 256)).quantize(32) for n in range(4)]
    pictures[0].save(
        tmp_path / "a.gif", save_all=True, append_images=pictures[1:], duration=[100, 100, 500, 300], loop=0
    )
    facts = probe_file(tmp_path / "a.gif")
    assert facts.kind == "video" and facts.duration == pytest.approx(1.0, abs=0.001)


def test_sound_alone_is_a_sound_whatever_its_name(tmp_path: Path) -> None:
    facts = probe_file(write_sound(tmp_path / "a.mp4", clicks(2), 48_000, "aac"))
    assert facts.kind == "audio" and facts.video is None
    assert facts.duration == pytest.approx(2, abs=0.03)


def test_a_cover_picture_is_no_video(tmp_path: Path) -> None:
    song = write_sound(tmp_path / "plain.mp3", clicks(2, 44_100), 44_100, "libmp3lame")
    cover = io.BytesIO()
    Image.fromarray(barcode.picture(1, 64, 64)).save(cover, "JPEG")
    body = b"\x00image/jpeg\x00\x03\x00" + cover.getvalue()
    frame = b"APIC" + len(body).to_bytes(4) + b"\x00\x00" + body
    size = bytes(len(frame) >> shift & 127 for shift in (21, 14, 7, 0))
    (tmp_path / "a.mp3").write_bytes(b"ID3\x03\x00\x00" + size + frame + song.read_bytes())
    facts = probe_file(tmp_path / "a.mp3")
    assert facts.kind == "audio"
    assert facts.duration == pytest.approx(2, abs=0.06)


def test_padding_of_an_mp3_is_not_its_length(tmp_path: Path) -> None:
    facts = probe_file(write_sound(tmp_path / "a.mp3", clicks(15, 32_000), 32_000, "libmp3lame"))
    assert facts.duration == pytest.approx(15, abs=0.0005)


@pytest.mark.parametrize("orientation", [1, 3, 6, 7])
def test_exif_orientation_turns_the_shown_size(tmp_path: Path, orientation: int) -> None:
    exif = Image.Exif()
    exif[0x0112] = orientation
    image = probe_file(still(tmp_path / "a.jpg", exif=exif)).image
    assert image is not None and image.orientation == orientation
    assert (image.display_width, image.display_height) == ((256, 320) if orientation > 4 else (320, 256))


def test_pictures_go_by_content(tmp_path: Path) -> None:
    facts = probe_file(still(tmp_path / "clip.mp4", format="PNG"))
    assert facts.kind == "image" and facts.container == "png"
    assert facts.image is not None and facts.image.bit_depth == 8 and not facts.image.alpha


def test_heic_and_16_bit_pictures(tmp_path: Path) -> None:
    pillow_heif.from_pillow(Image.fromarray(barcode.picture(5, 320, 256))).save(tmp_path / "a.heic")
    heic = probe_file(tmp_path / "a.heic").image
    assert heic is not None and (heic.format, heic.width, heic.height) == ("heif", 320, 256)
    Image.fromarray(np.zeros((256, 256), np.uint16)).save(tmp_path / "b.png")
    deep = probe_file(tmp_path / "b.png").image
    assert deep is not None and deep.bit_depth == 16


def test_what_is_no_media_is_named(tmp_path: Path) -> None:
    (tmp_path / "page.mp4").write_bytes(b"<!DOCTYPE html><html><body>404</body></html>\n" * 30)
    (tmp_path / "words.wav").write_bytes(b"this is not sound\n" * 30)
    (tmp_path / "empty.mov").touch()
    (tmp_path / "noise.mp4").write_bytes(bytes(range(256)) * 40)
    (tmp_path / "list.mp4").write_bytes(b"#EXTM3U\n#EXTINF:1,\nhttp://127.0.0.1:9/a.ts\n")
    assert "web page" in refusal(tmp_path / "page.mp4").text()
    assert "text file" in refusal(tmp_path / "words.wav").text()
    assert "playlist" in refusal(tmp_path / "list.mp4").text()
    assert refusal(tmp_path / "empty.mov").code == "media.empty"
    assert refusal(tmp_path / "noise.mp4").code == "media.damaged"
    assert refusal(tmp_path / "gone.mp4").code == "media.missing"


def test_special_files_are_refused_without_being_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo.mp4")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "s.mp4"))
        for path, what in ((tmp_path / "fifo.mp4", "pipe"), (tmp_path / "s.mp4", "socket"), (tmp_path, "folder")):
            error = refusal(path)
            assert error.code == "media.not_a_file" and what in error.text()
    assert refusal(Path("/dev/null")).code == "media.not_a_file"


def test_a_link_that_leads_to_itself_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.mp4").symlink_to(tmp_path / "b.mp4")
    (tmp_path / "b.mp4").symlink_to(tmp_path / "a.mp4")
    assert refusal(tmp_path / "a.mp4").code == "media.loop"


async def test_a_dead_mount_is_said_after_a_while_and_the_next_file_goes_on(
    workers: Workers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("studio.media.disk.ANSWER_S", 0.5)
    monkeypatch.setattr("studio.media.probe.TIMEOUT_S", 0.7)
    path = write_clip(tmp_path / "a.mp4", frames=24)
    for look in (probe, glance):
        with pytest.raises(MediaError) as caught:
            await look(workers, OnDeadMount(path))
        assert caught.value.code == "media.io" and "a.mp4" in caught.value.text()
    with pytest.raises(MediaError) as caught:
        await glance(workers, OnDyingMount(path))
    assert caught.value.code == "media.timeout"
    monkeypatch.undo()
    assert (await probe(workers, path)).kind == "video"


def test_a_file_of_5_gb_is_measured_like_any_other(tmp_path: Path) -> None:
    path = write_clip(tmp_path / "a.mp4", frames=48, container={"movflags": "+faststart"})
    os.truncate(path, 5 << 30)
    facts = probe_file(path)
    assert facts.size_bytes == 5 << 30
    assert facts.video is not None and facts.video.frames == 48


def measured_in_memory(path: Path) -> tuple[str, int]:
    """What comes of a probe, and the bytes that it made the worker grow by."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    try:
        said = probe_file(path).container
    except MediaError as error:
        said = error.code
    return said, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) << 10


@pytest.mark.parametrize(("kind", "packed"), [(b"eXIf", False), (b"iCCP", True)])
async def test_100_mb_of_exif_or_profile_take_bounded_memory(
    workers: Workers, tmp_path: Path, kind: bytes, packed: bool
) -> None:
    whole = still(tmp_path / "a.png").read_bytes()
    data = b"x\0\0" + zlib.compress(bytes(100 << 20), 1) if packed else b"MM\0\x2a" + bytes(100 << 20)
    chunk = len(data).to_bytes(4) + kind + data + zlib.crc32(kind + data).to_bytes(4)
    header = 8 + 25  # the signature and IHDR
    (tmp_path / "big.png").write_bytes(whole[:header] + chunk + whole[header:])
    said, grown = await workers.run(measured_in_memory, tmp_path / "big.png", timeout=30)
    assert said in ("png", "media.damaged")
    assert grown < 400 << 20


def test_half_files_are_told_from_damaged_ones(tmp_path: Path) -> None:
    whole = write_clip(tmp_path / "a.mp4", frames=72).read_bytes()
    (tmp_path / "no_index.mp4").write_bytes(whole[: whole.index(b"moov") - 4])
    assert refusal(tmp_path / "no_index.mp4").code == "media.incomplete"
    front = write_clip(tmp_path / "b.mp4", frames=72, container={"movflags": "+faststart"}).read_bytes()
    (tmp_path / "cut.mp4").write_bytes(front[: len(front) * 55 // 100])
    error = refusal(tmp_path / "cut.mp4")
    assert error.code == "media.cut_short"
    assert error.params["promised"] == pytest.approx(3.0) and 0.5 < float(str(error.params["seconds"])) < 2.5


def test_half_a_header_is_no_fault_of_the_disk(tmp_path: Path) -> None:
    path = write_clip(tmp_path / "a.webm", frames=3, codec="libvpx-vp9", options={})
    os.truncate(path, 200)
    assert refusal(path).code == "media.damaged"


def test_damaged_and_enormous_pictures_are_refused(tmp_path: Path) -> None:
    whole = still(tmp_path / "a.jpg", quality=95).read_bytes()
    (tmp_path / "cut.jpg").write_bytes(whole[: len(whole) * 6 // 10])
    assert refusal(tmp_path / "cut.jpg").code == "media.damaged"
    Image.new("1", (20_000, 20_000)).save(tmp_path / "bomb.png")
    error = refusal(tmp_path / "bomb.png")
    assert error.code == "media.too_many_pixels" and "20000 × 20000" in error.text()


def test_a_name_that_is_not_utf_8_is_no_obstacle(tmp_path: Path) -> None:
    path = tmp_path / os.fsdecode(b"caf\xff\xfe%d.mp4")
    write_clip(tmp_path / "a.mp4", frames=24).rename(path)
    assert video_of(path).frames == 24


@pytest.mark.parametrize("name", ["a.mp4", "a.mkv", "a.ts"])
def test_a_glance_says_nearly_what_the_probe_says(tmp_path: Path, name: str) -> None:
    path = write_clip(tmp_path / name, frames=60, fps=30, size=(320, 256), sound=clicks(2))
    seen, exact = glance_file(path, least=0), probe_file(path)
    assert seen is not None and seen.video is not None and exact.video is not None
    assert (seen.exact, seen.kind, seen.shown_size) == (False, "video", exact.shown_size)
    assert (seen.video.codec, seen.container) == (exact.video.codec, exact.container)
    assert seen.duration == pytest.approx(exact.duration, abs=0.1)
    assert seen.video.fps == pytest.approx(exact.video.fps, rel=0.05)
    assert glance_file(path) is None  # small


@pytest.mark.parametrize("rotation", [90, 180, 270])
def test_a_glance_knows_how_a_phone_held_its_clip(tmp_path: Path, rotation: int) -> None:
    path = write_clip(tmp_path / "a.mp4", frames=24, size=(320, 256), rotation=rotation)
    seen, exact = glance_file(path, least=0), probe_file(path)
    assert seen is not None and seen.video is not None and exact.video is not None
    assert (seen.video.rotation, seen.shown_size) == (exact.video.rotation, exact.shown_size)
    assert seen.video.rotation == rotation


@pytest.mark.parametrize("codec", ["libx264", "libx265"])
def test_a_glance_decodes_nothing(tmp_path: Path, codec: str) -> None:
    path = write_clip(tmp_path / "a.mp4", frames=24, size=(320, 256), codec=codec)
    data = bytearray(path.read_bytes())
    start = data.index(b"mdat") + 4
    end = start - 8 + int.from_bytes(data[start - 8 : start - 4])
    data[start:end] = bytes(end - start)
    path.write_bytes(data)
    seen = glance_file(path, least=0)
    assert seen is not None and seen.shown_size == (320, 256) and seen.duration == pytest.approx(1.0)
    assert refusal(path).code == "media.damaged"
