"""A shot: what a user saves, shares and renders again. An immutable value; every edit is a function shot → shot.

Stored as versioned JSON (`.h3shot`). Fields that a newer version added are kept on save.
"""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import Any, Final, Literal, Self

from pydantic import Field, model_validator

from studio.contract.frozen import Frozen
from studio.contract.keep_change import KeepChange

SHOT_VERSION: Final = 1
FPS: Final = 24

Task = Literal["t2va", "fl2va", "ref2va"]
Kind = Literal["image", "video", "audio"]
Role = Literal["reference", "first", "last", "driving"]
Follow = Literal["frames", "canvas"]


class Crop(Frozen):
    """A rectangle of the upright picture, in fractions of its width and height, 0 ≤ x < x+width ≤ 1."""

    x: float = Field(ge=0, lt=1)
    y: float = Field(ge=0, lt=1)
    width: float = Field(gt=0, le=1)
    height: float = Field(gt=0, le=1)


class Preparation(Frozen):
    """How a reference is made ready. `short_edge` of a clip in pixels; None keeps the source's.

    Nothing is scaled up unless `enlarge` asks for it: then a shorter edge under 256 px becomes 256. What is transparent
    lies over `ground`, an sRGB colour as "#rrggbb"; None: black under clips, white under pictures.
    """

    short_edge: int | None = Field(default=540, ge=256, le=5760)
    enlarge: bool = False
    ground: str | None = Field(default=None, pattern=r"^#[0-9a-f]{6}$")


class Reference(Frozen):
    """One picture, clip or sound. `start` and `end` are seconds in the source; `end` None means its end."""

    id: str = Field(min_length=1, max_length=40, pattern=r"^[A-Za-z0-9_-]+$")
    path: Path
    kind: Kind
    role: Role = "reference"
    start: float = Field(default=0.0, ge=0, allow_inf_nan=False)
    end: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    crop: Crop | None = None
    keep_sound: bool = True
    preparation: Preparation = Preparation()
    set_aside: bool = False
    edit: KeepChange | None = None
    """Marks of what is kept and what is changed: with them a clip is the source of an edit."""

    @property
    def ground(self) -> str:
        """The colour under what is transparent, as "#rrggbb"."""
        return self.preparation.ground or ("#ffffff" if self.kind == "image" else "#000000")


class Canvas(Frozen):
    """Either a named ratio or an explicit size in pixels."""

    aspect: str | None = None
    width: int | None = Field(default=None, ge=1, le=100_000)
    height: int | None = Field(default=None, ge=1, le=100_000)

    @model_validator(mode="after")
    def _one_of_two(self) -> Self:
        explicit = self.width is not None and self.height is not None
        if (self.aspect is not None) == explicit or (self.width is None) != (self.height is None):
            raise ValueError("a canvas is a named ratio, or a width and a height")
        return self


class Shot(Frozen):
    """Everything that makes one render. `frames` is a rung of the 17n+5 grid at 24 fps; seconds are never stored.

    Numbers that the server might refuse are held as they are: `check` says what is wrong with them.
    `follow` names what still follows the main reference (and is changed with it until the user sets it).
    `long_video` holds the server's own keys (`long_video_mode`, `continuation_prompts`, …); None renders in one pass.
    Mentions of references in the prompt are stored as `@{reference-id}`.
    """

    version: int = Field(default=SHOT_VERSION, ge=1)
    task: Task = "ref2va"
    prompt: str = ""
    references: tuple[Reference, ...] = ()
    frames: int = Field(default=124, ge=0, le=1_000_000)
    canvas: Canvas = Canvas(aspect="16:9")
    follow: frozenset[Follow] = frozenset({"frames", "canvas"})
    steps: int = 50
    flow_shift: float = Field(default=12.0, allow_inf_nan=False)
    audio_flow_shift: float = Field(default=3.0, allow_inf_nan=False)
    seed: int = Field(default_factory=lambda: new_seed())
    seed_locked: bool = True
    quality: str | None = None
    lora: dict[str, Any] | None = None
    audio_mode: Literal["native", "lock_source"] = "native"
    long_video: dict[str, Any] | None = None
    extra: dict[str, Any] = Field(default_factory=dict)
    notes: str = ""

    @model_validator(mode="after")
    def _ids_are_unique(self) -> Self:
        ids = [r.id for r in self.references]
        if len(set(ids)) != len(ids):
            raise ValueError("two references have the same id")
        return self

    def reference(self, ref_id: str) -> Reference | None:
        """The reference with that id, if it is still there."""
        return next((r for r in self.references if r.id == ref_id), None)

    def sent(self) -> tuple[Reference, ...]:
        """The references that count: not set aside by the user, and of use to the task or as the source of an edit."""
        return tuple(r for r in self.references if not r.set_aside and takes(self, r))

    def source(self) -> Reference | None:
        """The clip that is edited: the first with marks, in any task."""
        return next((r for r in self.references if not r.set_aside and is_source(r)), None)


def takes(shot: Shot, reference: Reference) -> bool:
    """Whether the shot uses this reference at all; others wait in the row *set aside*."""
    return conditions(shot, reference) or is_source(reference)


def is_source(reference: Reference) -> bool:
    """Whether it is a clip with marks of what is kept and what is changed."""
    return reference.kind == "video" and reference.edit is not None


def conditions(shot: Shot, reference: Reference) -> bool:
    """Whether the task gives this reference to the model to look at, or to listen to.

    t2va takes none (only a driving sound), fl2va takes first and last pictures, ref2va takes all kinds, a clip that is
    edited only if it is to be a reference too. A shot with a driving sound takes no other sound.
    """
    if reference.edit is not None and not reference.edit.also_reference and reference.kind == "video":
        return False
    if reference.kind == "audio" and shot.audio_mode == "lock_source":
        return reference.role == "driving"
    match shot.task:
        case "t2va":
            return False
        case "fl2va":
            return reference.kind == "image" and reference.role in ("first", "last")
        case "ref2va":
            return reference.role == "reference"


def new_seed() -> int:
    """A fresh seed: 31 bits, as the server itself would draw; always chosen here so that it can be repeated."""
    return secrets.randbelow(2**31)


def new_reference_id() -> str:
    """A short id that no other reference of the shot is likely to have."""
    return "r" + secrets.token_hex(4)
