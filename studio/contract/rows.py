"""Rows: how many tokens a request puts into every denoise step. The cost of a render is rows × (1 + rows / N0).

One row is a 32 × 32 px patch of one latent frame, a 40 Hz sound latent of one channel, or a text token; all of them sit
in one sequence, padded to 64 (vllm-omni 0.30.0, packed_sequence.py). A reference enters twice: as latents and as what
the vision encoder (Qwen3-VL) makes of it. Its pixels do not count: the server rescales every reference itself.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from studio.contract.canvas import CanvasSize, canvas_for_ratio, reference_image_canvas
from studio.contract.facts import MediaFacts
from studio.contract.findings import ContractError
from studio.contract.grid import AUDIO_LATENT_HZ, audio_latents, floor_rung, latents
from studio.contract.labels import in_upload_order, prompt_text, tags
from studio.contract.plan import planned
from studio.contract.request import Request
from studio.contract.resolved import Resolved, resolve
from studio.contract.shot import FPS, Kind, Reference

PATCH = 32
PAD = 64
_CHARACTERS_PER_TOKEN = 4
_TOKENS_PER_LABEL = 6
_TOKENS_PER_TIMESTAMP = 7
_MARKERS = 2
_SAMPLE_EVERY = 12
"""The vision encoder looks at every 12th prepared frame, two of them to a block."""
_VISION_MIN_PIXELS = 4_096
_VISION_MAX_PIXELS = 25_165_824
"""Pixels of all sampled frames of a clip together, as reported for the H3 processor."""


@dataclass(frozen=True, slots=True)
class ReferenceRows:
    """The rows that one reference adds. `visual`: latents; `sound`: sound latents; `vision`: vision encoder with its
    markers; `text`: label and time stamps."""

    ref_id: str
    kind: Kind
    visual: int = 0
    sound: int = 0
    vision: int = 0
    text: int = 0
    frames_used: int = 0
    """Frames of a clip that the model looks at."""

    @property
    def total(self) -> int:
        """All rows of this reference."""
        return self.visual + self.sound + self.vision + self.text


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of one denoise step."""

    output_video: int
    output_audio: int
    text: int
    per_reference: tuple[ReferenceRows, ...]

    @property
    def output(self) -> int:
        """Rows of the result itself."""
        return self.output_video + self.output_audio

    @property
    def total(self) -> int:
        """All rows in use."""
        return self.output + self.text + sum(r.total for r in self.per_reference)

    @property
    def padded(self) -> int:
        """Rows with padding, a multiple of 64: what is computed."""
        return -(-self.total // PAD) * PAD


def rows(request: Request) -> Rows:
    """What a request costs in every step, of its longest window when a long video continues.

    References that are not probed yet, or cannot be sent, count nothing.
    Raises ContractError when the request cannot be resolved (no canvas, no legal length).
    """
    resolved = resolve(request)
    at_once = max(end - start for start, end in resolved.windows)
    own_tags = tags(request)
    found = (reference_rows(request, r, resolved, len(own_tags[r.id])) for r in in_upload_order(request.shot))
    return Rows(
        output_video=video_rows(resolved.width, resolved.height, at_once),
        output_audio=2 * audio_latents(at_once),
        text=text_rows(prompt_text(request)),
        per_reference=tuple(r for r in found if r is not None),
    )


def video_rows(width: int, height: int, frames: int) -> int:
    """Latent rows of `frames` (a rung) at a canvas in px: 1344 × 768, 124 frames → 37 296."""
    return latents(frames) * _patches(CanvasSize(width, height))


def text_rows(prompt: str) -> int:
    """Tokens of a prompt, estimated at four bytes each (close for English, CJK comes out near its real count)."""
    return -(-len(prompt.encode("utf-8", "replace")) // _CHARACTERS_PER_TOKEN)


def image_rows(ref_id: str, width: int, height: int) -> ReferenceRows:
    """A ref2va picture of any size, at the 2048-short-edge canvas that the server gives it."""
    patches = _patches(reference_image_canvas(width, height))
    return ReferenceRows(ref_id, "image", visual=patches, vision=patches + _MARKERS, text=_TOKENS_PER_LABEL)


def keyframe_rows(ref_id: str, canvas: CanvasSize) -> ReferenceRows:
    """A first or last picture, stretched to the output canvas."""
    patches = _patches(canvas)
    return ReferenceRows(ref_id, "image", visual=patches, vision=patches + _MARKERS, text=_TOKENS_PER_LABEL)


def clip_rows(
    ref_id: str, width: int, height: int, frames: int, sound_seconds: float, output_frames: int, labels: int = 1
) -> ReferenceRows:
    """A clip of `frames` at 24 fps with `sound_seconds` of kept sound, cut by the server to the output's length."""
    canvas = canvas_for_ratio(width / height)
    looked_at = min(frames, output_frames)
    sampled = -(-looked_at // _SAMPLE_EVERY)
    blocks = -(-sampled // 2)
    per_block = _patches(_vision_size(canvas, sampled))
    used = floor_rung(looked_at)
    return ReferenceRows(
        ref_id,
        "video",
        visual=latents(used) * _patches(canvas) if used else 0,
        sound=_sound_rows(min(sound_seconds, looked_at / FPS)),
        vision=blocks * (per_block + _MARKERS),
        text=labels * _TOKENS_PER_LABEL + blocks * _TOKENS_PER_TIMESTAMP,
        frames_used=used,
    )


def sound_rows(ref_id: str, seconds: float, output_frames: int) -> ReferenceRows:
    """A standalone sound, cut by the server to the output's length."""
    rows = _sound_rows(min(seconds, output_frames / FPS))
    return ReferenceRows(ref_id, "audio", sound=rows, text=_TOKENS_PER_LABEL)


def reference_rows(request: Request, reference: Reference, resolved: Resolved, labels: int) -> ReferenceRows | None:
    """The rows of one reference with `labels` tags; None when it is not probed yet, refused, or has none of its own."""
    facts = request.facts_of(reference)
    if facts is None or facts.kind != reference.kind:
        return None
    try:
        return _known_rows(reference, facts, resolved, labels)
    except ContractError:
        return None  # its size is refused: `check` says so


def _known_rows(reference: Reference, facts: MediaFacts, resolved: Resolved, labels: int) -> ReferenceRows | None:
    plan = planned(reference, facts)
    if reference.kind == "audio":
        # A driving sound takes the place of the output's own sound rows.
        driving = resolved.audio_mode == "lock_source"
        return None if driving else sound_rows(reference.id, plan.seconds, resolved.frames)
    if reference.kind == "image":
        if resolved.task == "fl2va":
            return keyframe_rows(reference.id, CanvasSize(resolved.width, resolved.height))
        return image_rows(reference.id, plan.width, plan.height)
    if plan.width < 2 or plan.height < 2:
        return None
    return clip_rows(
        reference.id, plan.width, plan.height, plan.frames, plan.sound_seconds, resolved.frames, max(1, labels)
    )


def _patches(size: CanvasSize) -> int:
    return (size.width // PATCH) * (size.height // PATCH)


def _sound_rows(seconds: float) -> int:
    # A hair of slack: 124 frames are 5.1666… s, and 40 times that must not round up twice.
    return 2 * math.ceil(round(seconds * AUDIO_LATENT_HZ, 6))


def _vision_size(canvas: CanvasSize, sampled: int) -> CanvasSize:
    """The size at which a clip's sampled frames are read: smaller when all of them exceed the processor's pixels.

    Follows Qwen3-VL's `smart_resize` for video with 32 px a merged token; frames count in pairs.
    """
    pairs = -(-sampled // 2) * 2
    width, height = (max(PATCH, PATCH * round(side / PATCH)) for side in (canvas.width, canvas.height))
    if pairs * width * height > _VISION_MAX_PIXELS:
        shrink = math.sqrt(sampled * canvas.width * canvas.height / _VISION_MAX_PIXELS)
        width, height = (max(PATCH, math.floor(s / shrink / PATCH) * PATCH) for s in (canvas.width, canvas.height))
    elif pairs * width * height < _VISION_MIN_PIXELS:
        grow = math.sqrt(_VISION_MIN_PIXELS / (sampled * canvas.width * canvas.height))
        width, height = (math.ceil(s * grow / PATCH) * PATCH for s in (canvas.width, canvas.height))
    return CanvasSize(width, height)
