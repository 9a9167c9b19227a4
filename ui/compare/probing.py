"""The colours under the pointer: of every clip at the place that is looked at."""

from __future__ import annotations

from studio.compare.compositing import LAID_OVER, Look, Mode, place_in_b
from ui.compare.pair import ClipPair, Frame, Pictures

Rgb = tuple[int, int, int]


def colours(
    pair: ClipPair, pictures: Pictures, mode: Mode, look: Look, at: tuple[float, float]
) -> tuple[Rgb | None, ...]:
    """R, G, B of A, B, and C and D where they are shown, `at` a place in shares (0…1) of width and height.

    None where a clip has no picture or, laid over A in its own shape, no pixel.
    """
    at_b: tuple[float, float] | None = at
    if mode in LAID_OVER:
        at_b = place_in_b(*at, pair.a.info.width / pair.a.info.height, pair.b.info.width / pair.b.info.height, look.fit)
    of_b = None if at_b is None else _colour(pictures.b, at_b)
    return _colour(pictures.a, at), of_b, *(_colour(picture, at) for picture in pictures.beside or ())


def _colour(frame: Frame | None, at: tuple[float, float]) -> Rgb | None:
    if frame is None:
        return None
    height, width = frame.shape[:2]
    blue, green, red, _ = frame[min(height - 1, int(at[1] * height)), min(width - 1, int(at[0] * width))]
    return int(red), int(green), int(blue)
