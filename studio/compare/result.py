"""What a comparison found, as a value: numbers, verdict, faults; and its JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from studio.compare.alignment import Alignment
from studio.compare.colour import Direction
from studio.compare.errors import CompareError
from studio.compare.faults import Fault
from studio.compare.sound import SoundComparison
from studio.compare.verdict import RE_ENCODE_MAD, REGENERATED_MAD, RELATED, Kind, Verdict, edited_part
from studio.core.words import Param, say


class _Value(BaseModel):
    model_config = ConfigDict(frozen=True)


class PerFrame(_Value):
    """The measures of every compared pair, in order; all of one length.

    `a`, `b`: frame numbers from 0. `mad`, `fitted`: 0…255. `psnr`: dB, at most 100. `ssim`: to 1. `changed`: 0…1.
    `luma_…`: mean coded luma. `self_…`: mean difference to the frame before, of small luma; 0 for the first.
    """

    a: tuple[int, ...]
    b: tuple[int, ...]
    mad: tuple[float, ...]
    fitted: tuple[float, ...]
    psnr: tuple[float, ...]
    ssim: tuple[float, ...]
    changed: tuple[float, ...]
    luma_a: tuple[float, ...]
    luma_b: tuple[float, ...]
    self_a: tuple[float, ...]
    self_b: tuple[float, ...]


class Comparison(_Value):
    """What was found. Frame numbers count from 0; sizes in pixels; times in seconds."""

    a: Path
    b: Path
    width: int
    """Size at which frames were compared: A's, upright."""
    height: int
    width_b: int
    """Size at which B is shown."""
    height_b: int
    fps: float
    """Rate of the common clock."""
    start_a: float
    """When A's first compared picture is shown, in seconds on A's own clock."""
    frames_a: int
    frames_b: int
    pairing: Literal["index", "time"]
    """Index k with index k, or what is on screen at the same time (when rates differ)."""
    alignment: Alignment
    kind: Kind
    """The verdict at the offset at which the clips were compared."""
    mad: float
    mad_max: float
    fitted: float
    psnr: float
    psnr_min: float
    ssim: float
    ssim_min: float
    changed: float
    calm: float
    relatedness: float
    colour_shift: float
    """Mean CIEDE2000 between the frames' mean colours."""
    colour_directions: tuple[Direction, ...]
    motion_kept: float
    sound: SoundComparison
    faults: tuple[Fault, ...]
    frames: PerFrame

    @property
    def frames_compared(self) -> int:
        """How many pairs were measured."""
        return len(self.frames.mad)

    @property
    def verdict(self) -> Verdict:
        """`shifted` when related clips match at an offset, else what B is to A."""
        return "shifted" if self.alignment.offset_frames and self.kind != "unrelated" else self.kind

    @property
    def worst(self) -> int:
        """The pair (index into `frames`) with the highest MAD."""
        return max(range(self.frames_compared), key=lambda k: self.frames.mad[k])

    def pair_of(self, frame: int) -> int:
        """The pair (index into `frames`) that shows this frame of A. Raises CompareError `compare.no_frame`."""
        if frame not in self.frames.a:
            first, last = self.frames.a[0], self.frames.a[-1]
            raise CompareError("compare.no_frame", frame=frame, first=first, last=last)
        return self.frames.a.index(frame)

    def part(self, first: int, last: int) -> Comparison:
        """Of the pairs `first`…`last` alone, to be drawn; means, verdict and faults stay those of the whole."""
        kept = {name: getattr(self.frames, name)[first : last + 1] for name in PerFrame.model_fields}
        start = self.start_a + first / self.fps
        return self.model_copy(update={"frames": PerFrame(**kept), "start_a": start})

    def verdict_text(self) -> str:
        """The verdict as a sentence in the current language, with its numbers and thresholds."""
        numbers: dict[str, Param] = {
            "frames": self.frames_compared,
            "mad": self.mad,
            "fitted": self.fitted,
            "changed": self.changed,
            "calm": self.calm,
            "related": self.relatedness,
            "same": RE_ENCODE_MAD,
            "new": REGENERATED_MAD,
            "related_limit": RELATED,
        }
        in_part = self.kind == "edited" and edited_part(self.calm, self.changed)
        text = say("verdict.edited_part" if in_part else f"verdict.{self.kind}", numbers)
        if self.verdict != "shifted":
            return text
        offset = self.alignment.offset_frames
        code = "verdict.shifted_in" if offset > 0 else "verdict.shifted_before"
        return say(code, {"frames": abs(offset), "rest": text})

    def as_json(self) -> dict[str, Any]:
        """What `h3studio compare --json` prints."""
        return {
            "frames_compared": self.frames_compared,
            "alignment": self.alignment.model_dump(),
            "mad": {"mean": _short(self.mad), "max": _short(self.mad_max), "fitted_mean": _short(self.fitted)},
            "psnr": {"mean": _short(self.psnr), "min": _short(self.psnr_min)},
            "ssim": {"mean": _short(self.ssim), "min": _short(self.ssim_min)},
            "verdict": self.verdict,
            "verdict_text": self.verdict_text(),
            "faults": [fault.code for fault in self.faults],
            "colour_shift": _short(self.colour_shift),
            "motion_kept": _short(self.motion_kept),
            "audio": self.sound.model_dump(),
        }


def _short(value: float) -> float:
    return round(value, 4)
