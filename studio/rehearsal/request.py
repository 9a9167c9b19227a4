"""The form of `POST /v1/videos` and the request model behind it: two layers, each with a 400 style of its own.

Names, order, bounds and defaults are those of vllm-omni 0.30.0 (video/generation/helpers.py, protocol/videos.py).
"""

from __future__ import annotations

import json
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, ValidationError, field_validator
from starlette.datastructures import FormData, UploadFile

from studio.rehearsal.answers import Refused, bad_request, layer_refusal, model_refusal

INT64_MIN, INT64_MAX = -(2**63), 2**63 - 1
QUALITIES = ("lossless", "high")
DEFAULT_FPS = 24.0


def _upload(value: Any) -> UploadFile:
    if not isinstance(value, UploadFile):
        raise ValueError(f"Expected UploadFile, received: {type(value)}")
    return value


Upload = Annotated[Any, AfterValidator(_upload)]
Seconds = Annotated[str, StringConstraints(pattern=r"^[1-9]\d*$")]
Size = Annotated[str, StringConstraints(pattern=r"^\d+x\d+$")]


class VideoForm(BaseModel):
    """The form as the framework reads it. Only what is bounded here is refused with `param: body.<field>`."""

    prompt: str
    input_reference: Upload = None
    input_references: list[Upload] = []
    control_reference: Upload = None
    control_type: str | None = None
    image_reference: str | None = None
    video_reference: str | None = None
    audio_reference: str | None = None
    model: str | None = None
    seconds: Seconds | None = None
    size: Size | None = None
    user: str | None = None
    width: int | None = None
    height: int | None = None
    num_frames: int | None = None
    fps: float | None = Field(None, ge=1, allow_inf_nan=False)
    aspect_ratio: str | None = None
    short_edge: int | None = Field(None, ge=1)
    num_outputs_per_prompt: int = Field(1, ge=1, le=10)
    start_time_seconds: float | None = Field(None, ge=0)
    quality: str | None = None
    num_inference_steps: int | None = None
    guidance_scale: float | None = None
    guidance_scale_2: float | None = None
    boundary_ratio: float | None = None
    flow_shift: float | None = None
    true_cfg_scale: float | None = None
    seed: int | None = None
    generate_sound: bool | None = None
    sound_duration: float | None = Field(None, gt=0)
    negative_prompt: str | None = None
    enable_frame_interpolation: bool | None = None
    frame_interpolation_exp: int | None = Field(None, ge=1)
    frame_interpolation_scale: float | None = Field(None, gt=0)
    frame_interpolation_model_path: str | None = None
    lora: str | None = None
    extra_params: str | None = None
    return_stage_metrics: bool | None = None
    source_video: Upload = None
    source_audio: Upload = None
    video_noise_mask: Upload = None
    audio_noise_mask: Upload = None


FILE_FIELDS = frozenset(
    ("input_reference", "control_reference", "source_video", "source_audio", "video_noise_mask", "audio_noise_mask")
)


class _Reference(BaseModel):
    model_config = ConfigDict(extra="forbid")


class UrlImageReference(_Reference):
    """`{"image_url": …}`."""

    image_url: str


class FileImageReference(_Reference):
    """`{"file_id": …}`: parsed, never supported."""

    file_id: str


class UrlVideoReference(_Reference):
    """`{"video_url": …}`."""

    video_url: str


class FileVideoReference(_Reference):
    """`{"file_id": …}`: parsed, never supported."""

    file_id: str


class UrlAudioReference(_Reference):
    """`{"audio_url": …}`."""

    audio_url: str


ImageReference = UrlImageReference | FileImageReference
VideoReference = UrlVideoReference | FileVideoReference


