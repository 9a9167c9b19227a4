"""Refusals that the rules did not foresee: what the server said, which finding it belongs to, what limit it tells.

A refusal is kept as a value. As long as it is only recorded, the same request is warned about; treated as a rule, its
numbers become the server's limits, and what tells no number stops the same request.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from pydantic import BaseModel, ConfigDict

from studio.contract.limits import Limits

_NUMBER: Final = r"(-?\d+(?:\.\d+)?)"
_RANGE: Final = rf"must be in \[{_NUMBER}, {_NUMBER}\]"
_TOLD: Final[tuple[tuple[str, tuple[str, ...]], ...]] = (
    (rf"reference (?:video|audio) \d+ duration {_RANGE}", ("reference_seconds_min", "reference_seconds_max")),
    (rf"reference (?:image|video \d+) dimensions {_RANGE}", ("edge_min", "edge_max")),
    (rf"reference (?:image|video \d+) aspect ratio {_RANGE}", ("ratio_min", "ratio_max")),
    (rf"reference video \d+ FPS {_RANGE}", ("video_fps_min", "video_fps_max")),
    (rf"output duration {_RANGE}", ("output_seconds_min", "output_seconds_max")),
    (rf"must be at most {_NUMBER} seconds in total", ("reference_seconds_total",)),
    (rf"at most {_NUMBER} image references", ("images_max",)),
    (rf"at most {_NUMBER} video references", ("videos_max",)),
    (rf"at most {_NUMBER} standalone audio references", ("audios_max",)),
    (rf"at most {_NUMBER} total references", ("references_max",)),
    (rf"num_inference_steps.*less than or equal to {_NUMBER}", ("steps_max",)),
)
"""Sentences that name a limit, and the limits that their numbers are (vllm-omni 0.30.0, server-api §2.6)."""

_CODES: Final[tuple[tuple[str, str], ...]] = (
    (r"at most \d+ image references", "refs.images.too_many"),
    (r"at most \d+ video references", "refs.videos.too_many"),
    (r"at most \d+ standalone audio references", "refs.audios.too_many"),
    (r"at most \d+ total references", "refs.too_many"),
    (r"ref2va requires at least one image or video", "refs.none"),
    (r"reference videos must be at most", "refs.videos.total"),
    (r"reference audio must be at most", "refs.audios.total"),
    (r"fl2va requires image conditions only", "fl2va.no_picture"),
    (r"fl2va accepts at most first and last", "fl2va.too_many"),
    (r"frame_indices|one frame index per image", "fl2va.frame_indices"),
    (r"lock_source requires exactly one", "driving.count"),
    (r"reference video \d+ dimensions", "ref.video.edge"),
    (r"reference video \d+ aspect ratio", "ref.video.ratio"),
    (r"reference image dimensions", "ref.image.edge"),
    (r"reference image aspect ratio", "ref.image.ratio"),
    (r"continuation requires uncached", "quality.continuation"),
    (r"quality must be one of", "quality.unknown"),
    (r"MiniMax H3 shift_scale", "shift.range"),
    (r"num_inference_steps: Input should|num_inference_steps\n", "steps.range"),
    (r"seed: Input should|seed\n", "seed.range"),
    (r"output duration must be in", "output.seconds.range"),
    (r"aspect_ratio must be", "canvas.aspect.unknown"),
    (r"requires an explicit (?:named )?aspect_ratio", "canvas.aspect.needed"),
    (r"short_edge must be", "canvas.short_edge"),
    (r"canvas aspect ratio must be in", "canvas.ratio.range"),
    (r"invalid MiniMax H3 canvas", "canvas.too_small"),
    (r"requires an input image", "canvas.no_picture"),
    (r"extra_args\['target'\]", "extra.target"),
    (r"long_video must be a boolean", "long_video.flag"),
    (r"long_video_mode must be", "long_video.mode"),
    (r"continuation requires Ref2VA", "long_video.continuation"),
    (r"continuation (?:window|overlap)", "long_video.window"),
    (r"continuation_prompts must", "long_video.prompts"),
    (r"Invalid lora object", "lora.incomplete"),
    (r"could not convert string to float", "lora.scale"),
    (r"Turbo artifact and serves", "lora.task"),
    (r"\.safetensors (?:is a \d+-step artifact|requires)", "lora.pins"),
    (r"continuation does not support latent-mask", "edit.continuation"),
    (r"lock_source cannot be combined with audio latent-mask", "edit.lock_source"),
    (r"no audio track for audio editing|audio_noise_mask requires source", "edit.no_sound"),
    (r"noise_mask JSON exceeds", "edit.mask_bytes"),
    (r"Latent-mask editing is not supported", "edit.unsupported"),
    (r"audio_mode must be native|checkpoint partition '\w+' supports", "extra.other"),
    (r"pad_seq_len|preencode_batch_frames|video_codec_options|force_refresh_step|start_time_seconds", "extra.refused"),
    (r"Argument 'value' has incorrect type", "extra.refused"),
    (r"requires a non-empty prompt|prompt.*Field required", "prompt.empty"),
    (r"exceeded maximum size of \d+KB", "prompt.too_large"),
)
_SAME_SENTENCE: Final[dict[str, tuple[str, ...]]] = {
    "refs.none": ("refs.audio_only",),
    "refs.audios.total": ("refs.soundtracks.total",),
    "ref.audio.too_short": ("ref.video.sound_too_short",),
    "output.seconds.range": ("output.frames.range",),
    "prompt.too_large": ("extra.too_large",),
    "extra.other": ("extra.refused",),
}
_LENGTH: Final = re.compile(rf"reference (video|audio) \d+ duration {_RANGE} seconds, got {_NUMBER}")


class Refusal(BaseModel):
    """One refusal. `code` is the finding that should have caught it, if there is one; `signature` tells the request.

    `rule`: the user said that it is a rule of that server.
    """

    model_config = ConfigDict(frozen=True)

    said: str
    code: str | None
    signature: str
    rule: bool = False

    def as_rule(self) -> Refusal:
        """The same, treated as a rule."""
        return self.model_copy(update={"rule": True})


def codes_of(said: str) -> tuple[str, ...]:
    """The codes of the findings that a sentence of the server may belong to, likeliest first; empty when none does."""
    if length := _LENGTH.search(said):
        first: str | None = f"ref.{length[1]}.{'too_short' if float(length[4]) < float(length[2]) else 'too_long'}"
    else:
        first = next((code for pattern, code in _CODES if re.search(pattern, said)), None)
    return () if first is None else (first, *_SAME_SENTENCE.get(first, ()))


def limits_told(said: str) -> dict[str, float]:
    """The limits that a sentence of the server names: fields of `Limits` and their values."""
    for pattern, names in _TOLD:
        if found := re.search(pattern, said):
            return {name: float(text) for name, text in zip(names, found.groups(), strict=True)}
    return {}


def with_rules(limits: Limits, refusals: Iterable[Refusal]) -> Limits:
    """The limits with the numbers of all refusals that are treated as rules."""
    told: dict[str, float] = {}
    for refusal in refusals:
        told |= limits_told(refusal.said) if refusal.rule else {}
    return Limits.model_validate({**limits.model_dump(), **told})
