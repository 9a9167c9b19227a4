"""MiniMax-H3's own rules, checked when the job is scheduled, in the server's order and words.

Stated from vllm-omni 0.30.0 (model_executor/models/minimax_h3: encoder_processing, preprocessing, reference_video,
long_video), independent of `studio.contract`. A refusal here is a *late* failure: POST was answered with 200 long ago.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from PIL import Image

from studio.rehearsal.clips import Segment, check_audios, check_clips, check_soundtracks
from studio.rehearsal.edit_rules import Edit, resolve_edit
from studio.rehearsal.request import VideoGenerationRequest
from studio.rehearsal.uploads import References
from studio.rehearsal.worker import WorkerError

FPS = 24
PARTITIONS = {"combined": ("fl2va", "ref2va", "t2va"), "fl2va": ("fl2va", "t2va"), "ref2va": ("ref2va",)}
RATIOS = {"21:9": 21 / 9, "16:9": 16 / 9, "4:3": 4 / 3, "1:1": 1.0, "3:4": 3 / 4, "9:16": 9 / 16}
SHORT_EDGE = 768
MAX_AREA = 768 * 1344  # pixels of a canvas that is derived from a ratio
DEFAULT_STEPS = 50
MAX_COUNTS = (("image", 9), ("video", 3), ("standalone audio", 3))


@dataclass(frozen=True)
class Plan:
    """A request resolved: what will be rendered. `width`, `height` in pixels, `frames` at 24 a second."""

    task: str
    prompt: str
    width: int
    height: int
    frames: int
    steps: int
    seed: int
    rate: float
    images: tuple[Image.Image, ...]
    keyframes: tuple[int, ...]
    clips: tuple[Segment, ...]
    references: References
    lock_sound: bool
    sound_seconds: tuple[float, ...] = ()
    edit: Edit | None = None


def extra_args(request: VideoGenerationRequest) -> dict[str, Any]:
    """The model's arguments: form fields first, `extra_params` over them."""
    extra: dict[str, Any] = {}
    if request.seconds is not None:
        extra["duration"] = float(request.seconds)
    for name in ("aspect_ratio", "short_edge", "start_time_seconds", "flow_shift"):
        if (value := getattr(request, name)) is not None:
            extra[name] = value
    return extra | (request.extra_params or {})


def resolve(request: VideoGenerationRequest, references: References, seed: int, partition: str = "combined") -> Plan:
    """Everything that the worker checks before it denoises. Raises WorkerError with the server's sentence."""
    _check_early(request)
    extra = extra_args(request)
    task = _task(extra, references, partition)
    locked = _check_audio_mode(extra, references)
    _check_counts(task, references, locked)
    if task == "fl2va":
        for image in references.images:
            _check_image(image)
    frames = _frames(task, request, extra)
    width, height = _canvas(task, request, extra, references.images)
    if task == "ref2va":
        for image in references.images:
            _check_image(image)
    continues = _long_mode(extra, task) == "continuation"
    edit = resolve_edit(references.edit, width, height, frames, continues=continues, locked=locked)
    keyframes = _keyframes(extra, len(references.images)) if task == "fl2va" else ()
    clips = check_clips(references.videos, extra.get("start_time_seconds")) if task == "ref2va" else ()
    sounds = () if locked else check_audios(references.audios)
    check_soundtracks(clips, frames / FPS)
    for name in ("flow_shift", "audio_flow_shift"):
        if extra.get(name) is not None and float(extra[name]) <= 0:
            raise WorkerError("MiniMax H3 shift_scale must be > 0")
    return Plan(
        task=task,
        prompt=request.prompt,
        width=width,
        height=height,
        frames=frames,
        steps=request.num_inference_steps or DEFAULT_STEPS,
        seed=seed,
        rate=request.rate,
        images=tuple(references.images),
        keyframes=keyframes,
        clips=clips,
        references=references,
        lock_sound=locked,
        sound_seconds=sounds,
        edit=edit,
    )


def _check_early(request: VideoGenerationRequest) -> None:
    """What the API process checks as it hands the job over: these two keep their code 400."""
    extra = request.extra_params or {}
    batch = extra.get("preencode_batch_frames", 17)
    if extra.get("preencode_mp4") and (isinstance(batch, bool) or not isinstance(batch, int) or batch <= 0):
        raise WorkerError("preencode_batch_frames must be a positive integer", 400)
    if request.lora is None:
        return
    name = next((request.lora[k] for k in ("name", "lora_name", "adapter") if request.lora.get(k)), None)
    paths = ("path", "local_path", "lora_path", "lora_local_path")
    path = next((request.lora[k] for k in paths if request.lora.get(k)), None)
    if name is None or path is None:
        raise WorkerError("Invalid lora object: both name and path are required.", 400)
    try:
        float(request.lora.get("scale", request.lora.get("lora_scale", 1.0)))
    except (TypeError, ValueError) as error:
        raise WorkerError(str(error), 400) from error


