"""Pictures and names that break such programs: what must come of each (numbers as in test_open_cases.py)."""

from __future__ import annotations

import io
import os
from pathlib import Path

import av
import numpy as np
import pillow_heif
import psutil
import pytest
from PIL import Image

from studio.contract.shot import Reference
from studio.media.cache import Cache
from studio.media.errors import MediaError
from studio.media.probe import probe_file
from studio.media.stills import read_still
from studio.media.thumbs import thumbnail_png
from studio.media.workers import Workers
from tests.helpers import barcode
from tests.helpers.media_factory import change_codes
from tests.helpers.references import errors, prepared

UPRIGHT = ["red", "green", "blue", "yellow"]


def drawn(width: int = 640, height: int = 480) -> Image.Image:
    return Image.fromarray(barcode.picture(5, width, height))


def pixels(path: Path) -> np.ndarray:
    with Image.open(path) as image:
        return np.asarray(image.convert("RGB"))


@pytest.mark.parametrize(
    ("size", "said"),
    [((255, 400), "ref.image.edge"), ((4000, 300), "ref.image.ratio"), ((1, 1), "ref.image.edge")],
)
def test_sizes_outside_the_rules_are_refused(tmp_path: Path, size: tuple[int, int], said: str) -> None:
    """REQ-9, IMG-9"""
    Image.new("RGB", size, (90, 120, 150)).save(tmp_path / "a.png")
    assert said in errors(tmp_path / "a.png")


# What is stored so that the orientation tag makes it upright again.
STORED = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_90,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_270,
}


@pytest.mark.parametrize("name", ["a.jpg", "a.avif"])
@pytest.mark.parametrize("orientation", STORED)
async def test_thumbnail_preview_and_upload_are_upright(
    workers: Workers, tmp_path: Path, orientation: int, name: str
) -> None:
    """IMG-1"""
    exif = Image.Exif()
    exif[0x0112] = orientation
    drawn().transpose(STORED[orientation]).save(tmp_path / name, exif=exif, quality=90)
    made = await prepared(workers, tmp_path / name)
    seen = read_still(tmp_path / name)
    with Image.open(io.BytesIO(thumbnail_png(tmp_path / name, 320, 0.0))) as small:
        thumb = np.asarray(small)[..., ::-1]
    assert seen is not None and made.facts.image is not None
    assert seen.shape[1::-1] == made.facts.shown_size == (640, 480)
    for picture in (seen, thumb, pixels(made.output)[..., ::-1]):
        assert barcode.corner_names(picture) == UPRIGHT
    assert made.facts.image.orientation == 1


async def test_16_bits_a_colour_are_scaled_not_clipped(workers: Workers, tmp_path: Path) -> None:
    """IMG-2"""
    ramp = np.linspace(0, 65535, 256)[None, :, None].repeat(256, 0).repeat(3, 2).astype(np.uint16)
    with av.open(str(tmp_path / "a.png"), "w", format="image2") as box:
        stream = box.add_stream("png", rate=1)
        stream.width, stream.height, stream.pix_fmt = 256, 256, "rgb48be"
        box.mux(stream.encode(av.VideoFrame.from_ndarray(ramp, format="rgb48be")))
        box.mux(stream.encode(None))
    made = await prepared(workers, tmp_path / "a.png")
    assert "depth" in change_codes(made.receipt)
    assert np.abs(pixels(made.output)[0, :, 1].astype(int) - np.arange(256)).max() <= 1


async def test_a_photo_of_50_megapixels_is_an_ordinary_one(workers: Workers, tmp_path: Path) -> None:
    """IMG-4"""
    Image.new("RGB", (8660, 5774), (90, 120, 150)).save(tmp_path / "a.jpg")
    assert not errors(tmp_path / "a.jpg")
    assert (await prepared(workers, tmp_path / "a.jpg")).facts.shown_size == (5760, 3840)


