"""Clips that break such programs: what must come of each. The tests are named by the fault; REQ-, VID-, AUD-, IMG- and
UPL-n are the numbers under which the project keeps these requirements."""

from __future__ import annotations

import asyncio
import io
import os
import shutil
import signal
import sys
from contextlib import closing
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import psutil
import pytest
from PIL import Image

from studio.contract.plan import planned
from studio.contract.shot import Reference
from studio.core import paths
from studio.media.cache import Cache
from studio.media.errors import MediaError
from studio.media.prepare_video import make_clip
from studio.media.probe import glance_file, probe, probe_file
from studio.media.sequence import Sequence
from studio.media.thumbs import thumbnail_png
from studio.media.verify import verify_file
from studio.media.workers import Workers
from tests.helpers import barcode
from tests.helpers.media_factory import (
    change_codes,
    click_times,
    clicks,
    numbers,
    read_sound,
    write_clip,
)
from tests.helpers.references import errors, findings, prepared
from tests.helpers.waiting import until

# REQ-8 … REQ-10.


async def test_slides_at_one_frame_a_second_are_five_seconds(workers: Workers, tmp_path: Path) -> None:
    source = write_clip(tmp_path / "slides.mp4", frames=5, fps=1, gop=1, tick=Fraction(1, 1000))
    made = await prepared(workers, source)
    assert numbers(made.output) == [k // 24 for k in range(120)]


def test_sizes_outside_the_rules_are_refused_with_rule_and_number(tmp_path: Path) -> None:
    assert errors(write_clip(tmp_path / "tiny.mp4", size=(64, 64))) == {"ref.video.edge"}
    assert errors(write_clip(tmp_path / "strip.mp4", size=(960, 320))) == {"ref.video.ratio"}
    # Measured as it will be sent: 576 wide once the pixels are square, 256 high once it is turned.
    assert not errors(write_clip(tmp_path / "wide.mp4", size=(256, 256), sar=Fraction(9, 4)))
    assert errors(write_clip(tmp_path / "narrow.mp4", size=(256, 256), sar=Fraction(1, 3)))


@pytest.mark.parametrize(
    ("name", "codec", "pix_fmt", "sound_codec"),
    [
        ("a.webm", "libvpx-vp9", "yuv420p", "libopus"),
        ("a.mp4", "libsvtav1", "yuv420p", "aac"),
        ("a.mov", "prores_ks", "yuv422p10le", "pcm_s16le"),
    ],
)
async def test_codecs_that_the_server_refuses_are_converted(
    workers: Workers, tmp_path: Path, name: str, codec: str, pix_fmt: str, sound_codec: str
) -> None:
    os.environ.setdefault("SVT_LOG", "1")
    sound = clicks(2.5)
    source = write_clip(
        tmp_path / name, frames=60, codec=codec, pix_fmt=pix_fmt, sound=sound, sound_codec=sound_codec, options={}
    )
    made = await prepared(workers, source)
    video, audio = made.facts.video, made.facts.audio
    assert video is not None and audio is not None
    assert (video.codec, audio.codec, made.facts.container) == ("h264", "aac", "mp4")
    assert numbers(made.output) == list(range(60))
    assert "codec" in change_codes(made.receipt)


# Clips.


def test_thumbnail_view_size_and_upload_agree_on_what_is_up(tmp_path: Path) -> None:
    """VID-1"""
    path = write_clip(tmp_path / "a.mp4", frames=24, size=(320, 256), rotation=90)
    facts = probe_file(path)
    with closing(Sequence(path)) as clip:
        viewed = (clip.width, clip.height)
    with Image.open(io.BytesIO(thumbnail_png(path, 320, 0.0))) as small:
        thumb = np.asarray(small)[..., ::-1]
    assert barcode.corner_names(thumb) == ["red", "green", "blue", "yellow"]
    assert facts.shown_size == viewed == thumb.shape[1::-1] == (256, 320)


async def test_twenty_hevc_clips_at_once(workers: Workers, tmp_path: Path) -> None:
    """VID-5"""
    x265 = {"x265-params": "log-level=none:bframes=4"}
    first = write_clip(tmp_path / "0.mp4", frames=24, codec="libx265", options=x265)
    copies = [Path(shutil.copy(first, tmp_path / f"{n}.mp4")) for n in range(1, 20)]
    found = await asyncio.gather(*(probe(workers, path) for path in (first, *copies)))
    assert [facts.video.frames for facts in found if facts.video] == [24] * 20


def test_a_box_that_runs_past_the_end_is_harmless(tmp_path: Path) -> None:
    """VID-6"""
    path = write_clip(tmp_path / "a.mp4", frames=48, container={"movflags": "+faststart"})
    data = bytearray(path.read_bytes())
    at = data.index(b"mdat") - 4
    data[at : at + 4] = (len(data) - at + 5000).to_bytes(4)
    path.write_bytes(data)
    facts = probe_file(path)
    assert facts.video is not None and facts.video.frames == 48


async def test_a_circle_stays_round_when_pixels_are_not_square(workers: Workers, tmp_path: Path) -> None:
    """VID-8"""
    source = write_clip(tmp_path / "a.mp4", frames=24, size=(720, 576), sar=Fraction(64, 45))
    made = await prepared(workers, source)
    with Image.open(io.BytesIO(thumbnail_png(source, 400, 0.0))) as small:
        shown = small.width / small.height
    width, height = made.facts.shown_size or (0, 1)
    assert shown == pytest.approx(16 / 9, rel=0.01)
    assert width / height == pytest.approx(16 / 9, rel=0.01)


async def test_no_picture_of_a_reordered_clip_is_lost(workers: Workers, tmp_path: Path) -> None:
    """VID-10"""
    source = write_clip(tmp_path / "a.mkv", frames=120, gop=250, b_frames=3)
    assert numbers((await prepared(workers, source)).output) == list(range(120))


def _two_tracks(path: Path, sizes: tuple[tuple[int, int], ...], frames: int = 48) -> Path:
    """A clip whose picture tracks show 100, 101, … in the first, 200, 201, … in the second."""
    with av.open(str(path), "w") as box:
        streams = []
        for width, height in sizes:
            stream = box.add_stream("libx264", rate=24)
            stream.width, stream.height, stream.pix_fmt = width, height, "yuv420p"
            stream.options = {"preset": "ultrafast"}
            streams.append(stream)
        for n in range(frames):
            for k, stream in enumerate(streams):
                pixels = barcode.picture((k + 1) * 100 + n, stream.width, stream.height)
                frame = av.VideoFrame.from_ndarray(pixels, format="rgb24").reformat(format="yuv420p")
                frame.pts = n
                box.mux(stream.encode(frame))
        for stream in streams:
            box.mux(stream.encode(None))
    return path


@pytest.mark.parametrize(("sizes", "counts"), [(((256, 256), (512, 288)), 2), (((320, 256), (320, 256)), 1)])
async def test_the_largest_picture_track_counts_everywhere(
    workers: Workers, tmp_path: Path, sizes: tuple[tuple[int, int], ...], counts: int
) -> None:
    """VID-11"""
    path = _two_tracks(tmp_path / "a.mp4", sizes)
    size, first = sizes[counts - 1], counts * 100
    facts = probe_file(path)
    assert facts.video is not None
    assert (facts.video.tracks, facts.shown_size) == (2, size)
    with Image.open(io.BytesIO(thumbnail_png(path, 512, 0.0))) as small:
        assert (small.size, barcode.read(np.asarray(small)[..., ::-1])) == (size, first)
    made = await prepared(workers, path)
    assert numbers(made.output) == list(range(first, first + 48))
    assert "tracks" in change_codes(made.receipt)
    checked = verify_file(None, path)
    assert (checked.width, checked.height, checked.frames) == (*size, 48)


async def test_a_sound_that_nobody_can_decode_is_no_sound(workers: Workers, tmp_path: Path) -> None:
    """VID-11: phones write tracks of codecs that no one else has."""
    source = write_clip(tmp_path / "a.mp4", frames=72, fps=30, sound=clicks(2.4))
    source.write_bytes(source.read_bytes().replace(b"mp4a", b"apac").replace(b"esds", b"dapa"))
    for facts in (probe_file(source), glance_file(source, least=0)):
        assert facts is not None and facts.video is not None and facts.audio is None
    made = await prepared(workers, source)
    assert made.facts.audio is None and made.facts.video is not None


async def test_the_first_sound_track_is_used_and_said(workers: Workers, tmp_path: Path) -> None:
    """VID-11"""
    path = tmp_path / "a.mka"
    with av.open(str(path), "w") as box:
        streams = [box.add_stream("pcm_s16le", rate=32_000, layout="mono") for _ in range(2)]
        for k, stream in enumerate(streams):
            tone = (8000 * np.sin(2 * np.pi * (440 + 220 * k) * np.arange(96_000) / 32_000)).astype(np.int16)
            frame = av.AudioFrame.from_ndarray(tone[None], format="s16", layout="mono")
            frame.sample_rate, frame.pts = 32_000, 0
            box.mux(stream.encode(frame))
            box.mux(stream.encode(None))
    made = await prepared(workers, path)
    samples, rate = read_sound(made.output)
    spectrum = np.abs(np.fft.rfft(samples[0, :rate]))
    assert int(spectrum.argmax()) == 440
    assert "sound_tracks" in change_codes(made.receipt)


@pytest.mark.parametrize(
    ("frames", "fps", "sent"),
    [
        (48, Fraction(24), 48),
        (100, Fraction(25), 96),
        (120, Fraction(30000, 1001), 96),
        (120, Fraction(24000, 1001), 120),
        (38, Fraction(25, 2), 73),
        (240, Fraction(120), 48),
    ],
)
async def test_24_frames_for_every_second_and_clicks_in_step(
    workers: Workers, tmp_path: Path, frames: int, fps: Fraction, sent: int
) -> None:
    """VID-15"""
    seconds = float(frames / fps)
    source = write_clip(tmp_path / "a.mp4", frames=frames, fps=fps, sound=clicks(seconds))
    made = await prepared(workers, source)
    assert made.receipt.frames_out == len(numbers(made.output)) == sent
    samples, rate = read_sound(made.output)
    heard = click_times(samples, rate)
    assert heard == pytest.approx(range(len(heard)), abs=0.002) and len(heard) >= int(seconds)


def test_a_clip_of_47_frames_is_refused_with_its_length(tmp_path: Path) -> None:
    """VID-15"""
    assert errors(write_clip(tmp_path / "under_2s.mp4", frames=47)) == {"ref.video.too_short"}


async def test_a_clip_over_15_s_gets_a_window_that_can_be_moved(workers: Workers, tmp_path: Path) -> None:
    """VID-16"""
    source = write_clip(tmp_path / "a.mp4", frames=25 * 10, fps=10, gop=50)
    found = next(f for f in findings(source) if f.code == "ref.video.too_long")
    assert (found.params["is"], found.params["limit"]) == (25, 15) and len(found.mends) == 3
    made = await prepared(workers, source, start=8.0, end=23.0)
    assert numbers(made.output) == [80 + k * 10 // 24 for k in range(360)]


async def test_an_animated_gif_goes_by_its_delays(workers: Workers, tmp_path: Path) -> None:
    """VID-17"""
    pictures = [Image.fromarray(barcode.picture(n, 256, 256)).quantize(32) for n in range(20)]
    delays = [100] * 18 + [200, 100]
    pictures[0].save(tmp_path / "a.gif", save_all=True, append_images=pictures[1:], duration=delays, loop=0)
    made = await prepared(workers, tmp_path / "a.gif")
    starts = np.cumsum([0, *delays[:-1]]) / 1000
    assert numbers(made.output) == [int(np.searchsorted(starts, k / 24 + 1e-6, "right")) - 1 for k in range(50)]


KILLED = """
import asyncio, sys
from pathlib import Path
from studio.contract.shot import Reference
from studio.media.cache import prepared
from studio.media.probe import probe_file
from studio.media.workers import Workers

async def main():
    path = Path(sys.argv[1])
    reference = Reference(id="v1", path=path, kind="video")
    await prepared(Workers(1), probe_file(path), reference, lambda done: print(done, flush=True))

if __name__ == "__main__":
    asyncio.run(main())
"""


async def test_a_program_killed_while_it_prepares_leaves_nothing_that_is_believed(
    workers: Workers, tmp_path: Path
) -> None:
    """VID-18"""
    source = write_clip(tmp_path / "a.mp4", frames=900, fps=60)
    (tmp_path / "killed.py").write_text(KILLED)
    program = await asyncio.create_subprocess_exec(
        sys.executable, str(tmp_path / "killed.py"), str(source), stdout=asyncio.subprocess.PIPE
    )
    assert program.stdout is not None
    while float(await program.stdout.readline()) < 0.1:
        pass
    children = psutil.Process(program.pid).children(recursive=True)
    program.send_signal(signal.SIGKILL)
    await program.wait()
    await until(lambda: not any(c.is_running() and c.status() != psutil.STATUS_ZOMBIE for c in children))
    cache = Cache(paths.cache_dir() / "prepared")
    assert [entry.name[0] for entry in cache.folder.iterdir()] == ["."]
    facts = probe_file(source)
    made = await cache.get(workers, facts, Reference(id="v1", path=source, kind="video"))
    assert made.facts.video is not None and made.facts.video.frames == 360
    assert [entry for entry in cache.folder.iterdir() if entry != made.output.parent] == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a disk that is always full")
def test_a_full_disk_is_said_of_the_disk_and_not_of_the_file(tmp_path: Path) -> None:
    source = write_clip(tmp_path / "a.mp4", frames=48, fps=30)
    facts, reference = probe_file(source), Reference(id="v1", path=source, kind="video")
    with pytest.raises(MediaError) as caught:
        make_clip(lambda _: None, facts, reference, planned(reference, facts), Path("/dev/full"))
    assert caught.value.code == "media.disk_full"
