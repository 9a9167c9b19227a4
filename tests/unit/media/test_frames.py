"""Every frame asked for is exactly that frame, whatever the clip and the order; closing leaves nothing behind."""

from __future__ import annotations

import asyncio
import contextlib
import random
import signal
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest
import pytest_asyncio
from PIL import Image

from studio.media import frames
from studio.media.errors import MediaError
from studio.media.frames import Clip
from studio.media.mp4 import Mp4Writer
from tests.helpers import barcode
from tests.helpers.waiting import until

pytestmark = pytest.mark.usefixtures("no_children_left")

Opener = Callable[..., Awaitable[Clip]]

CLIPS: dict[str, dict[str, Any]] = {
    "short groups": {"gop": 12},
    "one group of 250 with B-frames": {"frames": 120, "gop": 250, "b_frames": 3},
    "variable rate": {"times": [n * 33 + n % 5 * 6 + (400 if n > 20 else 0) for n in range(48)], "b_frames": 2},
    "4:4:4": {"pix_fmt": "yuv444p"},
    "odd rate": {"fps": 60, "b_frames": 2},
}
OTHERS: dict[str, dict[str, Any]] = {
    "hidden.webm": {"codec": "libvpx", "options": {"auto-alt-ref": "1", "lag-in-frames": "16", "cpu-used": "5"}},
    "no-times.avi": {"codec": "mpeg4", "options": {}, "b_frames": 2},
    "stream.ts": {"b_frames": 2},
}


@pytest_asyncio.fixture
async def opened(tmp_path: Path) -> AsyncIterator[Opener]:
    """Opens clips that are closed when the test is over."""
    clips: list[Clip] = []

    async def open_clip(path: Path, **options: Any) -> Clip:
        clips.append(await Clip.open(path, folder=tmp_path / "cache", **options))
        return clips[-1]

    yield open_clip
    for clip in clips:
        await clip.aclose()


async def all_cached(clip: Clip) -> None:
    done = asyncio.Event()
    unsubscribe = clip.progress.subscribe(lambda count: count == clip.info.frames and done.set())
    if clip.cached_frames < clip.info.frames:
        async with asyncio.timeout(60):
            await done.wait()
    unsubscribe()


@pytest.mark.parametrize("name", CLIPS)
async def test_any_order_is_exact(name: str, tmp_path: Path, opened: Opener) -> None:
    path = barcode.write(tmp_path / "clip.mp4", **CLIPS[name])
    clip = await opened(path)
    frames = CLIPS[name].get("frames", 48)
    assert clip.info.frames == frames
    order = random.Random(7).sample(range(frames), frames)
    assert [barcode.read(await clip.frame(n)) for n in order] == order
    assert [barcode.read(await clip.frame(n)) for n in reversed(range(frames))] == list(reversed(range(frames)))


@pytest.mark.parametrize("name", OTHERS)
async def test_files_that_number_their_pictures_otherwise(name: str, tmp_path: Path, opened: Opener) -> None:
    clip = await opened(barcode.write(tmp_path / name, **OTHERS[name]))
    assert clip.info.frames == 48
    order = random.Random(3).sample(range(48), 48)
    assert [barcode.read(await clip.frame(n)) for n in order] == order


async def test_many_waiters_at_once_each_get_theirs(tmp_path: Path, opened: Opener) -> None:
    clip = await opened(barcode.write(tmp_path / "clip.mp4", frames=90, gop=250, b_frames=3))
    order = [80, 3, 55, 80, 12, 89, 0]
    assert [barcode.read(picture) for picture in await asyncio.gather(*map(clip.frame, order))] == order


async def test_a_wish_that_is_dropped_does_not_keep_the_next_from_coming(tmp_path: Path, opened: Opener) -> None:
    clip = await opened(barcode.write(tmp_path / "clip.mp4", frames=90, gop=250))
    dropped = asyncio.create_task(clip.frame(89))
    await asyncio.sleep(0)
    dropped.cancel()
    assert barcode.read(await clip.frame(45)) == 45