def _task(extra: Mapping[str, Any], references: References, partition: str) -> str:
    task = _wanted_task(extra, references, partition)
    if task not in PARTITIONS[partition]:
        supported = list(PARTITIONS[partition])
        raise WorkerError(f"checkpoint partition '{partition}' supports {supported}, got task='{task}'")
    return task


def _wanted_task(extra: Mapping[str, Any], references: References, partition: str) -> str:
    wanted = extra.get("task")
    if wanted is None:
        if partition == "ref2va":
            return "ref2va"
        sounds = bool(references.audios) and extra.get("audio_mode", "native") != "lock_source"
        if references.videos or sounds:
            return "ref2va"
        return "fl2va" if references.images else "t2va"
    return str(wanted).lower()


def _check_audio_mode(extra: Mapping[str, Any], references: References) -> bool:
    mode = extra.get("audio_mode", "native")
    if mode not in ("native", "lock_source"):
        raise WorkerError("MiniMax H3 audio_mode must be native or lock_source")
    if mode == "lock_source" and len(references.audios) != 1:
        raise WorkerError("MiniMax H3 lock_source requires exactly one driving audio")
    return bool(mode == "lock_source")


def _check_counts(task: str, references: References, locked: bool) -> None:
    images, videos = len(references.images), len(references.videos)
    audios = 0 if locked and task != "ref2va" else len(references.audios)
    if task == "t2va":
        if images or videos or audios:
            raise WorkerError("t2va does not accept image, video, or audio conditions")
        return
    if task == "fl2va":
        if not images or videos or audios:
            raise WorkerError("fl2va requires image conditions only")
        if images > 2:
            raise WorkerError("fl2va accepts at most first and last images")
        return
    if images + videos == 0:
        raise WorkerError("ref2va requires at least one image or video reference")
    for count, (kind, limit) in zip((images, videos, audios), MAX_COUNTS, strict=True):
        if count > limit:
            raise WorkerError(f"ref2va accepts at most {limit} {kind} references")
    if images + videos + audios > 12:
        raise WorkerError("ref2va accepts at most 12 total references")


def _check_image(image: Image.Image) -> None:
    width, height = image.size
    if not 0.4 <= width / height <= 2.5:
        raise WorkerError(f"reference image aspect ratio must be in [0.4, 2.5], got {width}x{height}")
    if min(width, height) < 256 or max(width, height) > 5760:
        raise WorkerError(f"reference image dimensions must be in [256, 5760] pixels, got {width}x{height}")


def _target(extra: Mapping[str, Any]) -> Mapping[str, Any]:
    target = extra.get("target")
    if target is not None and not isinstance(target, Mapping):
        raise WorkerError("MiniMax H3 extra_args['target'] must be an object")
    return target or {}


def _long_mode(extra: Mapping[str, Any], task: str) -> str:
    long_video = extra.get("long_video", False)
    if not isinstance(long_video, bool):
        raise WorkerError("MiniMax H3 long_video must be a boolean")
    mode = extra.get("long_video_mode", "continuation" if long_video and task == "ref2va" else "full")
    if mode not in ("full", "continuation"):
        raise WorkerError("MiniMax H3 long_video_mode must be full or continuation")
    if mode == "continuation" and task != "ref2va":
        raise WorkerError("MiniMax H3 continuation requires Ref2VA request execution (not step execution)")
    return str(mode)


def _max_seconds(extra: Mapping[str, Any], task: str) -> float:
    mode = _long_mode(extra, task)
    if not extra.get("long_video", False):
        return 15.0
    return 300.0 if mode == "continuation" else 30.0


def _frames(task: str, request: VideoGenerationRequest, extra: Mapping[str, Any]) -> int:
    """Frames at 24 a second, rounded up to the next 17n+5."""
    if int(request.rate) != FPS:
        raise WorkerError(f"MiniMax H3 output fps is fixed at {FPS}")
    target = _target(extra)
    longest = _max_seconds(extra, task)
    said = f"MiniMax H3 output duration must be in [4, {longest:g}] seconds, got "
    duration = target.get("duration_seconds", extra.get("duration_seconds", extra.get("duration")))
    if duration is not None:
        try:
            seconds = math.nan if isinstance(duration, bool) else float(duration)
        except (TypeError, ValueError) as error:
            raise WorkerError(f"{said}{duration!r}") from error
        if isinstance(duration, bool):
            raise WorkerError(f"{said}{duration!r}")
        if not 4.0 <= seconds <= longest:
            raise WorkerError(f"{said}{seconds}")
        wanted = round(seconds * FPS)
    elif (request.frames or 1) > 1:
        wanted = request.frames or 1
    else:
        wanted = 124 if task == "ref2va" else 209
    if not 4.0 <= wanted / FPS <= longest:
        raise WorkerError(f"{said}{wanted / FPS:.3f}")
    return wanted + (5 - wanted) % 17


