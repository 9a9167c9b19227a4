"""Refusals at POST, the API key, and the routes beside the jobs."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import httpx
import psutil
import pytest
from PIL import Image

from tests.integration.rehearsal.conftest import SMALL, Server, until

BASE = {**SMALL, "prompt": "a red kite", "seconds": "4", "aspect_ratio": "1:1", "num_inference_steps": "1"}


def test_form_refusals_carry_the_field(server: Server) -> None:
    missing = server.http.post("/v1/videos", json={"prompt": "not read"})
    assert (missing.status_code, missing.json()) == (
        400,
        {
            "error": {
                "message": "1 validation error:\n"
                "  {'type': 'missing', 'loc': 'body.prompt', 'msg': 'Field required', 'input': 'None'}",
                "type": "Bad Request",
                "param": "body.prompt",
                "code": 400,
            }
        },
    )
    assert server.post(**BASE | {"prompt": ""}).json() == missing.json()
    seconds = server.post(**BASE | {"seconds": "4.5"}).json()["error"]
    assert (seconds["param"], seconds["type"]) == ("body.seconds", "Bad Request")
    assert seconds["message"].endswith("'input': '4.5', 'ctx': {'pattern': '^[1-9]\\\\d*$'}}")
    fps = server.post(**BASE, fps="0").json()["error"]["message"]
    assert fps.endswith(
        "{'type': 'greater_than_equal', 'loc': 'body.fps', 'msg': 'Input should be greater than or equal to 1', "
        "'input': '0', 'ctx': {'ge': 1.0}}"
    )
    text = server.post(**BASE, input_reference="abc").json()["error"]
    assert "Value error, Expected UploadFile, received: <class 'str'>" in text["message"]
    assert server.post(**BASE, extra_params="[]").json()["error"]["message"] == (
        "Invalid JSON in form field: expected dict, got list."
    )


def test_model_refusals_carry_pydantics_text(server: Server) -> None:
    error = server.post(**BASE | {"num_inference_steps": "201"}).json()["error"]
    assert (error["type"], error["param"], error["code"]) == ("BadRequestError", None, 400)
    assert error["message"].startswith(
        "1 validation error for VideoGenerationRequest\nnum_inference_steps\n"
        "  Input should be less than or equal to 200 [type=less_than_equal, input_value=201, input_type=int]"
    )


def test_uploads_are_checked_at_post(server: Server) -> None:
    def said(*files: tuple[str, bytes, str], **fields: str) -> str:
        parts = [("input_references", file) for file in files]
        answer = server.post(parts, **BASE, **fields)
        assert answer.status_code == 400
        return str(answer.json()["error"]["message"])

    memory = io.BytesIO()
    Image.new("P", (300, 300)).save(memory, "GIF")
    gif = memory.getvalue()
    assert said(("a.png", gif, "image/png")) == (
        "MiniMax H3 reference images must use JPG, JPEG, PNG, WEBP, HEIC, or HEIF; got gif."
    )
    assert said(("a.jpg", b"no picture", "image/jpeg")) == "Invalid uploaded image reference: a.jpg"
    assert said(("a.mkv", b"x", "video/x-matroska")) == "MiniMax H3 reference videos must use an MP4 or MOV file."
    assert said(("a.flac", b"x", "")) == "MiniMax H3 reference audio must use a WAV or MP3 file."
    assert said(("a.wav", bytes(16 << 20), "audio/wav")) == "Uploaded reference exceeds the 15 MiB size limit."
    assert said(*[("a.mp4", b"x", "video/mp4")] * 13) == "MiniMax H3 accepts at most 12 total references."
    assert said(("a.mp4", b"x", "video/mp4"), image_reference='{"image_url":"data:image/png;base64,"}') == (
        "Provide input_references alone, without input_reference, image_reference, or video_reference."
    )
    assert server.post(**BASE, control_type="depth").json()["error"]["message"] == (
        "control_type requires a control_reference upload."
    )


def test_a_text_part_over_one_mebibyte_is_refused_in_the_other_shape(server: Server) -> None:
    long = "x" * ((1 << 20) + 1)
    multipart = server.post(**BASE | {"prompt": long})
    assert (multipart.status_code, multipart.json()) == (400, {"detail": "Part exceeded maximum size of 1024KB."})
    urlencoded = server.http.post("/v1/videos", data=BASE | {"prompt": long})
    assert urlencoded.json() == {"detail": "Field exceeded maximum size of 1024KB."}


def test_unknown_fields_are_ignored_and_the_last_of_two_wins(server: Server) -> None:
    fields = [("prompt", "one"), ("prompt", "two"), ("video_params", "{}"), ("seed", ""), ("width", "64")]
    answer = server.http.post("/v1/videos", files=[(name, (None, value)) for name, value in fields])
    assert (answer.status_code, answer.json()["prompt"], answer.json()["seconds"]) == (200, "two", "4")


def test_routes_beside_the_jobs(server: Server) -> None:
    assert server.http.get("/health").json() == {"status": "healthy"}
    assert server.http.get("/version").json() == {"version": "0.30.0"}
    card = server.http.get("/v1/models").json()["data"][0]
    assert (card["id"], card["owned_by"]) == ("MiniMaxAI/MiniMax-H3", "vllm")
    schema = server.http.get("/openapi.json").json()["components"]["schemas"]["Body_create_video_v1_videos_post"]
    assert len(schema["properties"]) == 42
    assert schema["required"] == ["prompt"]
    assert server.http.get("/v1/videos/").status_code == 307
    unknown, wrong = server.http.get("/v1/nothing"), server.http.put("/v1/videos")
    assert (unknown.status_code, unknown.json()) == (404, {"detail": "Not Found"})
    assert (wrong.status_code, wrong.json()) == (405, {"detail": "Method Not Allowed"})
    who = server.http.get("/_rehearsal").json()
    assert who["rehearsal"] is True


def test_the_key_is_asked_for_under_v1_only(ready: Callable[..., Server]) -> None:
    server = ready("--api-key-env", "OUR_KEY", OUR_KEY="s3cret", key="s3cret")
    assert server.http.get("/v1/models").status_code == 200
    for headers in ({}, {"Authorization": "Bearer wrong"}, {"X-API-Key": "s3cret"}):
        answer = httpx.get(f"{server.url}/v1/nothing", headers=headers)
        assert (answer.status_code, answer.json()) == (401, {"error": "Unauthorized"})
    assert httpx.get(f"{server.url}/v1/models", headers={"Authorization": "bearer s3cret"}).status_code == 200
    assert httpx.get(f"{server.url}/health").status_code == 200
    argv = " ".join(psutil.Process(server.process.pid).cmdline())
    assert "s3cret" not in argv + server.stdout.read_text() + server.stderr.read_text()


def test_the_boot_log_is_in_order_and_nothing_answers_before_its_end(start: Callable[..., Server]) -> None:
    server = start("--fail", "slow_boot=0.5")
    with pytest.raises(httpx.ConnectError):
        server.http.get("/health")
    until(lambda: b"Application startup complete." in server.stderr.read_bytes(), "startup")
    assert server.http.get("/health").status_code == 200
    log = server.stdout.read_text()
    marks = (
        "Detected diffusion model",
        "Launching Orchestrator",
        "Loading weights took",
        "Orchestrator ready",
        "Starting vLLM API server",
    )
    places = [log.index(mark) for mark in marks]
    assert places == sorted(places)


@pytest.mark.parametrize("busy", [False, True])
def test_sigterm_ends_it_without_waiting_for_the_step(ready: Callable[..., Server], busy: bool) -> None:
    server = ready("--step-seconds", "600")
    if busy:
        server.running(server.create(**BASE))
    os.kill(server.process.pid, signal.SIGTERM)
    assert server.process.wait(timeout=60) == 0


def test_its_own_folder_is_gone_when_it_ends(ready: Callable[..., Server], tmp_path: Path) -> None:
    server = ready("--step-seconds", "0")
    server.ended(server.create(**BASE))
    folders = list(tmp_path.glob("h3studio-rehearsal-*"))
    assert len(folders) == 1
    server.process.terminate()
    server.process.wait(timeout=60)
    assert not folders[0].exists()


def test_the_folder_of_a_killed_server_is_removed_by_the_next(start: Callable[..., Server], tmp_path: Path) -> None:
    killed, living = start(), start()
    until(lambda: len(list(tmp_path.glob("h3studio-rehearsal-*/owner.json"))) == 2, "both have a folder")
    killed.process.kill()
    killed.process.wait()
    start()

    def owners() -> set[int]:
        return {json.loads(path.read_text())["pid"] for path in tmp_path.glob("h3studio-rehearsal-*/owner.json")}

    until(lambda: living.process.pid in owners() and killed.process.pid not in owners(), "only the dead one's is gone")


def test_files_are_swept_when_they_are_old(ready: Callable[..., Server]) -> None:
    server = ready(
        "--step-seconds",
        "0",
        VLLM_OMNI_SERVER_STORAGE__FILE_TTL="1",
        VLLM_OMNI_SERVER_STORAGE__TTL_SWEEP_INTERVAL="0.1",
    )
    id = server.create(**BASE)
    done = server.ended(id)
    assert done["expires_at"] == done["completed_at"] + 1
    until(lambda: server.http.get(f"/v1/videos/{id}/content").status_code == 404, "swept")
    assert server.job(id)["status"] == "completed"


def test_start_up_takes_as_long_as_told_and_shows_the_weights(start: Callable[..., Server]) -> None:
    server = start("--start-seconds", "1", TQDM_MININTERVAL="0")
    began = time.monotonic()
    until(lambda: b"26/26" in server.stderr.read_bytes(), "weights")
    with pytest.raises(httpx.ConnectError):
        server.http.get("/health")
    until(lambda: b"Application startup complete." in server.stderr.read_bytes(), "startup")
    assert time.monotonic() - began >= 0.7
    assert b"Multi-thread loading shards:  42% Completed | 11/26 [00:00<00:00, " in server.stderr.read_bytes()


def test_the_pretended_gpus(server: Server) -> None:
    answer = server.http.get("/_rehearsal/gpus").json()
    assert list(answer) == ["gpus"]
    for index, gpu in enumerate(answer["gpus"]):
        keys = ["index", "uuid", "name", "total_mib", "used_mib", "utilisation", "power_w", "temperature_c"]
        assert list(gpu) == keys
        assert gpu["index"] == index
        assert 0 < gpu["used_mib"] < gpu["total_mib"] == 97884


def test_metrics_count_what_ended(ready: Callable[..., Server]) -> None:
    server = ready("--step-seconds", "0")
    server.ended(server.create(**BASE))
    server.ended(server.create(**BASE | {"seconds": "3"}))
    lines = server.http.get("/metrics").text.splitlines()
    label = 'model_name="MiniMaxAI/MiniMax-H3"'
    for line in (
        f"vllm_omni:num_requests_running{{{label}}} 0.0",
        f'vllm_omni:requests_success_total{{finished_reason="stop",{label}}} 1.0',
        f'vllm_omni:requests_failed_total{{{label},reason="stage_error"}} 1.0',
        f"vllm_omni:num_inference_steps_sum{{{label}}} 1.0",
        f'vllm_omni:diffusion_exec_s_count{{{label},replica="0",stage="0"}} 1.0',
    ):
        assert line in lines


def test_a_taken_port_is_said_on_stderr(ready: Callable[..., Server]) -> None:
    server = ready()
    port = server.url.rpartition(":")[2]
    second = subprocess.run(
        [sys.executable, "-P", "-m", "studio.rehearsal", "--port", port], capture_output=True, text=True, timeout=30
    )
    assert second.returncode == 1
    assert "Address already in use" in second.stderr


IMPATIENT = (
    "import sys, studio.rehearsal.program as p; p.IDLE_SECONDS = 0.5; p.KEPT_SECONDS = float(sys.argv[1]); "
    "raise SystemExit(p.main(['--step-seconds', '0']))"
)


def test_it_ends_by_itself_when_nobody_needs_it() -> None:
    ended = subprocess.run([sys.executable, "-P", "-c", IMPATIENT, "9"], capture_output=True, timeout=30)
    assert ended.returncode == 0


@pytest.mark.parametrize(("kept", "stays"), [("60", True), ("0", False)])
def test_a_file_that_nobody_took_keeps_it_running(tmp_path: Path, kept: str, stays: bool) -> None:
    out = tmp_path / "out"
    with out.open("wb") as stdout:
        child = subprocess.Popen(
            [sys.executable, "-P", "-c", IMPATIENT, kept], stdout=stdout, stderr=subprocess.DEVNULL
        )
    try:
        head = until(lambda: b"\n" in (text := out.read_bytes()) and text.partition(b"\n")[0], "first line")
        with httpx.Client(base_url=json.loads(head)["url"]) as http:
            until(lambda: _answers(str(http.base_url)), "healthy")
            id = http.post("/v1/videos", data=BASE).json()["id"]
            until(lambda: b"persisted" in out.read_bytes(), "saved")
            if stays:
                end = time.monotonic() + 2
                until(lambda: time.monotonic() > end, "longer than it is patient")
                assert http.get(f"/v1/videos/{id}/content").status_code == 200
        assert child.wait(timeout=60) == 0
    finally:
        child.kill()
        child.wait()


@pytest.mark.parametrize("options", [("--exit-with-parent",), ()])
def test_it_outlives_its_parent_unless_told(options: tuple[str, ...], tmp_path: Path) -> None:
    out = tmp_path / "out"
    argv = [sys.executable, "-P", "-m", "studio.rehearsal", *options]
    program = f"import subprocess, time; subprocess.Popen({argv!r}, stdout=open({str(out)!r}, 'wb')); time.sleep(60)"
    parent = subprocess.Popen([sys.executable, "-c", program], stderr=subprocess.DEVNULL)
    try:
        log = until(lambda: out.exists() and b"Starting vLLM" in (text := out.read_bytes()) and text, "booted")
        head = json.loads(log.partition(b"\n")[0])
        until(lambda: _answers(head["url"]), "healthy")
    finally:
        parent.kill()
        parent.wait()
    if options:
        until(lambda: not psutil.pid_exists(head["pid"]), "ended with its parent")
        return
    # Longer than it would take to notice that the parent is gone.
    end = time.monotonic() + 1.5
    until(lambda: time.monotonic() > end, "a while")
    assert _answers(head["url"])
    psutil.Process(head["pid"]).terminate()
    until(lambda: not psutil.pid_exists(head["pid"]), "ended")


def _answers(url: str) -> bool:
    try:
        return httpx.get(f"{url}/health").status_code == 200
    except httpx.TransportError:
        return False


def test_the_verb_takes_the_same_options(tmp_path: Path) -> None:
    argv = [sys.executable, "-P", "-m", "studio", "rehearse", "--exit-with-parent", "--host", "127.0.0.2"]
    argv += ["--api-key-env", "OUR_KEY", "--storage", str(tmp_path / "kept"), "--fail", "port_taken"]
    refused = subprocess.run([*argv, "--fail", "nonsense"], capture_output=True, text=True, timeout=30)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "unknown fault 'nonsense'" in refused.stderr
    out = tmp_path / "out"
    with out.open("wb") as stdout:
        child = subprocess.Popen(argv[:-2], stdout=stdout, stderr=subprocess.DEVNULL, env=os.environ | {"OUR_KEY": "k"})
    try:
        head = json.loads(until(lambda: b"\n" in (text := out.read_bytes()) and text.partition(b"\n")[0], "first line"))
        assert head["url"].startswith("http://127.0.0.2:")
        until(lambda: _answers(head["url"]), "healthy")
        assert (tmp_path / "kept").is_dir()
        assert httpx.get(f"{head['url']}/v1/models").status_code == 401
    finally:
        child.kill()
        child.wait()
