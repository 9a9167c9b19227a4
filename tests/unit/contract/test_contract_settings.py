"""Adapters that pin their sampling, long video's windows, and keys of `extra` that the server refuses."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from studio.contract import (
    Finding,
    Request,
    Severity,
    check,
    edits,
    extra_params,
    mend_all,
    mends,
    resolve,
    window_prompts,
)
from tests.helpers.shots import clip, picture, request

TURBO = "/loras/minimax_h3_fl2v_turbo_4step_v1.0_768p_bf16.safetensors"


def errors(of: Request) -> list[Finding]:
    return [f for f in check(of) if f.is_error]


def says(of: Request) -> list[str | None]:
    return [f.server_says for f in errors(of)]


def test_a_turbo_adapter_pins_steps_and_shifts_by_its_name() -> None:
    name = TURBO.rpartition("/")[2]
    of = request(task="t2va", lora={"name": "turbo", "path": TURBO})
    assert says(of) == [
        f"{name} is a 4-step artifact and requires num_inference_steps=4 "
        "(5 sigma points produce 4 denoiser evaluations)",
        f"{name} requires flow_shift=6",
    ]
    assert {f.message.text() for f in errors(of)} == {
        f"{name} was made for steps 4; the shot has 50. Set it to 4.",
        f"{name} was made for flow_shift 6; the shot has 12.0. Set it to 6.",
    }
    mended = mend_all(of)
    assert (mended.steps, mended.flow_shift, mended.audio_flow_shift) == (4, 6.0, 3.0)
    assert not errors(Request(mended, of.limits, of.facts))


@pytest.mark.parametrize(
    ("lora", "found"),
    [
        ({"name": "t", "path": TURBO.replace("_768p", "")}, ["lora.pins"]),
        ({"name": "t", "path": TURBO, "scale": 0}, []),
        ({"name": "t", "path": "/loras/other.safetensors"}, []),
        ({"name": "t", "path": TURBO.replace("fl2v", "ref2v")}, ["lora.task", "lora.pins", "lora.pins"]),
        ({"name": "t", "path": "/x", "lora_scale": "strong"}, ["lora.scale"]),
        ({"name": "t"}, ["lora.incomplete"]),
    ],
)
def test_other_adapters(lora: dict[str, Any], found: list[str]) -> None:
    assert [f.code for f in errors(request(task="t2va", lora=lora))] == found


@pytest.mark.parametrize(
    ("long_video", "sentence"),
    [
        (
            {"continuation_window_frames": 278},
            "MiniMax H3 continuation window must be an integer on the 17n+5 frame grid",
        ),
        (
            {"continuation_overlap_frames": 4},
            "MiniMax H3 continuation overlap must be an integer on the 17n+5 frame grid",
        ),
        (
            {"continuation_window_frames": 362},
            "MiniMax H3 continuation window must be 107..345 frames and exceed its overlap",
        ),
        (
            {"continuation_window_frames": 107, "continuation_overlap_frames": 107},
            "MiniMax H3 continuation window must be 107..345 frames and exceed its overlap",
        ),
        ({"continuation_prompts": ["one"]}, "continuation_prompts must contain exactly 2 non-empty strings"),
        ({"continuation_prompts": ["one", " "]}, "continuation_prompts must contain exactly 2 non-empty strings"),
        ({"long_video_mode": None}, "MiniMax H3 long_video_mode must be full or continuation"),
    ],
)
def test_windows_that_the_server_refuses(long_video: dict[str, Any], sentence: str) -> None:
    of = request(clip("v", 15.0), frames=362, long_video=long_video)
    assert says(of) == [sentence]
    assert "{" not in errors(of)[0].message.text()


def test_mentions_in_the_prompts_of_windows_are_those_of_the_cards() -> None:
    prompts = ["@{a} walks", "it meets @{b}"]
    of = request(clip("a", 5.0), clip("b", 5.0), frames=362, long_video={"continuation_prompts": prompts})
    assert extra_params(of)["continuation_prompts"] == ["<Video 1> walks", "it meets <Video 2>"]
    moved = replace(of, shot=edits.move(of.shot, "a", 1))
    assert extra_params(moved)["continuation_prompts"] == ["<Video 2> walks", "it meets <Video 1>"]
    assert "ref.unmentioned" not in {f.code for f in check(of)}
    aside = replace(of, shot=edits.set_aside(of.shot, "b"))
    (unsent,) = (f for f in check(aside) if f.code == "prompt.mention.unsent")
    mended = mends.apply(aside.shot, unsent.mends[0], aside)
    assert window_prompts(mended) == ("@{a} walks", "it meets ")
    assert window_prompts(edits.remove(of.shot, "a")) == (" walks", "it meets @{b}")
    odd = of.shot.but(long_video={"continuation_prompts": ["@{a}", 5]})
    assert extra_params(replace(of, shot=odd))["continuation_prompts"] == ["@{a}", 5]


def test_the_mode_alone_continues_within_one_pass() -> None:
    of = request(clip("v", 15.0), frames=362, extra={"long_video_mode": "continuation"})
    assert len(resolve(of).windows) == 2
    assert not errors(of)
    two = {"continuation_prompts": ["one", "two"]}
    assert not errors(request(clip("v", 15.0), frames=362, long_video=two))


REFUSED_KEYS: list[tuple[dict[str, Any], str]] = [
    ({"pad_seq_len": 1.5}, "MiniMax H3 pad_seq_len must be an integer"),
    ({"pad_seq_len": -64}, "MiniMax H3 pad_seq_len must be positive, got -64"),
    ({"pad_seq_len": 100}, "MiniMax H3 pad_seq_len must be a multiple of 64, got 100"),
    ({"pad_seq_len": 1 << 21}, f"MiniMax H3 pad_seq_len must be at most 1048576, got {1 << 21}"),
    ({"preencode_mp4": True, "preencode_batch_frames": 0}, "preencode_batch_frames must be a positive integer"),
    ({"video_codec_options": [1]}, "video_codec_options must be a JSON object of encoder option names to values"),
    ({"video_codec_options": {"crf": 16}}, "Argument 'value' has incorrect type (expected str, got int)"),
    ({"flow_shift": 0}, "MiniMax H3 shift_scale must be > 0"),
    ({"audio_mode": "loud"}, "MiniMax H3 audio_mode must be native or lock_source"),
    ({"start_time_seconds": 5.0}, "reference video 0 start_time_seconds is outside the source duration"),
    ({"start_time_seconds": [0, 0]}, "start_time_seconds must contain one value per reference video"),
    (
        {"start_time_seconds": 4.0},
        "reference video 0 must provide at least 2 seconds after start_time_seconds, got 1.000",
    ),
]


def test_an_offset_must_leave_enough_of_the_soundtrack() -> None:
    heard = (clip("v", 5.0, sound=5.0), clip("w", 5.0, sound=3.0))
    of = request(*heard, extra={"start_time_seconds": [0, 1.0]})
    assert says(of) == ["reference audio 1 duration must be in [2, 15] seconds, got 1.976"]
    assert not errors(request(*heard, extra={"start_time_seconds": [1.0, 0.5]}))


def test_what_an_offset_leaves_out_does_not_count_towards_the_seconds_in_total() -> None:
    clips = (clip("v", 10.0, sound=10.0), clip("w", 8.0, sound=8.0))
    assert "refs.videos.total" in [f.code for f in errors(request(*clips))]
    assert not errors(request(*clips, extra={"start_time_seconds": [0, 3.0]}))
    assert not errors(request(*clips, extra={"start_time_seconds": 2}))
    codes = [f.code for f in errors(request(*clips, extra={"start_time_seconds": [2.5, None]}))]
    assert codes == ["refs.videos.total", "refs.soundtracks.total"]


@pytest.mark.parametrize("extra", [{"duration": 5}, {"duration_seconds": 5}, {"target": {"duration_seconds": 5}}])
def test_a_duration_in_extra_goes_instead_of_the_shots_frames(extra: dict[str, object]) -> None:
    assert [f.code for f in errors(request(task="t2va", frames=90))] == ["output.frames.range"]
    assert not errors(request(task="t2va", frames=90, extra=extra))


def test_an_offset_for_clips_is_not_read_when_there_are_none() -> None:
    assert not errors(request(task="t2va", extra={"start_time_seconds": [0, 0]}))


@pytest.mark.parametrize(("extra", "sentence"), REFUSED_KEYS)
def test_a_refused_key_is_named_and_taken_out(extra: dict[str, Any], sentence: str) -> None:
    of = request(clip("v", 5.0), extra=extra)
    assert says(of) == [sentence]
    assert not errors(Request(mend_all(of), of.limits, of.facts))


@pytest.mark.parametrize(
    ("extra", "sentence"),
    [
        ({"force_refresh_step_hint": 51}, "between 1 and num_inference_steps (50), got 51"),
        ({"force_refresh_step_policy": "once"}, "requires force_refresh_step_hint"),
        ({"force_refresh_step_hint": 3, "force_refresh_step_policy": "never"}, "must be one of ['once', 'repeat']"),
    ],
)
def test_refresh_hints_are_looked_at_with_a_cache_alone(extra: dict[str, Any], sentence: str) -> None:
    assert sentence in (says(request(task="t2va", quality="high", extra=extra))[0] or "")
    assert not errors(request(task="t2va", extra=extra))


def test_keys_that_pass_and_keys_that_only_warn() -> None:
    fine = {"pad_seq_len": 128, "video_codec_options": {"crf": "16"}, "start_time_seconds": 1, "task": "REF2VA", "x": 1}
    assert [f for f in check(request(clip("v", 5.0), extra=fine)) if f.subject == "extra"] == []
    warned = check(request(picture("p"), extra={"seed": 1, "duration": 5}))
    assert {(f.code, f.severity) for f in warned if f.subject == "extra"} == {
        ("extra.ignored", Severity.WARNING),
        ("extra.overrides", Severity.WARNING),
    }


def test_another_task_among_the_extras_is_a_question_for_the_shot() -> None:
    of = request(picture("p"), extra={"task": "fl2va"})
    (found,) = errors(of)
    assert (found.code, found.server_says) == ("extra.other", None)
    assert mends.apply(of.shot, found.mends[0], of).extra == {}
