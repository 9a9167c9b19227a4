"""What H3 accepts and what a request costs: pure values and functions, no I/O.

A `Shot` is what a user makes; a `Request` is a shot with what is known of its files and the server's `Limits`.
`check` finds what is wrong, `mends` repairs it, `wire_form` is what is sent, `resolve` what comes out, `rows` the cost.
"""

from typing import TYPE_CHECKING

from studio.contract import edits, marks, mends, sentences
from studio.contract.canvas import (
    ASPECTS,
    CanvasSize,
    nearest_aspect,
    output_canvas,
    reference_image_canvas,
    reference_video_canvas,
)
from studio.contract.cost import Cost, Saving, cost
from studio.contract.defaults import MainClip, follow_main, main_clip
from studio.contract.facts import AudioFacts, ImageFacts, MediaFacts, Unreadable, VideoFacts
from studio.contract.findings import ContractError, Finding, Mend, Severity
from studio.contract.grid import audio_latents, ceil_rung, floor_rung, frames_for, is_rung, latents, rungs
from studio.contract.history import History
from studio.contract.keep_change import (
    Area,
    KeepChange,
    PictureMarks,
    Rectangle,
    RectangleKey,
    SoundMarks,
    Span,
    Stroke,
    StrokeKey,
)
from studio.contract.labels import (
    Mention,
    adopt_tags,
    label_order,
    mention_of,
    mentions,
    prompt_text,
    tags,
    window_prompts,
)
from studio.contract.latent_grid import EditGrid, edit_grid
from studio.contract.limits import Limits, list_limits, load_limits
from studio.contract.mends import mend_all
from studio.contract.pace import Pace, PastRun, Range, fit, work
from studio.contract.params import extra_params
from studio.contract.plan import Planned, planned
from studio.contract.refusal import Refusal, codes_of, limits_told, with_rules
from studio.contract.request import Request
from studio.contract.resolved import Resolved, resolve
from studio.contract.rows import ReferenceRows, Rows, rows
from studio.contract.rules import check
from studio.contract.rules.refused import unforeseen
from studio.contract.rules.totals import Budgets, budgets
from studio.contract.serialise import dump_shot, parse_shot
from studio.contract.server_limits import form_fields, limits_of_server
from studio.contract.shot import (
    FPS,
    SHOT_VERSION,
    Canvas,
    Crop,
    Kind,
    Preparation,
    Reference,
    Role,
    Shot,
    Task,
    new_reference_id,
    new_seed,
)
from studio.contract.wire import WireForm, WirePart, wire_form
from studio.core.lazy import on_demand

if TYPE_CHECKING:
    from studio.contract.masks import EditMasks, edit_masks, mask_json, model_mask, picture_mask, sound_mask

__all__ = [
    "edits",
    "marks",
    "mends",
    "sentences",
    # shots and what is known of their files
    "FPS",
    "SHOT_VERSION",
    "Canvas",
    "Crop",
    "Kind",
    "Preparation",
    "Reference",
    "Role",
    "Shot",
    "Task",
    "new_reference_id",
    "new_seed",
    "AudioFacts",
    "ImageFacts",
    "MediaFacts",
    "Unreadable",
    "VideoFacts",
    "Planned",
    "planned",
    "Request",
    "History",
    "dump_shot",
    "parse_shot",
    # keeping and changing parts of a clip
    "Area",
    "EditGrid",
    "EditMasks",
    "KeepChange",
    "PictureMarks",
    "Rectangle",
    "RectangleKey",
    "SoundMarks",
    "Span",
    "Stroke",
    "StrokeKey",
    "edit_grid",
    "edit_masks",
    "mask_json",
    "model_mask",
    "picture_mask",
    "sound_mask",
    # limits, grid, canvases
    "Limits",
    "list_limits",
    "load_limits",
    "form_fields",
    "limits_of_server",
    "audio_latents",
    "ceil_rung",
    "floor_rung",
    "frames_for",
    "is_rung",
    "latents",
    "rungs",
    "ASPECTS",
    "CanvasSize",
    "nearest_aspect",
    "output_canvas",
    "reference_image_canvas",
    "reference_video_canvas",
    "MainClip",
    "follow_main",
    "main_clip",
    # rules
    "check",
    "mend_all",
    "Budgets",
    "budgets",
    "ContractError",
    "Finding",
    "Mend",
    "Severity",
    "Refusal",
    "codes_of",
    "limits_told",
    "unforeseen",
    "with_rules",
    # prompt, wire, cost
    "Mention",
    "adopt_tags",
    "label_order",
    "mention_of",
    "mentions",
    "prompt_text",
    "tags",
    "window_prompts",
    "WireForm",
    "WirePart",
    "extra_params",
    "wire_form",
    "Resolved",
    "resolve",
    "ReferenceRows",
    "Rows",
    "rows",
    "Cost",
    "Pace",
    "PastRun",
    "Range",
    "Saving",
    "cost",
    "fit",
    "work",
]

# Masks bring numpy: not before something is marked.
__getattr__ = on_demand(
    __name__,
    dict.fromkeys(("EditMasks", "edit_masks", "mask_json", "model_mask", "picture_mask", "sound_mask"), "masks"),
)
