"""One word for what happened between A and B. All thresholds stand here (except those of single measures)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["identical", "re-encode", "recoloured", "edited", "regenerated", "unrelated"]
Verdict = Kind | Literal["shifted"]

RE_ENCODE_MAD = 5.0
"""x264 at crf 28 differs by 1 to 4 from its source; under 5 people call it the same picture."""
REGENERATED_MAD = 15.0
"""A new picture of the same scene differs by 15 and more, also after its colours were fitted."""
CHANGED_PART = 0.005
"""Three of the 576 cells: about the smallest patch that is no coding noise."""
CALM_MAD = 5.0
"""The rest of the picture is the same when its median cell differs by less than this."""
RELATED = 0.2
"""Correlation of detail: clips of different scenes reach 0.1, renders of one scene 0.3 and more."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """The numbers of a whole clip that decide. MADs are 0…255, `changed` and `relatedness` 0…1."""

    equal: bool
    """Whether all pixels of all compared frames are equal."""
    mad: float
    fitted: float
    changed: float
    """Changed share of the picture in the most changed frames (95th percentile: one bad frame is no edit)."""
    calm: float
    """Mean over frames of what the median cell differs by."""
    relatedness: float


def judge(evidence: Evidence) -> Kind:
    """What B is to A at the offset at which they were compared."""
    if evidence.equal:
        return "identical"
    if edited_part(evidence.calm, evidence.changed):
        return "edited"
    if evidence.mad < RE_ENCODE_MAD:
        return "re-encode"
    if evidence.relatedness < RELATED:
        return "unrelated"
    if evidence.fitted < RE_ENCODE_MAD:
        return "recoloured"
    return "edited" if evidence.fitted < REGENERATED_MAD else "regenerated"


def edited_part(calm: float, changed: float) -> bool:
    """Whether part of the picture changed while the rest stayed the same (see `Evidence`)."""
    return calm < CALM_MAD and changed >= CHANGED_PART