async def test_times_are_those_of_the_file(tmp_path: Path, opened: Opener) -> None:
    times = [0, 40, 100, 130, 400, 433]
    clip = await opened(barcode.write(tmp_path / "clip.mp4", frames=6, times=times))
    assert clip.info.times == pytest.approx(np.array(times) / 1000, abs=0.001)


@pytest.mark.parametrize(
    ("rotation", "size", "corners"),
    [
        (90, (192, 320), ["green", "blue", "yellow", "red"]),
        (180, (320, 192), ["blue", "yellow", "red", "green"]),
        (270, (192, 320), ["yellow", "red", "green", "blue"]),
    ],
)
async def test_pictures_are_upright(
    rotation: int, size: tuple[int, int], corners: list[str], tmp_path: Path, opened: Opener
) -> None:
    """The display matrix turns counter-clockwise: what was at the top right comes to the top left."""
    path = barcode.write(tmp_path / "clip.mp4", frames=5, width=320, height=192, rotation=rotation)
    clip = await opened(path)
    picture = await clip.frame(2)
    assert (clip.info.width, clip.info.height) == size
    assert picture.shape == (size[1], size[0], 4)
    assert barcode.corner_names(picture) == corners
    assert barcode.read(np.ascontiguousarray(np.rot90(picture, -rotation // 90))) == 2


@pytest.mark.parametrize("width", [250, 252, 254, 256])
async def test_every_column_is_written(width: int, tmp_path: Path, opened: Opener) -> None:
    clip = await opened(barcode.write(tmp_path / "clip.mp4", frames=2, width=width, height=128))
    picture = (await clip.frame(1)).astype(int)
    assert picture[..., 3].min() == 255
    assert np.abs(picture[10, -1, 2::-1] - barcode.CORNERS["green"]).max() < 12


async def test_untagged_red_of_the_server_is_red(tmp_path: Path, opened: Opener) -> None:
    """The server writes 81, 90, 240 for pure red and no tag; by size this clip would be read as BT.709."""
    path = tmp_path / "result.mp4"
    with Mp4Writer(path, 1344, 768, sample_rate=32_000) as writer:
        for _ in range(6):
            writer.frame(np.full((768, 1344, 3), (255, 0, 0), np.uint8))
        writer.sound(np.zeros((2, 8_000), np.float32))
    clip = await opened(path)
    picture = await clip.frame(3)
    assert (clip.info.matrix, clip.info.matrix_rule) == ("bt601", "server")
    assert np.abs(picture[300, 600].astype(int) - (0, 0, 255, 255)).max() <= 2


async def test_untagged_files_of_others_go_by_size(tmp_path: Path, opened: Opener) -> None:
    small = await opened(barcode.write(tmp_path / "small.mp4", frames=2))
    large = await opened(barcode.write(tmp_path / "large.mp4", frames=2, width=1280, height=720))
    assert (small.info.matrix, small.info.matrix_rule) == ("bt601", "size")
    assert (large.info.matrix, large.info.matrix_rule) == ("bt709", "size")


async def test_the_same_pixels_in_two_clips_stay_the_same(tmp_path: Path, opened: Opener) -> None:
    path = barcode.write(tmp_path / "a.mp4", frames=20, gop=250, b_frames=2)
    (tmp_path / "b.mp4").write_bytes(path.read_bytes())
    a, b = await opened(path), await opened(tmp_path / "b.mp4", trusted=True)
    for n in (19, 0, 7):
        assert np.array_equal(await a.frame(n), await b.frame(n))


async def test_everything_is_cached_in_the_background(tmp_path: Path, opened: Opener) -> None:
    clip = await opened(barcode.write(tmp_path / "clip.mp4", frames=60, b_frames=2))
    await all_cached(clip)
    assert clip.cached_frames == 60
    assert [barcode.read(await clip.frame(n)) for n in (59, 0, 31)] == [59, 0, 31]
    assert clip.nearest(31) == 31


async def test_a_small_budget_keeps_a_window(tmp_path: Path, opened: Opener) -> None:
    budget = 12 * 256 * 256 * 3 // 2
    clip = await opened(barcode.write(tmp_path / "clip.mp4", frames=60, gop=30, b_frames=2), budget_bytes=budget)
    order = [0, 59, 20, *range(20, 60), *reversed(range(60))]
    assert [barcode.read(await clip.frame(n)) for n in order] == order
    assert clip.cached_frames <= 12


async def test_a_still_is_a_clip_of_one_frame(tmp_path: Path, opened: Opener) -> None:
    image = Image.fromarray(barcode.picture(9, 320, 240))
    exif = image.getexif()
    exif[0x0112] = 6  # to be turned clockwise
    image.save(tmp_path / "still.jpg", quality=95, exif=exif)
    clip = await opened(tmp_path / "still.jpg")
    assert (clip.info.width, clip.info.height, clip.info.frames, clip.info.duration) == (240, 320, 1, 0.0)
    assert barcode.corner_names(await clip.frame(0)) == ["yellow", "red", "green", "blue"]


async def test_numbers_out_of_range(tmp_path: Path, opened: Opener) -> None:
    clip = await opened(barcode.write(tmp_path / "clip.mp4", frames=5))
    for n in (-1, 5):
        with pytest.raises(IndexError):
            await clip.frame(n)


@pytest.mark.parametrize(
    ("content", "code"), [(None, "media.missing"), (b"", "media.empty"), (b"\0\1\2\3" * 500, "media.damaged")]
)
async def test_what_is_no_clip_is_said(content: bytes | None, code: str, tmp_path: Path, opened: Opener) -> None:
    path = tmp_path / "clip.mp4"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(MediaError) as caught:
        await opened(path)
    assert caught.value.code == code
    assert "clip.mp4" in caught.value.text()


async def test_damaged_pictures_are_named_and_the_others_come(tmp_path: Path, opened: Opener) -> None:
    path = barcode.write(tmp_path / "clip.mp4", frames=48, gop=1)
    content = bytearray(path.read_bytes())
    middle = content.index(b"mdat") + (len(content) - content.index(b"mdat")) // 2
    content[middle : middle + 3000] = bytes(3000)
    path.write_bytes(content)
    clip = await opened(path)
    outcomes = await asyncio.gather(*map(clip.frame, range(48)), return_exceptions=True)
    lost = [n for n, outcome in enumerate(outcomes) if isinstance(outcome, MediaError)]
    assert {outcomes[n].code for n in lost} <= {"frames.lost"}  # type: ignore[union-attr]
    assert barcode.read(outcomes[0]) == 0  # type: ignore[arg-type]
    assert barcode.read(outcomes[47]) == 47  # type: ignore[arg-type]


def open_files() -> set[str]:
    return {str(link.readlink()) for link in Path("/proc/self/fd").iterdir() if link.is_symlink()}


@pytest.mark.parametrize("trusted", [False, True])
async def test_closing_leaves_nothing(trusted: bool, tmp_path: Path) -> None:
    path = barcode.write(tmp_path / "clip.mp4", frames=900, gop=900)
    before = open_files()
    clip = await Clip.open(path, folder=tmp_path / "cache", trusted=trusted)
    waiting = asyncio.create_task(clip.frame(899))
    await asyncio.sleep(0)
    await clip.aclose()
    with pytest.raises(RuntimeError):
        await waiting
    assert not list((tmp_path / "cache").iterdir())
    assert not {name for name in open_files() - before if "cache" in name or "clip" in name}
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("frames of")]


FULL_DISK = """
mount -t tmpfs -o size=64k tmpfs "$1" || exit 77
head -c 65536 /dev/zero > "$1/fill"
shift; exec "$@"
"""
OPEN = """
import asyncio, sys
from pathlib import Path
from studio.core.errors import StudioError
from studio.media.frames import Clip
async def main():
    try:
        await Clip.open(Path(sys.argv[1]), folder=Path(sys.argv[2]), trusted=sys.argv[3] == "True")
    except StudioError as error:
        print(error.code)
asyncio.run(main())
"""


@pytest.mark.parametrize("trusted", [False, True])
async def test_a_full_disk_is_an_error_and_not_the_end(trusted: bool, tmp_path: Path) -> None:
    clip, full = barcode.write(tmp_path / "clip.mp4", frames=30), tmp_path / "full"
    full.mkdir()
    opens = [sys.executable, "-c", OPEN, str(clip), str(full), str(trusted)]
    own_mounts = ["unshare", "--map-root-user", "--mount", "sh", "-c", FULL_DISK, "sh", str(full), *opens]
    done = await asyncio.to_thread(subprocess.run, own_mounts, capture_output=True, text=True, timeout=120)
    if "unshare failed" in done.stderr or done.returncode == 77:
        pytest.skip("no disk of one's own can be mounted here")
    assert (done.returncode, done.stdout) == (0, "media.disk_full\n"), done.stderr


async def test_opening_can_be_cancelled(tmp_path: Path) -> None:
    path = barcode.write(tmp_path / "clip.mp4", frames=30)
    for turns in (0, 1, 2, 3, 5, 8, 13, 21, 34):
        opening = asyncio.create_task(Clip.open(path, folder=tmp_path / "cache"))
        for _ in range(turns):
            await asyncio.sleep(0.001)
        if opening.cancel():
            with pytest.raises(asyncio.CancelledError):
                await opening
        else:
            await opening.result().aclose()
        await until(lambda: not decoders(), "no decoder")


def decoders() -> list[psutil.Process]:
    """They are forks of the process that has read the libraries: grandchildren of the program."""
    found = []
    for child in psutil.Process().children():
        with contextlib.suppress(psutil.NoSuchProcess):
            found += child.children()
    return found


def decoder() -> psutil.Process:
    (only,) = decoders()
    return only


async def test_a_decoder_that_is_not_started_in_time_says_nothing_against_the_file(
    tmp_path: Path, opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(frames, "_BEGIN_S", 0.0)
    path = barcode.write(tmp_path / "clip.mp4")
    with pytest.raises(MediaError) as caught:
        await opened(path)
    assert caught.value.code == "frames.not_begun" and "too busy" in caught.value.text()


async def test_a_killed_decoder_is_an_error_and_not_the_end(tmp_path: Path, opened: Opener) -> None:
    budget = 10 * 256 * 256 * 3 // 2
    clip = await opened(barcode.write(tmp_path / "clip.mp4", frames=80, gop=250), budget_bytes=budget)
    assert barcode.read(await clip.frame(1)) == 1
    decoder().send_signal(signal.SIGKILL)
    with pytest.raises(MediaError) as caught:
        async with asyncio.timeout(10):
            await clip.frame(79)
    assert caught.value.code == "frames.decoder_died"
    again = await opened(clip.info.path)
    assert barcode.read(await again.frame(79)) == 79


async def test_the_decoder_ends_by_itself_when_all_is_cached(tmp_path: Path, opened: Opener) -> None:
    clip = await opened(barcode.write(tmp_path / "clip.mp4", frames=30))
    await all_cached(clip)
    await until(lambda: not decoders())
    assert barcode.read(await clip.frame(29)) == 29


async def test_the_decoder_brings_no_screen(tmp_path: Path, opened: Opener) -> None:
    budget = 10 * 256 * 256 * 3 // 2
    await opened(barcode.write(tmp_path / "clip.mp4", frames=80), budget_bytes=budget)
    mapped = {Path(m.path).name for m in decoder().memory_maps()}
    assert any("avcodec" in name for name in mapped)
    assert not [name for name in mapped if "Qt6" in name]
