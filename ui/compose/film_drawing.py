"""Fills the film of a reference: its pictures and the outline of its sound."""

from __future__ import annotations

from studio.contract import MediaFacts
from ui.compose.film import FILM_HEIGHT, Film
from ui.compose.moments import Moments
from ui.compose.reading import Reading
from ui.compose.seen import Seen

_TILES = 12


async def draw_film(
    film: Film, reading: Reading, facts: MediaFacts, moments: Moments, origin: float, what: Seen | None
) -> None:
    """Pictures all along a clip, or (with `what`) the two a second that the server's vision encoder is given.

    `origin` is where the reference's clock begins on the file's, in seconds.
    """
    if facts.kind == "video":
        shown, span = moments.tiles(_TILES), (0.0, 1.0)
        if what is not None and what.moments:
            shown, length = list(what.moments), len(moments)
            span = (moments.at(shown[0]) / length, min(1.0, (moments.at(shown[-1] + 0.5) + 1) / length))
        strip = await reading.strip(facts.path, [at + origin for at in shown], FILM_HEIGHT * 2)
        if not strip.isNull():
            film.show_strip(strip, span)
    if facts.audio is not None and (peaks := await reading.outline(facts.path)) is not None:
        film.show_peaks(peaks)
