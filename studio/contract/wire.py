"""The wire form: the fields and files of `POST /v1/videos` that a request becomes. Pure and total.

`task` always goes, duration goes as a decimal in `extra_params`, fps never, the seed always (the server would draw one
and not tell). What the user put into `extra` is merged last and wins (vllm-omni 0.30.0, helpers.py).
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Literal

from studio.contract.labels import in_upload_order, prompt_text
from studio.contract.params import canvas_fields, extra_params
from studio.contract.request import Request
from studio.contract.shot import Kind

PartField = Literal["input_references", "source_video", "video_noise_mask", "source_audio", "audio_noise_mask"]


@dataclass(frozen=True, slots=True)
class WirePart:
    """One uploaded file: a reference in its prepared form, or what an edit needs of the clip that is edited."""

    ref_id: str
    kind: Kind
    field: PartField = "input_references"


@dataclass(frozen=True, slots=True)
class WireForm:
    """Text fields and files, in the order in which they are sent."""

    fields: tuple[tuple[str, str], ...]
    parts: tuple[WirePart, ...]


def wire_form(request: Request) -> WireForm:
    """The form that a request is sent as. Files go pictures, clips, sounds, in tray order each; then an edit's."""
    shot = request.shot
    fields = {
        "prompt": prompt_text(request),
        **canvas_fields(shot),
        "num_inference_steps": str(shot.steps),
        "flow_shift": _number(shot.flow_shift),
        "seed": str(shot.seed),
        **({"quality": shot.quality} if shot.quality is not None else {}),
        **({"lora": _json(shot.lora)} if shot.lora is not None else {}),
        "extra_params": _json(extra_params(request)),
    }
    parts = tuple(WirePart(r.id, r.kind) for r in in_upload_order(shot))
    return WireForm(tuple(fields.items()), (*parts, *edit_parts(request)))


def edit_parts(request: Request) -> tuple[WirePart, ...]:
    """The files of an edit: for each lane of which something is kept a mask, and what is kept of the clip.

    A lane that is all made anew needs neither: to the server such a mask is none (vllm-omni 0.30.0,
    encoder_processing.py).
    """
    if request.shot.source() is None:
        return ()
    from studio.contract.masks import edit_masks  # brings numpy: not before something is marked

    masks = edit_masks(request)
    if masks is None:
        return ()
    own, parts = masks.grid.source.id, list[WirePart]()
    if masks.picture is not None:
        parts += [WirePart(own, "video", "source_video"), WirePart(own, "video", "video_noise_mask")]
    if masks.sound is not None:
        heard = [WirePart(own, "audio", "source_audio")] if masks.grid.sound_seconds else []
        parts += [*heard, WirePart(own, "audio", "audio_noise_mask")]
    return tuple(parts)


def _number(value: float) -> str:
    return f"{value:g}" if float(f"{value:g}") == value else repr(value)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)
