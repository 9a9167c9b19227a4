"""Lengths and canvases agree with the server in every recorded case.

Not expressible through the public face, and why:
- `num_frames` cases above 360 (and `precedence` cases with one): the studio never sends `num_frames`, it sends a
  duration, and 361 or 362 frames go as 15.0 s, which the server takes;
- `fps`: the studio never sends one, whatever a file says.
"""

from __future__ import annotations

from typing import Any

import pytest

from studio.contract import (
    Canvas,
    ContractError,
    audio_latents,
    ceil_rung,
    check,
    frames_for,
    latents,
    load_limits,
    mends,
    output_canvas,
    reference_image_canvas,
    reference_video_canvas,
    resolve,
    wire_form,
)
from studio.contract.canvas import canvas_for_ratio
from tests.helpers import shots
from tests.helpers.vectors import cases, kinds

LIMITS = load_limits()


def refusal(call: Any, *args: Any) -> str | None:
    try:
        call(*args)
    except ContractError as error:
        return error.server_says
    return None


def given(case: dict[str, Any]) -> Any:
    value = case["duration"]
    return float(value) if case.get("py_type") == "float" else value  # nan and inf are written as text


@pytest.mark.parametrize("case", cases("duration_frames", "duration", "duration_type"))
def test_a_duration_becomes_the_rung_that_the_server_renders(case: dict[str, Any]) -> None:
    if not case["ok"]:
        assert refusal(frames_for, given(case), LIMITS) == case["error"]
        return
    frames = frames_for(given(case), LIMITS)
    assert (frames, latents(frames), audio_latents(frames)) == (
        case["frames"],
        case["video_latent_t"],
        case["audio_latent_t"],
    )


@pytest.mark.parametrize(
    "case", [c for c in cases("duration_frames", "num_frames") if c.values[0]["num_frames"] <= 360]
)
def test_a_number_of_frames_is_mended_to_the_servers_rung(case: dict[str, Any]) -> None:
    request = shots.request(task="t2va", frames=case["num_frames"], follow=frozenset())
    if case["ok"]:
        assert ceil_rung(case["num_frames"]) == case["frames"]
        for finding in check(request):
            assert finding.code == "output.frames.off_grid"
            assert mends.apply(request.shot, finding.mends[0], request).frames == case["frames"]
    elif case["num_frames"] < 96:
        assert case["error"] in [f.server_says for f in check(request)]


@pytest.mark.parametrize("case", cases("duration_frames", "long_video"))
def test_long_video_changes_the_longest_length(case: dict[str, Any]) -> None:
    request = shots.request(task=case["task"], extra=case["extra_params"])
    if case["ok"]:
        assert resolve(request).frames == case["frames"]
    else:
        assert refusal(resolve, request) == case["error"]


@pytest.mark.parametrize(
    "case",
    [c for c in cases("duration_frames", "precedence", "default") if c.values[0].get("num_frames") in (None, 0, 1)],
)
def test_keys_win_over_each_other_as_on_the_server(case: dict[str, Any]) -> None:
    extra = case.get("extra_params", {"duration": None})
    request = shots.request(task=case.get("task", "t2va"), extra=extra)
    if case.get("task") == "fl2va":
        request = shots.request(shots.picture("a", role="first"), task="fl2va", extra=extra)
    if case["ok"]:
        assert resolve(request).frames == case["frames"]
    else:
        assert refusal(resolve, request) == case["error"]


@pytest.mark.parametrize("case", cases("duration_frames", "fps"))
def test_no_frame_rate_ever_leaves_the_studio(case: dict[str, Any]) -> None:
    request = shots.request(task="t2va", fps=case["fps"])
    assert "fps" not in dict(wire_form(request).fields)
    assert any(f.code == "fps.fixed" for f in check(request)) == (case["fps"] not in (None, 24))


def test_no_kind_of_duration_case_is_left_out() -> None:
    tested = {"duration", "duration_type", "num_frames", "long_video", "precedence", "default", "fps"}
    assert kinds("duration_frames") == tested


def canvas_of(case: dict[str, Any]) -> Any:
    if case["kind"] == "canvas_fn":
        return canvas_for_ratio(float(case["ratio"]) if isinstance(case["ratio"], str) else case["ratio"])
    first = tuple(case["first_image"]) if "first_image" in case else None
    if not {"short_edge", "target"} & set(case):
        return output_canvas(
            case["task"], case.get("aspect_ratio"), case.get("request_width"), case.get("request_height"), first
        )
    extra = {k: case[k] for k in ("short_edge", "target") if k in case}
    size = (case.get("request_width"), case.get("request_height"))
    canvas = Canvas(width=size[0], height=size[1]) if all(size) else Canvas(aspect=case.get("aspect_ratio", "16:9"))
    tray = [shots.picture("a", first, role="first")] if first else []
    return resolve(shots.request(*tray, task=case["task"], canvas=canvas, extra=extra))


@pytest.mark.parametrize("case", cases("canvas"))
def test_the_output_canvas(case: dict[str, Any]) -> None:
    if case["ok"]:
        size = canvas_of(case)
        assert (size.width, size.height) == (case["width"], case["height"])
    else:
        assert refusal(canvas_of, case) == case["error"]


def test_a_picture_that_only_the_request_refuses() -> None:
    """The canvas function takes 1000 × 399, the request does not: `live_error` of that case."""
    said = [c.values[0]["live_error"] for c in cases("canvas") if "live_error" in c.values[0]]
    request = shots.request(shots.picture("a", (1000, 399), role="first"), task="fl2va")
    assert set(said) == {f.server_says for f in check(request) if f.is_error}


@pytest.mark.parametrize("case", cases("reference_image_shape"))
def test_a_reference_pictures_canvas(case: dict[str, Any]) -> None:
    size = (case["width"], case["height"])
    if case["ok"]:
        canvas = reference_image_canvas(*size)
        assert (canvas.width, canvas.height) == (case["prepared_width"], case["prepared_height"])
    else:
        assert refusal(reference_image_canvas, *size) == case["error"]


@pytest.mark.parametrize("case", cases("reference_video", "size", "output_bound"))
def test_a_reference_clips_canvas(case: dict[str, Any]) -> None:
    size = (case["width"], case["height"])
    if case["ok"]:
        canvas = reference_video_canvas(*size)
        assert (canvas.width, canvas.height) == (case["prepared"][0]["width"], case["prepared"][0]["height"])
    else:
        assert refusal(reference_video_canvas, *size) == case["error"]


@pytest.mark.parametrize("case", [c for c in cases("reference_video", "real_file") if c.values[0]["ok"]])
def test_the_canvas_of_clips_that_were_really_read(case: dict[str, Any]) -> None:
    canvas = reference_video_canvas(case["probe"]["width"], case["probe"]["height"])
    assert (canvas.width, canvas.height) == (case["prepared_width"], case["prepared_height"])
