"""What of a clip is kept and what is made anew: marks in time and place, as a person draws them.

Times are seconds in the source file, places are fractions of its whole upright picture (x to the right, y down), like a
reference's trim and crop: marks stay where they were drawn whatever part of the clip is sent. What is not marked has
the value `rest`; spans of time lie over it, later ones over earlier ones, and areas of the picture over the spans.
0 keeps and 1 changes, as in the server's noise masks (vllm-omni 0.30.0, latent_mask.py).
"""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from studio.contract.frozen import Frozen

Change = Annotated[float, Field(ge=0, le=1)]
"""How much is made anew: 0 keeps, 1 changes, between them partly."""
Seconds = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Place = Annotated[float, Field(ge=-2, le=3)]
"""A fraction of the picture's width or height; what lies outside 0…1 has left the picture."""


class Span(Frozen):
    """A stretch of time. It fades in and out *inside* its bounds, so that nothing beyond them is touched."""

    start: Seconds
    end: Seconds
    change: Change = 1.0
    fade_in: Seconds = 0.0
    fade_out: Seconds = 0.0

    @model_validator(mode="after")
    def _has_a_length(self) -> Self:
        if self.end <= self.start:
            raise ValueError("a span ends after it starts")
        return self


class RectangleKey(Frozen):
    """Where a rectangle is at a time."""

    time: Seconds
    x: Place
    y: Place
    width: float = Field(gt=0, le=3)
    height: float = Field(gt=0, le=3)


class StrokeKey(Frozen):
    """How far a stroke has moved from where it was drawn, at a time."""

    time: Seconds
    dx: float = Field(default=0.0, ge=-3, le=3)
    dy: float = Field(default=0.0, ge=-3, le=3)


class _Area(Frozen):
    change: Change = 1.0
    start: Seconds | None = None
    """From when on it counts; None: from the start."""
    end: Seconds | None = None
    """Until when it counts; None: to the end."""


class Rectangle(_Area):
    """A rectangle of the picture. Between its keys it moves evenly; before the first and after the last it rests."""

    shape: Literal["rectangle"] = "rectangle"
    keys: tuple[RectangleKey, ...] = Field(min_length=1, max_length=2000)

    @model_validator(mode="after")
    def _keys_in_order(self) -> Self:
        _check_order([key.time for key in self.keys])
        return self


class Stroke(_Area):
    """What a round brush went over. `radius` is a fraction of the picture's height; `points` as they were drawn."""

    shape: Literal["stroke"] = "stroke"
    radius: float = Field(gt=0, le=1)
    points: tuple[tuple[Place, Place], ...] = Field(min_length=1, max_length=2000)
    keys: tuple[StrokeKey, ...] = Field(default=(), max_length=2000)
    """How it moves; empty: it stays where it was drawn."""

    @model_validator(mode="after")
    def _keys_in_order(self) -> Self:
        _check_order([key.time for key in self.keys])
        return self


Area = Annotated[Rectangle | Stroke, Field(discriminator="shape")]


class SoundMarks(Frozen):
    """The lane of the sound."""

    rest: Change = 1.0
    spans: tuple[Span, ...] = Field(default=(), max_length=1000)


class PictureMarks(SoundMarks):
    """The lane of the picture, and areas of it."""

    areas: tuple[Area, ...] = Field(default=(), max_length=200)


class KeepChange(Frozen):
    """The marks of a clip that is edited. A lane that changes everywhere keeps nothing: it is not sent.

    `also_reference`: in reference mode the model also looks at the clip as one of its references.
    """

    picture: PictureMarks = PictureMarks()
    sound: SoundMarks = SoundMarks()
    also_reference: bool = True


def _check_order(times: list[float]) -> None:
    if any(later <= earlier for earlier, later in pairwise(times)):
        raise ValueError("the keys of an area follow each other in time")
