"""What the words of a prompt do to a picture."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Literal

Weather = Literal["rain", "snow"]


@dataclass(frozen=True, slots=True)
class Look:
    """A grade and what lies over it.

    `gain` in eighths of the source's brightness, `tint` added to R, G, B afterwards (−255…255), `edges` how strongly
    outlines are drawn (0…255) and in which colour, `levels` the bits that survive posterising (0xE0: 8 steps).
    `veil` is how much uneven light lies over the picture (0…255), `drift` how fast it moves (pixels a frame): without
    it a smooth source would only be recoloured.
    """

    gain: int = 7
    tint: tuple[int, int, int] = (42, 8, -26)
    edges: int = 200
    ink: tuple[int, int, int] = (0, 0, 0)
    levels: int = 0xE0
    mono: bool = False
    veil: int = 30
    drift: int = 0
    weather: Weather | None = None
    sky: tuple[tuple[int, int, int], tuple[int, int, int]] = ((92, 142, 190), (238, 206, 158))


_SKIES = {
    "night": ((8, 12, 40), (44, 52, 104)),
    "neon": ((14, 4, 36), (120, 20, 110)),
    "warm": ((210, 110, 60), (250, 200, 120)),
    "cold": ((120, 150, 190), (220, 232, 242)),
    "grey": ((96, 104, 116), (150, 156, 164)),
    "paper": ((236, 232, 222), (214, 208, 196)),
}

# First match wins for the grade; weather is looked up on its own.
_GRADES: tuple[tuple[str, Look], ...] = (
    (
        r"sketch|pencil|drawing|ink|manga",
        Look(1, (190, 188, 180), 255, (30, 30, 40), 0xC0, mono=True, sky=_SKIES["paper"]),
    ),
    (r"neon|cyberpunk|synthwave", Look(2, (26, 0, 44), 255, (255, 60, 220), sky=_SKIES["neon"])),
    (
        r"night|moon\w*|midnight|dark",
        Look(3, (0, 4, 36), 110, (0, 0, 10), 0xF8, veil=36, sky=_SKIES["night"]),
    ),
    (r"warm|sunset|golden|autumn|desert", Look(7, (60, 14, -40), 180, (40, 10, 0), sky=_SKIES["warm"])),
    (
        r"cold|winter|ice|icy|frost\w*|snow\w*",
        Look(5, (30, 48, 74), 90, (40, 60, 90), 0xF0, veil=56, drift=1, sky=_SKIES["cold"]),
    ),
    (
        r"noir|black and white|monochrome",
        Look(6, (-30, -30, -30), 140, (0, 0, 0), mono=True, sky=_SKIES["grey"]),
    ),
    (
        r"fog\w*|mist\w*|rain\w*|storm\w*",
        Look(3, (20, 30, 56), 90, (20, 24, 30), 0xF8, veil=72, drift=2, sky=_SKIES["grey"]),
    ),
)
_WEATHER: tuple[tuple[str, Weather], ...] = ((r"rain\w*|storm\w*|downpour", "rain"), (r"snow\w*|blizzard", "snow"))


def look_for(prompt: str) -> Look:
    """The look that a prompt asks for; a golden painterly one when it names none."""

    def named(words: str) -> bool:
        return re.search(rf"\b(?:{words})\b", prompt, re.IGNORECASE) is not None

    look = next((look for words, look in _GRADES if named(words)), Look())
    return replace(look, weather=next((kind for words, kind in _WEATHER if named(words)), None))