async def test_no_hidden_colour_shows_at_a_soft_edge(workers: Workers, tmp_path: Path) -> None:
    """IMG-5: red fades out over green that nobody is to see."""
    rgba = np.zeros((512, 512, 4), np.uint8)
    rgba[..., 1] = 255
    alpha = np.clip(np.linspace(400, -145, 512), 0, 255).astype(np.uint8)
    rgba[:, alpha > 0, :3] = (255, 0, 0)
    rgba[..., 3] = alpha
    Image.fromarray(rgba).save(tmp_path / "a.png")
    made = await prepared(workers, tmp_path / "a.png")
    red, green, blue = pixels(made.output).astype(int).transpose(2, 0, 1)
    assert "alpha.white" in change_codes(made.receipt)
    assert (green <= red).all() and np.abs(green - blue).max() <= 1


async def test_heic_from_a_phone_is_upright_and_a_torn_one_is_refused(workers: Workers, tmp_path: Path) -> None:
    """IMG-8"""
    several = pillow_heif.from_pillow(drawn())
    several.add_from_pillow(drawn(320, 240))
    several.save(tmp_path / "a.heic", quality=90)
    made = await prepared(workers, tmp_path / "a.heic")
    assert barcode.corner_names(pixels(made.output)[..., ::-1]) == UPRIGHT
    assert made.facts.shown_size == (640, 480)
    whole = (tmp_path / "a.heic").read_bytes()
    for part in (0.3, 0.9):
        (tmp_path / "torn.heic").write_bytes(whole[: int(len(whole) * part)])
        with pytest.raises(MediaError) as caught:
            probe_file(tmp_path / "torn.heic")
        assert caught.value.code == "media.damaged"


@pytest.mark.parametrize("form", ["JPEG", "PNG", "WEBP"])
def test_half_a_picture_is_damaged_never_grey(tmp_path: Path, form: str) -> None:
    """IMG-9"""
    drawn().save(tmp_path / "a", form, quality=95)
    whole = (tmp_path / "a").read_bytes()
    (tmp_path / "a").write_bytes(whole[: len(whole) * 6 // 10])
    with pytest.raises(MediaError) as caught:
        probe_file(tmp_path / "a")
    assert caught.value.code == "media.damaged"


def test_an_enormous_picture_is_refused_from_its_header(tmp_path: Path) -> None:
    """IMG-4: 400 megapixels in 50 KB, refused without memory for them."""
    Image.new("1", (20_000, 20_000)).save(tmp_path / "bomb.png")
    before = psutil.Process().memory_info().rss
    with pytest.raises(MediaError) as caught:
        probe_file(tmp_path / "bomb.png")
    assert caught.value.code == "media.too_many_pixels"
    assert psutil.Process().memory_info().rss - before < 100 << 20


async def test_type_and_name_of_a_picture_go_by_content(workers: Workers, tmp_path: Path) -> None:
    """IMG-6"""
    path = tmp_path / "photo.PNG"
    Image.fromarray(barcode.picture(5, 640, 480)).save(path, format="JPEG")
    made = await prepared(workers, path)
    assert (made.filename, made.content_type) == ("r1.jpg", "image/jpeg")


@pytest.mark.parametrize(
    "name",
    [
        "héros 🎬 三只猫.jpg",
        'it\'s a "test"; 100% (1).jpg',
        "two\nlines.jpg",
        "-rf.jpg",
        "n" * 240 + ".jpg",
        "IMG_42",
        os.fsdecode(b"caf\xff\xfe.JPG"),
    ],
)
async def test_any_name_is_sent_under_a_plain_one(workers: Workers, tmp_path: Path, name: str) -> None:
    """UPL-1, UPL-2"""
    path = tmp_path / name
    Image.fromarray(barcode.picture(5, 640, 480)).save(path, format="JPEG")
    made = await prepared(workers, path)
    assert made.filename == "r1.jpg" and made.output.read_bytes() == path.read_bytes()


async def test_two_files_of_one_name_stay_two(workers: Workers, tmp_path: Path) -> None:
    """UPL-4"""
    cache, made = Cache(tmp_path / "cache"), []
    for folder, number in (("a", 1), ("b", 2)):
        path = tmp_path / folder / "frame.png"
        path.parent.mkdir()
        Image.fromarray(barcode.picture(number, 640, 480)).save(path)
        made.append(await cache.get(workers, probe_file(path), Reference(id=folder, path=path, kind="image")))
    assert made[0].sha256 != made[1].sha256 and made[0].output != made[1].output
