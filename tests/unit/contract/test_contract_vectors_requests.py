"""Reference sets, rows and resolved requests agree with the server in every recorded case.

Not expressible through the public face, and why:
- `auto_task`: the studio always names the task;
- `real_audio_file`, and the `fps`, `r_frame_rate`, `container`, `video_codec`, `audio_codec` and `file_size` cases of
  reference_video.json: they judge a source as it is, the rules judge the prepared upload, which is always MP4, H.264,
  AAC or WAV at 24 fps;
- lengths off the 24 fps grid (7.505 s): what is sent is a whole number of frames, so the server's 0.01 s of slack has
  no counterpart; a `start_time_seconds` list of the wrong length cannot be written;
- tasks and audio modes that a shot's type does not hold ("r2va", "other").
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from studio.contract import (
    Canvas,
    CanvasSize,
    Request,
    Rows,
    check,
    frames_for,
    label_order,
    load_limits,
    parse_shot,
    resolve,
    rows,
    wire_form,
)
from studio.contract.rows import clip_rows, image_rows, keyframe_rows, sound_rows, video_rows
from studio.contract.windows import continuation_windows
from tests.helpers import shots
from tests.helpers.vectors import cases, kinds

LIMITS = load_limits()


def refusals(request: Request) -> list[str | None]:
    return [f.server_says for f in check(request) if f.is_error]


def agrees(request: Request, case: dict[str, Any]) -> None:
    found = refusals(request)
    if case["ok"]:
        assert found == []
    else:
        assert case["error"] in found


@pytest.mark.parametrize("case", cases("reference_sets", "counts"))
def test_counts(case: dict[str, Any]) -> None:
    tray = [
        *(shots.picture(f"p{i}") for i in range(case["images"])),
        *(shots.clip(f"v{i}", 2.0) for i in range(case["videos"])),
        *(shots.sound(f"a{i}", 2.0) for i in range(case["audios"])),
    ]
    agrees(shots.request(*tray, frames=107), case)


def on_grid(case: dict[str, Any]) -> bool:
    return all((d * 24).is_integer() for d in map(float, case["video_durations"]))


def starts(case: dict[str, Any]) -> list[float]:
    start, count = case.get("start_time_seconds", 0), len(case["video_durations"])
    return start if isinstance(start, list) else [start] * count


def expressible(case: dict[str, Any]) -> bool:
    known = case["task"] in ("t2va", "fl2va", "ref2va") and case.get("audio_mode") != "other"
    return known and on_grid(case) and len(starts(case)) == len(case["video_durations"])


def picture_size(case: dict[str, Any]) -> tuple[int, int]:
    error = case.get("error", "")
    return (200, 200) if "200x200" in error else (3000, 1000) if "3000x1000" in error else (1024, 1024)


def set_request(case: dict[str, Any]) -> Request:
    task, lock = case["task"], case.get("audio_mode") == "lock_source"
    heard = case["video_has_soundtrack"]
    heard = heard if isinstance(heard, list) else [heard] * len(case["video_durations"])
    roles = ["first", "last", "last"] if task == "fl2va" else ["reference"] * 12
    indices = case.get("extra_params", {})
    tray = [
        *(shots.picture(f"p{i}", picture_size(case), role=roles[i]) for i in range(case["images"])),
        *(
            shots.clip(f"v{i}", float(d), sound=float(d) if heard[i] else None, start=starts(case)[i])
            for i, d in enumerate(case["video_durations"])
        ),
        *(
            shots.sound(f"a{i}", float(d), role="driving" if lock else "reference")
            for i, d in enumerate(case["audio_durations"])
        ),
    ]
    return shots.request(
        *tray,
        task=task,
        frames=frames_for(case["output_duration"], LIMITS),
        audio_mode=case.get("audio_mode", "native"),
        extra=indices,
        follow=frozenset(),
    )


SETS = [c for c in cases("reference_sets", "set") if expressible(c.values[0])]


def takes_all(request: Request) -> bool:
    return len(request.shot.sent()) == len(request.shot.references)


@pytest.mark.parametrize("case", SETS)
def test_sets(case: dict[str, Any]) -> None:
    request = set_request(case)
    if case["ok"]:
        assert refusals(request) == []
        assert list(label_order(request)) == case["labels"]
        assert resolve(request).frames == case["output_frames"]
    elif not takes_all(request):
        # What the mode does not take waits in the tray, so the server never sees it.
        waiting = {f.subject for f in check(request) if f.code == "ref.other_task"}
        assert waiting == {r.id for r in request.shot.references} - {r.id for r in request.shot.sent()}
    elif "start_time_seconds" in case["error"]:
        assert {f.code for f in check(request)} >= {"ref.video.too_short"}  # trimmed here, so judged as a short clip
    else:
        assert case["error"] in refusals(request)


def test_the_tested_sets_are_nearly_all() -> None:
    every = cases("reference_sets", "set")
    left = [c.values[0] for c in every if not expressible(c.values[0])]
    assert len(left) == 17 < len(every) - len(left)
    assert kinds("reference_sets") == {"counts", "set", "auto_task", "real_audio_file"}


def trimmable(case: dict[str, Any]) -> bool:
    """Whether a trim says the same. It is to whole frames: of 1.999 s it makes 48, and so the 2 s that they need."""
    start = case.get("start_time_seconds") or 0
    if isinstance(start, list) or start < 0 or not (case["duration"] * 24).is_integer():
        return False
    left = case["duration"] - start
    return (left >= 2) == (round(left * 24) >= 48)


@pytest.mark.parametrize(
    "case", [c for c in cases("reference_video", "duration", "start_time") if trimmable(c.values[0])]
)
def test_a_clips_length(case: dict[str, Any]) -> None:
    request = shots.request(
        shots.clip("v", case["duration"], sound=case["duration"], start=case.get("start_time_seconds") or 0), frames=362
    )
    found = refusals(request)
    assert case["ok"] == (found == [])
    if not case["ok"] and "start_time" not in case["error"]:
        assert case["error"] in found


@pytest.mark.parametrize("case", cases("tokens", "output"))
def test_output_rows(case: dict[str, Any]) -> None:
    canvas = Canvas(width=case["width"], height=case["height"])
    found = rows(shots.request(task="t2va", canvas=canvas, frames=case["frames"], prompt="x" * 400))
    assert (found.output_video, found.output_audio) == (case["video_tokens"], case["audio_tokens"])
    assert (found.text, found.total, found.padded) == (case["text_tokens"], case["used_rows"], case["padded_rows"])


@pytest.mark.parametrize("case", cases("tokens", "reference_image"))
def test_picture_rows(case: dict[str, Any]) -> None:
    item = shots.picture("p", (case["width"], case["height"]))
    (own,) = rows(shots.request(item)).per_reference
    assert own == image_rows("p", case["width"], case["height"])
    assert own.visual == case["dit_visual_tokens"]
    assert own.visual + own.vision == case["total_added_rows_excl_label"]


@pytest.mark.parametrize("case", cases("tokens", "fl2va_keyframes"))
def test_keyframe_rows(case: dict[str, Any]) -> None:
    roles = {(0,): ["first"], (-1,): ["last"], (0, -1): ["first", "last"]}[tuple(case["frame_indices"])]
    size = (case["width"], case["height"])
    tray = [shots.picture(role, size, role=role) for role in roles]
    request = shots.request(*tray, task="fl2va", canvas=Canvas(width=size[0], height=size[1]), frames=case["frames"])
    found = rows(request).per_reference
    assert sum(r.visual for r in found) == case["added_dit_rows"]
    assert [r.vision - 2 for r in found] == [case["qwen_image_tokens_each"]] * len(roles)
    assert found[0] == keyframe_rows(roles[0], CanvasSize(*size))


@pytest.mark.parametrize("case", cases("tokens", "reference_video"))
def test_clip_rows(case: dict[str, Any]) -> None:
    seconds = round(case["seconds"] * 24) / 24
    item = shots.clip("v", seconds, (case["width"], case["height"]), sound=seconds)
    (own,) = rows(shots.request(item, frames=case["output_frames"])).per_reference
    assert (own.visual, own.sound, own.frames_used) == (
        case["dit_visual_tokens"],
        case["soundtrack_tokens"],
        case["vae_frames_used"],
    )
    assert own.total - own.text == case["total_added_rows_excl_text"]
    size, frames = (case["width"], case["height"]), round(seconds * 24)
    assert own == clip_rows("v", *size, frames, seconds, case["output_frames"], labels=2)


@pytest.mark.parametrize("case", cases("tokens", "reference_audio"))
def test_sound_rows(case: dict[str, Any]) -> None:
    request = shots.request(shots.picture("p"), shots.sound("a", float(case["seconds"])), frames=case["output_frames"])
    own = rows(request).per_reference[1]
    assert own == sound_rows("a", case["seconds"], case["output_frames"])
    assert own.sound == case["dit_audio_tokens"]


@pytest.mark.parametrize("case", cases("tokens", "continuation_windows"))
def test_continuation_windows(case: dict[str, Any]) -> None:
    windows = continuation_windows(case["total_frames"], case["window_frames"], case["overlap_frames"])
    assert (len(windows), list(windows[0]), list(windows[-1])) == (case["count"], case["first"], case["last"])
    assert sum(end - start for start, end in windows) == case["denoised_frames"]


@pytest.mark.parametrize("case", cases("tokens", "sigmas"))
def test_as_many_evaluations_as_steps(case: dict[str, Any]) -> None:
    resolved = resolve(shots.request(task="t2va", steps=case["num_inference_steps"]))
    assert resolved.steps * len(resolved.windows) == case["denoiser_evaluations"]


def test_rows_without_a_request() -> None:
    assert Rows(video_rows(1344, 768, 124), 414, 100, ()).padded == 37824


# What a shot has no place for: the studio sends a decimal duration instead of `seconds`, `num_frames` and `size`.
_NO_FIELD = {"fps", "num_outputs_per_prompt", "guidance_scale", "negative_prompt", "generate_sound", "sound_duration"}
_NO_FIELD |= {"start_time_seconds", "video_params", "num_frames"}


def resolution_request(fields: dict[str, Any]) -> Request:
    # Here `seconds` becomes what the server makes of it: a duration, or none and so its default length.
    seconds = float(fields["seconds"]) if "seconds" in fields else None
    short_edge = {"short_edge": fields["short_edge"]} if "short_edge" in fields else {}
    extra = {"duration": seconds, **short_edge, **fields.get("extra_params", {})}
    size = fields.get("size")
    width, height = map(int, size.lower().split("x")) if size else (fields.get("width"), fields.get("height"))
    explicit = width is not None and height is not None
    shot: dict[str, Any] = {
        "prompt": "a red kite",
        "task": extra.get("task", "t2va"),
        "canvas": {"width": width, "height": height} if explicit else {"aspect": fields.get("aspect_ratio", "16:9")},
        "extra": extra,
    }
    names = {"seed": "seed", "num_inference_steps": "steps", "quality": "quality", "flow_shift": "flow_shift"}
    shot |= {ours: fields[theirs] for theirs, ours in names.items() if theirs in fields}
    tray = [shots.picture("p", (1920, 1080), role="first")] if shot["task"] == "fl2va" else []
    tray += [shots.picture("p")] if shot["task"] == "ref2va" else []
    shot["references"] = [i.reference.model_dump(mode="json") for i in tray]
    return Request(parse_shot(json.dumps(shot).encode(), None), LIMITS, {i.reference.id: i.facts for i in tray})


def told_apart(case: dict[str, Any]) -> bool:
    """Whether a shot can hold the case: a lone or zero width and an unnamed t2va ratio are no shots at all."""
    fields = case["fields"]
    lone = ("width" in fields) != ("height" in fields)
    unnamed = "ratio" in case.get("error", "") and "aspect_ratio" not in fields and not fields.get("extra_params")
    form = case.get("error", "").startswith(("seconds:", "size:", "width:", "short_edge:", "Invalid size:"))
    return not (set(fields) & _NO_FIELD or lone or unnamed or form)


RESOLUTIONS = [c for c in cases("request_resolution") if told_apart(c.values[0])]


@pytest.mark.parametrize("case", RESOLUTIONS)
def test_a_request_comes_to_what_the_server_makes_of_it(case: dict[str, Any]) -> None:
    if case["ok"]:
        request = resolution_request(case["fields"])
        found = resolve(request)
        assert (found.width, found.height, found.frames) == (case["width"], case["height"], case["frames"])
        sent = dict(wire_form(request).fields)
        for name in ("seed", "num_inference_steps"):
            assert case[name] in (None, int(sent[name]))
        return
    assert case["error"] in refusals(resolution_request(case["fields"]))


def test_most_resolutions_can_be_expressed() -> None:
    assert len(RESOLUTIONS) > len(cases("request_resolution")) // 2
