"""`server …` and `profiles` as people type them."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from studio.cli.main import main
from studio.server import Profile, profiles
from studio.server.launch import READABLE_LOG
from tests.helpers.readers import unit_sections, unit_words
from tests.helpers.standins import programs

pytestmark = pytest.mark.timeout(300)  # programs of their own start slowly on a busy machine


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, dict[str, Any]]:
    code = main([*words, "--json"])
    return code, json.loads(capsys.readouterr().out)


def test_profiles_and_texts(capsys: pytest.CaptureFixture[str]) -> None:
    code, answer = run(capsys, "profiles")
    assert code == 0 and len(answer["profiles"]) == 38
    assert all(profile["fits"] == (not profile["why_not"]) for profile in answer["profiles"])
    words = ("server", "unit", "--profile", "rtxpro6000x2-bf16", "--model", "/srv/m")
    for form, wanted in (
        ("quadlet", "[Container]"),
        ("service", "[Service]"),
        ("compose", "services:"),
        ("shell", "#!/bin/sh"),
    ):
        code, answer = run(capsys, *words, "--form", form)
        assert code == 0 and wanted in answer["text"] and answer["check"]


def test_the_doctor_says_no(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, answer = run(capsys, "server", "doctor", "--profile", "rtxpro6000x2-bf16", "--model", str(tmp_path))
    assert code == 1 and not answer["ok"]
    assert "doctor.model.no_part" in [check["code"] for check in answer["checks"]]


def test_start_status_logs_stop(capsys: pytest.CaptureFixture[str], state: Path, tmp_path: Path) -> None:
    program = (sys.executable, programs.__file__, "vllm", "--port", "{port}")
    profile = Profile(id="mine", title="Mine", program=program, port_default=programs.free_port(), grace_s=5)
    path = profiles.save(profile, tmp_path / "mine.json")
    code, answer = run(capsys, "server", "start", "--profile", str(path))
    assert code == 2 and answer["error"]["code"] == "usage.not_confirmed"
    code, started = run(capsys, "server", "start", "--profile", str(path), "--yes")
    assert code == 0 and started["model"] == "standin/H3"
    code, answer = run(capsys, "server", "status")
    assert [(one["id"], one["engine"]) for one in answer["servers"]] == [(started["id"], True)]
    code, answer = run(capsys, "server", "logs")
    assert code == 0 and "Loading weights took" in answer["stderr"]
    code, answer = run(capsys, "server", "stop")
    assert code == 0 and answer["stopped"][0]["gone"]
    assert run(capsys, "server", "status")[1] == {"servers": []}
    assert run(capsys, "server", "stop")[0] == 1


def test_a_mistake_is_a_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "server", "unit", "--profile", "nothing")[1]["error"]["code"] == "profile.unknown"
    assert run(capsys, "server", "doctor")[0] == 2


def test_what_a_unit_of_somebody_else_lacks(capsys: pytest.CaptureFixture[str], state: Path, tmp_path: Path) -> None:
    source = tmp_path / "h3.container"
    source.write_text("[Container]\nImage=x\nEnvironment=VLLM_OMNI_ASYNC_OUTPUT_TIMEOUT=7200\nStopTimeout=90\n")
    (state / "h3.service.json").write_text(json.dumps({"argv": ["true"], "source": str(source)}))
    code, answer = run(capsys, "server", "unit", "--unit", "h3.service")
    assert code == 0 and answer["file"] == f"{source}.d/h3studio.conf"
    lines = unit_sections(answer["text"])["Container"]
    words = [unit_words(value, dollars=True)[0] for _, value in lines]
    assert "VLLM_OMNI_DLO_DP_WAVE_TIMEOUT=86400" in words and READABLE_LOG["TQDM_BAR_FORMAT"] in words[0]
    assert not any("ASYNC_OUTPUT" in word or "StopTimeout" in key for (key, _), word in zip(lines, words, strict=True))
    assert source.read_text().startswith("[Container]\nImage=x\n")
    assert run(capsys, "server", "unit", "--unit", "none.service")[1]["error"]["code"] == "unit.unknown"


def test_what_a_container_of_somebody_else_lacks(capsys: pytest.CaptureFixture[str], state: Path) -> None:
    (state / "h3.json").write_text(json.dumps({"argv": ["true"], "env": dict.fromkeys(READABLE_LOG, "x")}))
    code, answer = run(capsys, "server", "unit", "--container", "h3")
    assert code == 0 and "--env VLLM_OMNI_DLO_DP_WAVE_TIMEOUT=86400" in answer["text"]
    assert "TQDM" not in answer["text"]


@pytest.mark.parametrize("engine", ["podman", "docker"])
def test_a_container_of_ours_from_the_command_line(
    capsys: pytest.CaptureFixture[str], state: Path, tmp_path: Path, engine: str
) -> None:
    profile = Profile(id="mine", title="Mine", args=("--port", "{port}"), grace_s=5, port_default=programs.free_port())
    path = profiles.save(profile, tmp_path / "mine.json")
    words = ("--profile", str(path), "--model", "/m", "--engine", engine, "--cards", "1,0", "--name", "own")
    code, answer = run(capsys, "server", "doctor", *words)
    assert f"doctor.{engine}" in [check["code"] for check in answer["checks"]]
    code, started = run(capsys, "server", "start", *words, "--yes")
    assert code == 0 and started["model"] == "standin/H3"
    made = json.loads((state / "own.json").read_text())
    assert made["env"]["CUDA_VISIBLE_DEVICES"] == "1,0"
    code, answer = run(capsys, "server", "stop", started["id"])
    assert code == 0 and answer["stopped"][0]["gone"]
