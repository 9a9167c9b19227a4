"""A picture made ready: upright, cropped, 8-bit sRGB without alpha, PNG (JPEG where a PNG would be too large)."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Final, Literal

import numpy as np
from PIL import Image, ImageCms

from studio.contract.facts import MediaFacts
from studio.contract.limits import load_limits
from studio.contract.plan import Planned
from studio.contract.shot import Crop, Reference
from studio.media.errors import MediaError
from studio.media.pictures import open_still, upright

LIMIT_BYTES: Final = load_limits().image_bytes_max
"""A reference picture's upload."""

_JPEG_QUALITIES: Final = (95, 88, 75)

StillFormat = Literal["png", "jpeg"]


def make_still(facts: MediaFacts, reference: Reference, planned: Planned, part: Path) -> StillFormat:
    """Write the prepared picture to `part` and say in which format. Blocking. Raises MediaError, OSError."""
    with open_still(facts.path) as image:
        if image is None:
            raise MediaError("media.no_picture", name=facts.path.name)
        flat = _flattened(_srgb(upright(image)), reference.ground)
    if reference.crop is not None:
        flat = flat.crop(_box(reference.crop, *flat.size))
    if flat.size != (planned.width, planned.height):
        flat = flat.resize((planned.width, planned.height), Image.Resampling.LANCZOS)
    # Pillow would write the old profile and comments again.
    flat.info.clear()
    data = io.BytesIO()
    flat.save(data, "PNG", compress_level=4)
    if data.tell() <= LIMIT_BYTES:
        part.write_bytes(data.getbuffer())
        return "png"
    for quality in _JPEG_QUALITIES:
        data = io.BytesIO()
        flat.save(data, "JPEG", quality=quality, subsampling=0)
        if data.tell() <= LIMIT_BYTES:
            part.write_bytes(data.getbuffer())
            return "jpeg"
    raise MediaError("media.too_big", name=facts.path.name, size=data.tell(), limit=LIMIT_BYTES)


def _box(crop: Crop, width: int, height: int) -> tuple[int, int, int, int]:
    left, top = round(width * crop.x), round(height * crop.y)
    return left, top, left + max(1, round(width * crop.width)), top + max(1, round(height * crop.height))


def _srgb(image: Image.Image) -> Image.Image:
    """8-bit RGB or RGBA in sRGB. 16-bit grey is scaled: Pillow's own conversion would clip it to white."""
    profile = image.info.get("icc_profile")
    if image.mode.startswith("I;16") or image.mode in ("I", "F"):
        image = _scaled_to_8_bit(image)
    alpha = image.convert("RGBA").getchannel("A") if image.has_transparency_data else None
    coloured = image.convert("RGB") if image.mode not in ("RGB", "L", "CMYK", "LAB") or alpha else image
    rgb = _by_profile(coloured, profile) if profile else coloured.convert("RGB")
    if alpha is not None:
        rgb.putalpha(alpha)
    return rgb


def _scaled_to_8_bit(image: Image.Image) -> Image.Image:
    values = np.asarray(image).astype(np.float64)
    top = 65535.0 if image.mode != "F" or values.max(initial=0.0) > 1 else 1.0
    return Image.fromarray(np.clip(np.rint(values * (255 / top)), 0, 255).astype(np.uint8))


def _by_profile(image: Image.Image, profile: bytes) -> Image.Image:
    """Colours by the embedded profile; by their plain values when it is broken or of another colour model."""
    try:
        source = ImageCms.ImageCmsProfile(io.BytesIO(profile))
        made = ImageCms.profileToProfile(image, source, ImageCms.createProfile("sRGB"), outputMode="RGB")
    except (ImageCms.PyCMSError, OSError):
        made = None
    return made if made is not None else image.convert("RGB")


def _flattened(image: Image.Image, ground: str) -> Image.Image:
    """Alpha over a colour; it is white unless chosen: a picture that was cut out was drawn for paper."""
    if image.mode != "RGBA":
        return image
    return Image.alpha_composite(Image.new("RGBA", image.size, ground), image).convert("RGB")
