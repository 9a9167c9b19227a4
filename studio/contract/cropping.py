"""Crops around the middle: the largest part of a picture or clip that has a wanted shape."""

from __future__ import annotations

from studio.contract.facts import MediaFacts
from studio.contract.limits import Limits
from studio.contract.shot import Crop, Reference

WHOLE = Crop(x=0, y=0, width=1, height=1)
_INSIDE = 0.01
"""A legal crop stays this share inside the limit, so that rounding to whole pixels cannot leave it."""


def ratio_of(crop: Crop, facts: MediaFacts) -> float:
    """Width over height of a crop, in pixels as shown."""
    width, height = facts.shown_size or (1, 1)
    return crop.width * width / (crop.height * height)


def crop_to_ratio(reference: Reference, facts: MediaFacts, ratio: float) -> Crop:
    """The largest rectangle of `ratio` (width / height as shown) around the middle of the crop that is there."""
    now = reference.crop or WHOLE
    have = ratio_of(now, facts)
    width, height = now.width * min(1.0, ratio / have), now.height * min(1.0, have / ratio)
    return Crop(x=now.x + (now.width - width) / 2, y=now.y + (now.height - height) / 2, width=width, height=height)


def crop_to_legal(reference: Reference, facts: MediaFacts, limits: Limits) -> Crop:
    """The largest part whose shape the server takes; for a legal shape the part that is there."""
    have = ratio_of(reference.crop or WHOLE, facts)
    narrowest, widest = limits.ratio_min * (1 + _INSIDE), limits.ratio_max * (1 - _INSIDE)
    return crop_to_ratio(reference, facts, max(narrowest, min(have, widest)))