def _ratio(task: str, value: Any, images: list[Image.Image]) -> float:
    if task == "fl2va":
        return images[0].width / images[0].height
    if value is None:
        if task == "t2va":
            raise WorkerError("t2va requires an explicit aspect_ratio")
        return RATIOS["16:9"]
    if isinstance(value, str):
        word = value.strip().lower()
        if word in ("adaptive", "auto"):
            if task == "t2va":
                raise WorkerError("t2va requires an explicit named aspect_ratio, not adaptive")
            return RATIOS["16:9"]
        return RATIOS[word] if word in RATIOS else _known_ratio(word, value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _known_ratio(value, value)
    raise WorkerError(f"MiniMax H3 aspect_ratio must be a string ratio, got {value!r}")


def _known_ratio(number: str | float, value: Any) -> float:
    """A ratio given as a number, which must be that of a named one."""
    refusal = f"MiniMax H3 aspect_ratio must be one of {', '.join(RATIOS)}, got {value!r}"
    try:
        ratio = float(number)
    except ValueError as error:
        raise WorkerError(refusal) from error
    if not any(abs(ratio - known) <= 1e-6 for known in RATIOS.values()):
        raise WorkerError(refusal)
    return ratio


def _canvas(
    task: str, request: VideoGenerationRequest, extra: Mapping[str, Any], images: list[Image.Image]
) -> tuple[int, int]:
    """Width and height in pixels, multiples of 32."""
    target = _target(extra)
    ratio = _ratio(task, target.get("aspect_ratio", extra.get("aspect_ratio")), images)
    edge = target.get("short_edge", extra.get("short_edge", SHORT_EDGE))
    if isinstance(edge, bool) or not isinstance(edge, int):
        raise WorkerError(f"MiniMax H3 target.short_edge must be {SHORT_EDGE}, got {edge!r}")
    asked = request.canvas
    if asked is None:
        if edge != SHORT_EDGE:
            raise WorkerError(f"MiniMax H3 target.short_edge must be {SHORT_EDGE}, got {edge}")
        return canvas_of(ratio)
    width, height = asked[0] // 32 * 32, asked[1] // 32 * 32
    if min(width, height) <= 0:
        raise WorkerError(f"invalid MiniMax H3 canvas {width}x{height}")
    if width > 4 * height or height > 4 * width:
        raise WorkerError("MiniMax H3 canvas aspect ratio must be in [1:4, 4:1]")
    return width, height


def canvas_of(ratio: float) -> tuple[int, int]:
    """The canvas of a ratio: short edge 768, area at most 768x1344, sides to the nearest multiple of 32."""
    width, height = max(ratio, 1.0) * SHORT_EDGE, max(1 / ratio, 1.0) * SHORT_EDGE
    if width * height > MAX_AREA:
        scale = math.sqrt(MAX_AREA / (width * height))
        width, height = width * scale, height * scale
    return max(32, round(width / 32) * 32), max(32, round(height / 32) * 32)


def _keyframes(extra: Mapping[str, Any], images: int) -> tuple[int, ...]:
    target = _target(extra)
    raw = extra.get("frame_indices", extra.get("frame_index"))
    if raw is None:
        raw = target.get("frame_indices", target.get("frame_index"))
    if raw is None:
        indices = [0] if images == 1 else [0, -1]
    elif isinstance(raw, int) and not isinstance(raw, bool):
        indices = [raw]
    elif not isinstance(raw, list):
        raise WorkerError("frame_indices must be an integer or a list of integers")
    elif not raw:
        raise WorkerError("frame_indices must not be empty")
    elif any(isinstance(item, bool) or not isinstance(item, int) for item in raw):
        raise WorkerError("frame_indices must contain only integers")
    else:
        indices = raw
    if len(indices) != images:
        raise WorkerError(f"MiniMax H3 FL2VA requires one frame index per image: got {indices!r} for {images} image(s)")
    if indices not in ([0], [-1], [0, -1]):
        raise WorkerError("MiniMax H3 FL2VA frame_indices must be [0], [-1], or [0, -1]")
    return tuple(indices)
