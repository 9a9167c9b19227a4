"""The rehearsal server's own statement of the rules against what the real server was seen to answer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from PIL import Image
from starlette.datastructures import FormData

from studio.rehearsal.answers import Refused
from studio.rehearsal.request import VideoGenerationRequest, build_request, read_form
from studio.rehearsal.rules import Plan, resolve
from studio.rehearsal.uploads import References
from studio.rehearsal.worker import WorkerError

VECTORS = Path(__file__).parents[2] / "data" / "vectors"


def _cases(name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((VECTORS / f"{name}.json").read_text("utf-8"))["cases"]
    return found


def _images(task: str, first: Any = None) -> References:
    return References(images=[] if task == "t2va" else [Image.new("RGB", tuple(first or (1344, 768)))])


def _answer(task: str, first: Any, extra: dict[str, Any], **fields: Any) -> Plan | str:
    """The plan, or the sentence of the refusal."""
    request = VideoGenerationRequest(prompt="a red kite", extra_params={"task": task, **extra}, **fields)
    try:
        return resolve(request, _images(task, first), seed=1)
    except WorkerError as error:
        return error.message


def test_frames_agree_with_every_recorded_duration() -> None:
    seen, wrong = 0, []
    for case in _cases("duration_frames"):
        if case.get("fps") == 0 or (case.get("num_frames") is not None and case["num_frames"] < 1):
            continue  # never reaches the model: the form refuses it
        extra = {"aspect_ratio": "16:9", **case.get("extra_params", {})}
        if case["kind"] in ("duration", "duration_type"):
            # Non-finite numbers stand as text in the file.
            value = case["duration"]
            extra["duration"] = float(value) if case.get("py_type") == "float" else value
        if case["kind"] == "fps":
            extra["duration"] = 5
        fields = {key: case[key] for key in ("num_frames", "fps") if case.get(key) is not None}
        answer = _answer(case.get("task", "t2va"), None, extra, **fields)
        seen += 1
        if (answer.frames if isinstance(answer, Plan) else answer) != case.get("frames", case.get("error")):
            wrong.append((case, answer))
    assert not wrong
    assert seen > 450


def test_canvas_agrees_with_every_recorded_request() -> None:
    seen, wrong = 0, []
    for case in _cases("canvas"):
        if "task" not in case or case["kind"] == "no_image":
            continue
        keys = ("aspect_ratio", "short_edge", "target")
        extra = {"duration": 5} | {key: case[key] for key in keys if key in case}
        sides = {"width": case.get("request_width"), "height": case.get("request_height")}
        fields = {key: value for key, value in sides.items() if value is not None}
        if any(value < 1 for value in fields.values()):
            continue  # never reaches the model: the form refuses it
        answer = _answer(case["task"], case.get("first_image"), extra, **fields)
        wanted = case.get("live_error") or case.get("error") or (case["width"], case["height"])
        seen += 1
        if ((answer.width, answer.height) if isinstance(answer, Plan) else answer) != wanted:
            wrong.append((case, answer))
    assert not wrong
    assert seen > 150


def test_forms_are_refused_at_post_or_late_as_recorded() -> None:
    for case in _cases("request_resolution"):
        fields = case["fields"]
        texts = {k: json.dumps(v) if isinstance(v, dict) else str(v) for k, v in fields.items()}
        when, plan = "done", None
        try:
            request = build_request(read_form(FormData({"prompt": "a red kite", **texts})))
            task = str((request.extra_params or {}).get("task", "t2va")).lower()
            plan = resolve(request, _images(task), seed=1)
        except Refused:
            when = "post"
        except WorkerError as error:
            when = "late"
            assert error.message == case["error"], fields
        assert when == case.get("live_when", "done"), fields
        if plan is not None:
            assert (plan.width, plan.height, plan.frames) == (case["width"], case["height"], case["frames"]), fields


def test_reference_counts_are_refused_in_the_recorded_words() -> None:
    picture = Image.new("RGB", (300, 300))
    wrong = []
    for case in (case for case in _cases("reference_sets") if case["kind"] == "counts"):
        lone = Path("none.mp4")
        references = References([picture] * case["images"], [lone] * case["videos"], [lone] * case["audios"])
        request = VideoGenerationRequest(prompt="p", extra_params={"task": "ref2va"})
        try:
            resolve(request, references, seed=1)
            said = ""
        except WorkerError as error:
            # Counts are checked before files are looked at, and these files do not exist.
            said = "" if "ffprobe" in error.message else error.message
        if said != case.get("error", ""):
            wrong.append((case, said))
    assert not wrong
