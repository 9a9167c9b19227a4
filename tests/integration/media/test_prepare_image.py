"""Pictures made ready: upright 8-bit sRGB without alpha, whatever a camera or an editor wrote."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pillow_heif
import pytest
from PIL import Image, ImageCms

from studio.contract.shot import Crop, Reference
from studio.media.prepare import Prepared, prepare
from studio.media.probe import probe_file
from studio.media.workers import Workers
from tests.helpers import barcode
from tests.helpers.media_factory import change_codes

SIZE = (320, 256)
UPRIGHT = ["red", "green", "blue", "yellow"]
# What is stored so that the orientation tag makes it upright again.
STORED = {
    1: None,
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_90,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_270,
}


def drawn() -> Image.Image:
    return Image.fromarray(barcode.picture(5, *SIZE))


async def prepared(workers: Workers, path: Path, **wishes: object) -> Prepared:
    reference = Reference.model_validate({"id": "p1", "path": path, "kind": "image", **wishes})
    made = await prepare(workers, probe_file(path), reference, path.parent / "out")
    image = made.facts.image
    assert image is not None
    assert (image.mode, image.bit_depth, image.orientation, image.alpha) == ("RGB", 8, 1, False)
    return made


def pixels(made: Prepared) -> np.ndarray:
    with Image.open(made.output) as image:
        return np.asarray(image.convert("RGB"))


def corners(made: Prepared) -> list[str]:
    return barcode.corner_names(pixels(made)[..., ::-1])


@pytest.mark.parametrize("orientation", range(1, 9))
async def test_every_exif_orientation_ends_upright(workers: Workers, tmp_path: Path, orientation: int) -> None:
    turn = STORED[orientation]
    exif = Image.Exif()
    exif[0x0112] = orientation
    stored = drawn() if turn is None else drawn().transpose(turn)
    stored.save(tmp_path / "a.jpg", quality=95, exif=exif)
    made = await prepared(workers, tmp_path / "a.jpg")
    assert made.facts.shown_size == SIZE
    assert corners(made) == UPRIGHT
    assert made.receipt.untouched == (orientation == 1)


async def test_16_bit_grey_is_scaled_not_clipped(workers: Workers, tmp_path: Path) -> None:
    ramp = np.linspace(0, 65535, 256)[None, :].repeat(256, 0).astype(np.uint16)
    Image.fromarray(ramp).save(tmp_path / "a.png")
    made = await prepared(workers, tmp_path / "a.png")
    assert np.abs(pixels(made)[0, :, 0].astype(int) - np.arange(256)).max() <= 1
    assert change_codes(made.receipt) == {"depth"}


async def test_alpha_and_transparent_palettes_lie_on_white(workers: Workers, tmp_path: Path) -> None:
    rgba = np.zeros((256, 256, 4), np.uint8)
    rgba[:, :, 1] = 255
    rgba[:, 128:] = (200, 60, 40, 255)
    Image.fromarray(rgba).save(tmp_path / "a.png")
    made = await prepared(workers, tmp_path / "a.png")
    assert pixels(made)[0, 0].tolist() == [255, 255, 255]
    assert pixels(made)[0, 200].tolist() == [200, 60, 40]
    palette = Image.new("P", (256, 256), 0)
    palette.putpalette([10, 200, 10, 50, 60, 70])
    palette.save(tmp_path / "b.png", transparency=0)
    assert pixels(await prepared(workers, tmp_path / "b.png"))[0, 0].tolist() == [255, 255, 255]


async def test_cmyk_and_heic_keep_their_colours(workers: Workers, tmp_path: Path) -> None:
    drawn().convert("CMYK").save(tmp_path / "a.jpg", quality=95)
    pillow_heif.from_pillow(drawn()).save(tmp_path / "b.heic", quality=90)
    for name in ("a.jpg", "b.heic"):
        made = await prepared(workers, tmp_path / name)
        assert corners(made) == UPRIGHT and made.content_type == "image/png"


async def test_a_colour_profile_is_applied(workers: Workers, tmp_path: Path) -> None:
    srgb = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    exchanged = srgb.replace(b"rXYZ", b"????").replace(b"bXYZ", b"rXYZ").replace(b"????", b"bXYZ")
    Image.new("RGB", SIZE, (200, 60, 40)).save(tmp_path / "a.png", icc_profile=exchanged)
    made = await prepared(workers, tmp_path / "a.png")
    assert change_codes(made.receipt) == {"icc"}
    assert np.abs(pixels(made)[0, 0].astype(int) - [40, 60, 200]).max() <= 3
    assert made.facts.image is not None and not made.facts.image.icc


async def test_the_first_picture_of_several_is_used(workers: Workers, tmp_path: Path) -> None:
    pictures = [Image.fromarray(barcode.picture(n, *SIZE)) for n in (9, 10, 11)]
    pictures[0].save(tmp_path / "a.webp", save_all=True, append_images=pictures[1:], duration=100, quality=90)
    made = await prepared(workers, tmp_path / "a.webp")
    assert barcode.read(pixels(made)[..., ::-1]) == 9
    assert "first_picture" in change_codes(made.receipt)


async def test_a_second_picture_in_a_jpeg_is_taken_out(workers: Workers, tmp_path: Path) -> None:
    drawn().save(tmp_path / "a.jpg", "MPO", save_all=True, append_images=[drawn()], quality=95)
    made = await prepared(workers, tmp_path / "a.jpg")
    assert made.content_type == "image/png" and corners(made) == UPRIGHT


async def test_crop_counts_from_the_upright_picture(workers: Workers, tmp_path: Path) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    drawn().transpose(Image.Transpose.ROTATE_90).save(tmp_path / "a.jpg", quality=95, exif=exif)
    made = await prepared(workers, tmp_path / "a.jpg", crop=Crop(x=0.8, y=0, width=0.2, height=0.2))
    assert made.facts.shown_size == (64, 51)
    assert np.abs(pixels(made)[10, 40].astype(int) - barcode.CORNERS["green"]).max() < 12


async def test_a_picture_over_the_longest_edge_is_scaled_to_it(workers: Workers, tmp_path: Path) -> None:
    Image.new("RGB", (6000, 3000), (90, 120, 150)).save(tmp_path / "a.png")
    made = await prepared(workers, tmp_path / "a.png")
    assert made.facts.shown_size == (5760, 2880)
    assert "scaled" in change_codes(made.receipt)


async def test_a_png_over_the_limit_becomes_a_jpeg(workers: Workers, tmp_path: Path) -> None:
    noise = np.random.default_rng(1).integers(0, 255, (3400, 3400, 3), np.uint8)
    Image.fromarray(noise).save(tmp_path / "a.bmp")
    made = await prepared(workers, tmp_path / "a.bmp")
    assert (made.filename, made.content_type) == ("p1.jpg", "image/jpeg")
    assert made.facts.size_bytes <= 30 << 20