class VideoGenerationRequest(BaseModel):
    """What a job is made from. Refusals of this layer carry pydantic's own text."""

    model: str | None = None
    prompt: str
    seconds: Seconds | None = None
    size: Size | None = None
    image_reference: ImageReference | list[ImageReference] | None = None
    video_reference: VideoReference | list[VideoReference] | None = None
    audio_reference: UrlAudioReference | list[UrlAudioReference] | None = None
    user: str | None = None
    width: int | None = Field(None, ge=1, le=INT64_MAX)
    height: int | None = Field(None, ge=1, le=INT64_MAX)
    fps: float | None = Field(None, ge=1, le=INT64_MAX, allow_inf_nan=False)
    num_frames: int | None = Field(None, ge=1, le=INT64_MAX)
    aspect_ratio: str | None = None
    short_edge: int | None = Field(None, ge=1, le=INT64_MAX)
    num_outputs_per_prompt: int = Field(1, ge=1, le=10)
    start_time_seconds: float | None = Field(None, ge=0)
    quality: str | None = None
    negative_prompt: str | None = None
    num_inference_steps: int | None = Field(None, ge=1, le=200)
    guidance_scale: float | None = Field(None, ge=0, le=20)
    guidance_scale_2: float | None = Field(None, ge=0, le=20)
    boundary_ratio: float | None = Field(None, ge=0, le=1)
    flow_shift: float | None = None
    true_cfg_scale: float | None = Field(None, ge=0, le=20)
    seed: int | None = Field(None, ge=INT64_MIN, le=INT64_MAX)
    generate_sound: bool = False
    sound_duration: float | None = Field(None, gt=0)
    enable_frame_interpolation: bool = False
    frame_interpolation_exp: int = Field(1, ge=1, le=INT64_MAX)
    frame_interpolation_scale: float = Field(1.0, gt=0)
    frame_interpolation_model_path: str | None = None
    lora: dict[str, Any] | None = None
    extra_params: dict[str, Any] | None = None
    return_stage_metrics: bool | None = None

    @field_validator("quality")
    @classmethod
    def _known_quality(cls, value: str | None) -> str | None:
        if value is not None and value not in QUALITIES:
            raise ValueError(f"quality must be one of {list(QUALITIES)}, got {value!r}")
        return value

    @property
    def rate(self) -> float:
        """Frames a second as the job record shows them."""
        return self.fps if self.fps is not None else DEFAULT_FPS

    @property
    def frames(self) -> int | None:
        """Frames asked for: `num_frames`, else whole seconds times the rate."""
        if self.num_frames is None and self.seconds is not None:
            return int(float(self.seconds) * self.rate)
        return self.num_frames

    @property
    def canvas(self) -> tuple[int, int] | None:
        """Width and height in pixels, from `size` or both sides; a lone side is ignored."""
        if self.size:
            width, height = map(int, self.size.split("x"))
            return width, height
        return (self.width, self.height) if self.width is not None and self.height is not None else None


def read_form(form: FormData) -> VideoForm:
    """Read the form: empty text counts as absent, the last of repeated scalars wins, unknown fields are ignored."""
    values: dict[str, Any] = {}
    for name in VideoForm.model_fields:
        if name == "input_references":
            values[name] = form.getlist(name)
        elif (value := form.get(name)) not in (None, ""):
            values[name] = value
    try:
        return VideoForm.model_validate(values)
    except ValidationError as error:
        raise layer_refusal(error.errors(include_url=False), "body") from error


def _json_field(text: str | None, wanted: type | None = None) -> Any:
    if text is None:
        return None
    try:
        value = json.loads(text)
    except ValueError as error:
        raise bad_request("Invalid JSON in form field.") from error
    except RecursionError as error:  # the real server does not foresee it either
        raise Refused(500, str(error), kind="InternalServerError") from error
    if wanted is not None and not isinstance(value, wanted):
        found = type(value).__name__
        raise bad_request(f"Invalid JSON in form field: expected {wanted.__name__}, got {found}.")
    return value


def build_request(form: VideoForm) -> VideoGenerationRequest:
    """The request model from the form, after the checks on what excludes what."""
    image, video = _json_field(form.image_reference), _json_field(form.video_reference)
    audio = _json_field(form.audio_reference)
    single = form.input_reference
    if form.input_references and any(item is not None for item in (image, video, single)):
        raise bad_request(
            "Provide input_references alone, without input_reference, image_reference, or video_reference."
        )
    if single is not None and (image is not None or video is not None):
        raise bad_request(
            "Provide only one of input_reference, image_reference, or video_reference when using input_reference; "
            "image_reference and video_reference may be combined."
        )
    values = form.model_dump(exclude_none=True, exclude={"input_references", *FILE_FIELDS})
    values |= {"image_reference": image, "video_reference": video, "audio_reference": audio}
    values |= {"lora": _json_field(form.lora, dict), "extra_params": _json_field(form.extra_params, dict)}
    known = {k: v for k, v in values.items() if v is not None and k in VideoGenerationRequest.model_fields}
    try:
        request = VideoGenerationRequest(**known)
    except ValidationError as error:
        raise model_refusal(error) from error
    if request.size and 0 in map(int, request.size.split("x")):
        message = f"Invalid size: {request.size}. Width and height must be positive integers."
        raise Refused(400, message, kind="BadRequestError")
    return request
