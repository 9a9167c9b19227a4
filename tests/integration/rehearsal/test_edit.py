"""Latent-mask editing on the rehearsal server: what it refuses, in the words of vllm-omni 0.30.0 (asked there)."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.integration.rehearsal.conftest import SMALL, Server, make_clip, part

T2VA = {
    "prompt": "x",
    "extra_params": json.dumps({"task": "t2va", "duration": 107 / 24}),
    "aspect_ratio": "1:1",
    **SMALL,
}
NAMES = {
    "source_video": "source.mp4",
    "source_audio": "source.wav",
    "video_noise_mask": "mask.json",
    "audio_noise_mask": "mask.json",
}
Parts = dict[str, bytes]


@pytest.fixture(scope="module")
def media(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """A clip with sound and one without, by name."""
    folder = tmp_path_factory.mktemp("media")
    heard, silent = make_clip(folder / "heard.mp4"), make_clip(folder / "silent.mp4", sound=False)
    return {"heard": heard.read_bytes(), "silent": silent.read_bytes()}


def said(server: Server, parts: dict[str, Any], **fields: str) -> tuple[str, str]:
    """When a form was refused ("at once", "later" or "never") and with what sentence."""
    files = [
        (field, (NAMES[field], data if isinstance(data, bytes) else json.dumps(data).encode()))
        for field, data in parts.items()
    ]
    answer = server.post(files, **{**T2VA, **fields})
    if answer.status_code != 200:
        return "at once", answer.json()["error"]["message"]
    record = server.ended(answer.json()["id"])
    return ("later", record["error"]["message"]) if record["status"] == "failed" else ("never", "")


SHAPES = "MiniMax H3 video_noise_mask shape must be scalar, (2048,), (32, 8, 8), or (32, 16, 16); got "


@pytest.mark.parametrize(
    ("parts", "when", "sentence"),
    [
        ({"source_video": "heard"}, "at once", "Latent-mask editing requires at least one of video_noise_mask or"),
        ({"source_video": "heard", "source_audio": b"x", "video_noise_mask": 0}, "at once", "source_audio requires an"),
        ({"source_video": b"", "video_noise_mask": 0}, "at once", "source_video must not be empty."),
        ({"video_noise_mask": b""}, "at once", "video_noise_mask JSON file must not be empty."),
        ({"video_noise_mask": b"null"}, "at once", "video_noise_mask JSON file must contain a mask value."),
        ({"video_noise_mask": b"\xff"}, "at once", "video_noise_mask JSON file must be UTF-8 encoded."),
        ({"video_noise_mask": b"[0,"}, "at once", "Invalid JSON in form field."),
        ({"video_noise_mask": b"[" * 65 + b"0" + b"]" * 65}, "at once", "video_noise_mask contains invalid JSON or is"),
        ({"video_noise_mask": b"0" + b" " * (8 << 20)}, "at once", "video_noise_mask JSON exceeds the 8 MiB limit."),
        ({"video_noise_mask": 0}, "later", "MiniMax H3 video_noise_mask requires source_video"),
        ({"audio_noise_mask": 0}, "later", "MiniMax H3 audio_noise_mask requires source_audio or source_video"),
        ({"video_noise_mask": 1}, "never", ""),
        (
            {"source_video": "heard", "video_noise_mask": True},
            "later",
            "MiniMax H3 video_noise_mask must not contain",
        ),
        (
            {"source_video": "heard", "video_noise_mask": "0"},
            "later",
            "MiniMax H3 video_noise_mask must be a finite",
        ),
        (
            {"source_video": "heard", "video_noise_mask": []},
            "later",
            "MiniMax H3 video_noise_mask must be non-empty",
        ),
        (
            {"source_video": "heard", "video_noise_mask": 1.01},
            "later",
            "MiniMax H3 video_noise_mask values must be",
        ),
        ({"source_video": "heard", "video_noise_mask": [0, 0, 0]}, "later", SHAPES + "(3,)"),
        ({"source_video": "heard", "video_noise_mask": [[[0] * 8] * 8] * 32}, "never", ""),
        ({"source_video": "heard", "video_noise_mask": [[[[0] * 16] * 16] * 32]}, "never", ""),
        ({"source_video": "heard", "audio_noise_mask": [0] * 178}, "never", ""),
        (
            {"source_video": "heard", "audio_noise_mask": [0] * 177},
            "later",
            "MiniMax H3 audio_noise_mask shape must be",
        ),
        (
            {"source_video": "silent", "audio_noise_mask": 0},
            "later",
            "MiniMax H3 could not decode source_video audio",
        ),
        (
            {"source_video": "silent", "video_noise_mask": 0, "audio_noise_mask": 0},
            "later",
            "MiniMax H3 source_video has no audio track for audio editing",
        ),
        (
            {"source_video": b"no clip", "video_noise_mask": 0},
            "later",
            "MiniMax H3 could not decode source_video for",
        ),
        ({"source_video": b"no clip", "video_noise_mask": 1}, "never", ""),
    ],
)
def test_each_refusal_comes_when_and_as_on_the_server(
    server: Server, media: dict[str, bytes], parts: dict[str, Any], when: str, sentence: str
) -> None:
    sent = {
        field: media.get(value, value) if field == "source_video" and isinstance(value, str) else value
        for field, value in parts.items()
    }
    moment, message = said(server, sent)
    assert moment == when and message.startswith(sentence), message


def test_masks_exclude_windows_and_kept_sound_a_driving_one(
    server: Server, media: dict[str, bytes], clip: Path
) -> None:
    task = {"task": "ref2va", "duration": 107 / 24, "long_video": True}
    asked = [part(clip, "video/mp4"), ("source_video", ("a.mp4", media["heard"]))]
    mask = ("video_noise_mask", ("m.json", b"0"))
    answer = server.create([*asked, mask], **{**T2VA, "extra_params": json.dumps(task)})
    assert "continuation does not support latent-mask editing" in server.ended(answer)["error"]["message"]
    full = json.dumps(task | {"long_video_mode": "full"})
    assert server.ended(server.create([*asked, mask], **{**T2VA, "extra_params": full}))["status"] == "completed"


def test_sources_leave_nothing_behind(ready: Callable[..., Server], media: dict[str, bytes], tmp_path: Path) -> None:
    server = ready("--step-seconds", "0")
    said(server, {"source_video": media["heard"], "video_noise_mask": 0})
    said(server, {"source_video": media["heard"], "source_audio": b"", "audio_noise_mask": 0})
    assert not list(tmp_path.rglob("vllm_omni_reference_*"))
