"""Still pictures: opened by content, measured by their header and by decoding them once, never over a size limit."""

from __future__ import annotations

import struct
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pillow_heif
from PIL import Image, ImageOps, UnidentifiedImageError

from studio.contract.facts import ImageFacts
from studio.media.container import read_head
from studio.media.errors import MediaError, as_media_error
from studio.media.sniff import torn_boxes

Image.init()
pillow_heif.register_heif_opener()

MAX_PIXELS: Final = 150_000_000
"""A picture of more is refused from its header: three times a 50-megapixel photo, 450 MB once decoded."""

_FORMATS: Final = ("JPEG", "PNG", "WEBP", "HEIF", "AVIF", "TIFF", "BMP", "GIF", "PPM", "TGA", "JPEG2000", "ICO")
_ORIENTATION: Final = 0x0112
# What Pillow's decoders raise on broken files.
_DAMAGED = (OSError, ValueError, SyntaxError, EOFError, IndexError, struct.error, RuntimeError)


@contextmanager
def open_still(path: Path) -> Iterator[Image.Image | None]:
    """The picture in a file, not yet decoded; None when the file is no still picture (an animated GIF is a clip).

    Raises MediaError when it is too large or its header is damaged. Decode it with `upright` or `image_facts`.
    """
    read_head(path)
    try:
        image = _identified(path)
    except UnidentifiedImageError:
        yield None
        return
    except _DAMAGED as error:
        raise _as_damaged(error, path.name) from error
    with image:
        if image.width * image.height > MAX_PIXELS:
            raise too_large(path.name, image.width, image.height)
        if image.format in ("HEIF", "AVIF") and torn_boxes(path):
            raise MediaError("media.damaged", name=path.name)
        yield None if image.format == "GIF" and _frames(image) > 1 else image


@contextmanager
def _decoding(image: Image.Image) -> Iterator[None]:
    """Around what reads the picture's data, and nothing else: what is raised in here is the file's fault."""
    try:
        with warnings.catch_warnings():
            # Odd EXIF or profile data are no reason not to use a picture.
            warnings.simplefilter("ignore")
            yield
    except _DAMAGED as error:
        raise _as_damaged(error, Path(getattr(image, "filename", "")).name) from error


def upright(image: Image.Image) -> Image.Image:
    """The open picture decoded and turned by its EXIF orientation. Raises MediaError when it is damaged."""
    with _decoding(image):
        return ImageOps.exif_transpose(image)


def _identified(path: Path) -> Image.Image:
    # Pillow's own limit is a warning first and has no numbers to show: ours is checked right after.
    allowed, Image.MAX_IMAGE_PIXELS = Image.MAX_IMAGE_PIXELS, None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return Image.open(path, formats=_FORMATS)
    finally:
        Image.MAX_IMAGE_PIXELS = allowed


def too_large(name: str, width: int, height: int) -> MediaError:
    """The refusal of a picture with more than `MAX_PIXELS`."""
    return MediaError("media.too_many_pixels", name=name, width=width, height=height, limit=MAX_PIXELS / 1e6)


def _as_damaged(error: Exception, name: str) -> Exception:
    if isinstance(error, OSError) and error.errno is not None:
        return as_media_error(error, name=name)
    return MediaError("media.damaged", name=name, detail=repr(error))


def image_facts(image: Image.Image) -> ImageFacts:
    """Measure an open picture. Decodes it, so that a truncated one is found now and not when it is sent.

    Raises MediaError when it is damaged.
    """
    stored, frames = image.size, _frames(image)
    depth = _bit_depth(image)
    with _decoding(image):
        orientation = image.getexif().get(_ORIENTATION, 1)
        image.load()
    width, height = image.size[::-1] if orientation in (5, 6, 7, 8) else image.size
    return ImageFacts(
        format=(image.format or "").lower(),
        width=stored[0],
        height=stored[1],
        display_width=width,
        display_height=height,
        orientation=orientation if orientation in range(1, 9) else 1,
        mode=image.mode,
        bit_depth=depth,
        alpha=image.has_transparency_data,
        frames=frames,
        icc=bool(image.info.get("icc_profile")),
    )


def _frames(image: Image.Image) -> int:
    with _decoding(image):
        return int(getattr(image, "n_frames", 1))


def _bit_depth(image: Image.Image) -> int:
    if image.mode.startswith("I;16"):
        return 16
    if image.mode in ("I", "F"):
        return 32
    if image.mode == "1":
        return 1
    tiles = getattr(image, "tile", None)
    raw = str(tiles[0].args) if tiles else ""
    return 16 if ";16" in raw else int(image.info.get("bit_depth", 8))
