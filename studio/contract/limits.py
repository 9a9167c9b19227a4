"""What a server version accepts, as data: a JSON file for each version in `resources/limits`, every number sourced."""

from __future__ import annotations

import functools
import json
import re
from importlib import resources

from pydantic import BaseModel, ConfigDict, ValidationError

from studio.contract.findings import ContractError

BUILT_IN = "0.30.0"
_VERSION = re.compile(r"v?(\d+)\.(\d+)")


class Limits(BaseModel):
    """The numbers that a request is checked against. Lengths in seconds, edges in pixels, sizes in bytes.

    All ranges are inclusive. `assumed`: taken over from what is recorded of a version that is probably the server's.
    `guessed`: the server's version is not known here at all, then a broken limit is a warning and never a wall.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    server_version: str
    title: str
    assumed: bool = False
    guessed: bool = False

    images_max: int
    videos_max: int
    audios_max: int
    references_max: int
    keyframes_max: int

    reference_seconds_min: float
    reference_seconds_max: float
    reference_seconds_total: float
    edge_min: int
    edge_max: int
    ratio_min: float
    ratio_max: float
    video_fps_min: float
    video_fps_max: float

    image_bytes_max: int
    video_bytes_max: int
    audio_bytes_max: int
    text_part_bytes_max: int

    output_seconds_min: float
    output_seconds_max: float
    long_full_seconds_max: float
    long_continuation_seconds_max: float
    fps: int
    short_edge: int
    aspects: tuple[str, ...]
    canvas_ratio_min: float
    canvas_ratio_max: float

    steps_min: int
    steps_max: int
    seed_min: int
    seed_max: int
    qualities: tuple[str, ...]
    flow_shift_default: float
    audio_flow_shift_default: float

    long_video: bool
    latent_masks: bool
    """Whether it takes a clip with noise masks: what is kept of it and what is made anew."""
    updates_fewer: int
    """Denoise updates that run for N steps: N less this."""
    output_wait_seconds: float
    """A finished result that is not handed over within this time is lost."""
    output_wait_settable: bool
    form_fields: tuple[str, ...] | None
    """Fields of the form that makes a job; None when the version does not tell them."""


def load_limits(server_version: str | None = None) -> Limits:
    """The limits of a server version: the file of its minor version, else the nearest older one, `guessed`.

    None gives the built-in 0.30.0. Raises ContractError when it is no version at all.
    """
    if server_version is None:
        return _read(BUILT_IN)
    wanted = _version(server_version)
    known = {_version(limits_id): limits_id for limits_id in list_limits()}
    if wanted in known:
        return _read(known[wanted])
    nearest = max((v for v in known if v < wanted), default=min(known))
    return _read(known[nearest]).model_copy(update={"assumed": True, "guessed": True, "server_version": server_version})


def list_limits() -> tuple[str, ...]:
    """The ids of all built-in limits, oldest first."""
    names = (entry.name for entry in (resources.files("resources") / "limits").iterdir())
    return tuple(sorted((n.removesuffix(".json") for n in names if n.endswith(".json")), key=_version))


def _version(text: str) -> tuple[int, int]:
    found = _VERSION.match(text.strip())
    if found is None:
        raise ContractError("limits.unknown", id=text, known=", ".join(list_limits()))
    return int(found[1]), int(found[2])


@functools.cache
def _read(limits_id: str) -> Limits:
    text = (resources.files("resources") / "limits" / f"{limits_id}.json").read_text("utf-8")
    try:
        document = json.loads(text)
        values = {name: entry["value"] for name, entry in document.pop("values").items()}
        return Limits(**document, **values)
    except (ValueError, KeyError, TypeError, ValidationError) as error:
        raise ContractError("limits.damaged", id=limits_id, detail=str(error)) from error
