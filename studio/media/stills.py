"""Picture files as they are shown: upright, opaque."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import numpy as np

from studio.media.colour import Picture
from studio.media.container import read_head

_CLIP_MARKS: Final = (b"\x1a\x45\xdf\xa3", b"ftypisom", b"ftypmp4", b"ftypiso", b"ftypavc1", b"ftypqt", b"ftypM4V")


def read_still(path: Path, ground: str | None = None) -> Picture | None:
    """(height, width, 4) uint8 B, G, R, A; None when the file is no still picture.

    What is transparent lies over `ground` ("#rrggbb"; white unless given).

    Raises MediaError as `pictures.open_still` does.
    """
    head = read_head(path)
    if head.startswith(_CLIP_MARKS) or head[4:].startswith(_CLIP_MARKS):
        return None
    # Late: it brings Pillow and its formats, which clips do not need.
    from PIL import Image

    from studio.media.pictures import open_still, upright

    with open_still(path) as image:
        if image is None:
            return None
        picture = upright(image).convert("RGBA")
    opaque = Image.new("RGBA", picture.size, ground or "white")
    opaque.alpha_composite(picture)
    return np.ascontiguousarray(np.asarray(opaque)[..., [2, 1, 0, 3]])
