"""Canvases: what size comes out, and what size the server makes of a reference before the model sees it.

The geometry is the model's own and the same on every server version: sides are multiples of 32 px, a short edge of
768 and at most 768 × 1344 px of area for video, a short edge of 2048 for pictures (vllm-omni 0.30.0, preprocessing.py
and reference_video.py). The ranges that the server refuses are `Limits`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from studio.contract.findings import ContractError
from studio.contract.limits import Limits, load_limits

MULTIPLE = 32
SHORT_EDGE = 768
MAX_AREA = 768 * 1344
IMAGE_SHORT_EDGE = 2048
ASPECTS: dict[str, float] = {"21:9": 21 / 9, "16:9": 16 / 9, "4:3": 4 / 3, "1:1": 1.0, "3:4": 3 / 4, "9:16": 9 / 16}
"""The named ratios (width / height), widest first."""

_DEFAULT_ASPECT = "16:9"
_SAME_RATIO = 1e-6


@dataclass(frozen=True, slots=True)
class CanvasSize:
    """A size in pixels."""

    width: int
    height: int

    @property
    def ratio(self) -> float:
        """Width over height."""
        return self.width / self.height


def output_canvas(
    task: str,
    aspect_ratio: object = None,
    width: int | None = None,
    height: int | None = None,
    first_image: tuple[int, int] | None = None,
    *,
    limits: Limits | None = None,
) -> CanvasSize:
    """The size of the result, as the server works it out.

    t2va needs a named ratio, even beside an explicit size; ref2va falls back to 16:9 and never looks at its
    references; fl2va takes the shape of the first picture (`first_image`, upright width and height in px) and ignores
    the ratio. Explicit sizes count only as a pair and are floored to multiples of 32.
    Raises ContractError for what the server refuses (vllm-omni 0.30.0, encoder_processing.py).
    """
    ratio = _output_ratio(task, aspect_ratio, first_image)
    if width is None or height is None:
        return canvas_for_ratio(ratio)
    return _explicit(width, height, limits or load_limits())


def canvas_for_ratio(ratio: float) -> CanvasSize:
    """The 768-short-edge canvas of a shape (width / height), its area capped, both sides to the nearest multiple of 32.

    Raises ContractError when the ratio is not a positive number.
    """
    if not ratio > 0 or math.isinf(ratio):
        said = f"MiniMax H3 canvas aspect ratio must be positive, got {ratio}"
        raise ContractError.as_server("canvas.ratio.positive", said, {"is": ratio})
    width, height = (SHORT_EDGE * ratio, float(SHORT_EDGE)) if ratio >= 1 else (float(SHORT_EDGE), SHORT_EDGE / ratio)
    if width * height > MAX_AREA:
        scale = math.sqrt(MAX_AREA / (width * height))
        width, height = width * scale, height * scale
    return CanvasSize(_nearest(width), _nearest(height))


def reference_video_canvas(width: int, height: int, *, index: int = 0, limits: Limits | None = None) -> CanvasSize:
    """What the server scales a clip of `width` × `height` px to, up or down, before the model sees it.

    Raises ContractError when it refuses the size; `index` counts the clips from 0, for the server's sentence.
    """
    refused = video_size_refused(width, height, limits or load_limits(), index)
    if refused is not None:
        raise refused
    return canvas_for_ratio(width / height)


def reference_image_canvas(width: int, height: int, *, limits: Limits | None = None) -> CanvasSize:
    """What the server scales a ref2va picture of `width` × `height` px to: a short edge of 2048, sides to 32.

    Raises ContractError when it refuses the size.
    """
    refused = image_size_refused(width, height, limits or load_limits())
    if refused is not None:
        raise refused
    scale = IMAGE_SHORT_EDGE / min(width, height)
    return CanvasSize(_nearest(width * scale), _nearest(height * scale))


def video_size_refused(width: int, height: int, limits: Limits, index: int = 0) -> ContractError | None:
    """Why the server would refuse a clip of this size, edges before shape; None when it takes it."""
    edges = _edges_refused("ref.video.edge", f"reference video {index}", width, height, limits)
    return edges or _shape_refused("ref.video.ratio", f"reference video {index}", width, height, limits)


def image_size_refused(width: int, height: int, limits: Limits) -> ContractError | None:
    """Why the server would refuse a picture of this size, shape before edges; None when it takes it."""
    shape = _shape_refused("ref.image.ratio", "reference image", width, height, limits)
    return shape or _edges_refused("ref.image.edge", "reference image", width, height, limits)


def nearest_aspect(width: float, height: float) -> str:
    """The named ratio that looks most like a shape (least distance of logarithms)."""
    wanted = math.log(width / height)
    return min(ASPECTS, key=lambda name: abs(math.log(ASPECTS[name]) - wanted))


def _nearest(side: float) -> int:
    return max(MULTIPLE, MULTIPLE * round(side / MULTIPLE))


def _output_ratio(task: str, aspect_ratio: object, first_image: tuple[int, int] | None) -> float:
    if task == "fl2va":
        if first_image is None:
            said = "fl2va requires an input image to resolve its aspect ratio"
            raise ContractError.as_server("canvas.no_picture", said)
        return first_image[0] / first_image[1]
    adaptive = isinstance(aspect_ratio, str) and aspect_ratio.strip().lower() in ("adaptive", "auto")
    if task == "t2va" and (aspect_ratio is None or adaptive):
        said = "t2va requires an explicit " + ("named aspect_ratio, not adaptive" if adaptive else "aspect_ratio")
        raise ContractError.as_server("canvas.aspect.needed", said, {"known": ", ".join(ASPECTS)})
    return _named_ratio(_DEFAULT_ASPECT if aspect_ratio is None or adaptive else aspect_ratio)


def _named_ratio(aspect_ratio: object) -> float:
    known = ", ".join(ASPECTS)
    if isinstance(aspect_ratio, bool) or not isinstance(aspect_ratio, str | int | float):
        said = f"MiniMax H3 aspect_ratio must be a string ratio, got {aspect_ratio!r}"
        raise ContractError.as_server("canvas.aspect.unknown", said, {"is": str(aspect_ratio), "known": known})
    text = str(aspect_ratio).strip()
    if text in ASPECTS:
        return ASPECTS[text]
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    for ratio in ASPECTS.values():
        if abs(number - ratio) <= _SAME_RATIO:
            return ratio
    said = f"MiniMax H3 aspect_ratio must be one of {known}, got {aspect_ratio!r}"
    raise ContractError.as_server("canvas.aspect.unknown", said, {"is": str(aspect_ratio), "known": known})


def _explicit(width: int, height: int, limits: Limits) -> CanvasSize:
    floored = CanvasSize(width // MULTIPLE * MULTIPLE, height // MULTIPLE * MULTIPLE)
    if floored.width <= 0 or floored.height <= 0:
        said = f"invalid MiniMax H3 canvas {floored.width}x{floored.height}"
        raise ContractError.as_server("canvas.too_small", said, {"width": width, "height": height, "min": MULTIPLE})
    if not limits.canvas_ratio_min <= floored.ratio <= limits.canvas_ratio_max:
        said = "MiniMax H3 canvas aspect ratio must be in [1:4, 4:1]"
        raise ContractError.as_server("canvas.ratio.range", said, {"width": width, "height": height})
    return floored


def _edges_refused(code: str, subject: str, width: int, height: int, limits: Limits) -> ContractError | None:
    low, high = limits.edge_min, limits.edge_max
    if low <= min(width, height) and max(width, height) <= high:
        return None
    said = f"{subject} dimensions must be in [{low}, {high}] pixels, got {width}x{height}"
    return ContractError.as_server(code, said, {"width": width, "height": height, "min": low, "max": high})


def _shape_refused(code: str, subject: str, width: int, height: int, limits: Limits) -> ContractError | None:
    low, high = limits.ratio_min, limits.ratio_max
    if height > 0 and low <= width / height <= high:
        return None
    said = f"{subject} aspect ratio must be in [{low:g}, {high:g}], got {width}x{height}"
    measured = {"is": width / height if height else 0.0, "width": width, "height": height}
    return ContractError.as_server(code, said, {**measured, "min": low, "max": high})
