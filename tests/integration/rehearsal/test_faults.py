"""Failures on order: each is seen from outside as the real one would be."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import av
import httpx
import pytest

from tests.integration.rehearsal.conftest import SMALL, Server, part, running, until

JOB = {**SMALL, "prompt": "a red kite", "seconds": "4", "aspect_ratio": "1:1", "num_inference_steps": "4"}


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with running(tmp_path_factory.mktemp("server"), "--step-seconds", "0.02") as one:
        yield one


@pytest.fixture
def server(shared: Server) -> Iterator[Server]:
    """One for all tests that leave it alive, without faults before and after."""
    yield shared
    shared.fail()


def test_in_the_render(ready: Callable[..., Server]) -> None:
    server = ready("--step-seconds", "0.02", "--fail", "oom@3", TQDM_MININTERVAL="0")
    failed = server.ended(server.create(**JOB))
    assert failed["error"]["message"].startswith("CUDA out of memory.")
    assert b"2/4" in server.stderr.read_bytes()
    assert b"3/4" not in server.stderr.read_bytes()
    bars = server.stderr.read_bytes().count(b"1/4")
    assert server.ended(server.create(**JOB))["error"]["message"].startswith("CUDA out of memory.")
    assert server.stderr.read_bytes().count(b"1/4") == bars  # the second one does not come to its first step
    server.fail("disk_full")
    assert server.ended(server.create(**JOB))["error"]["message"] == "[Errno 28] No space left on device"
    server.fail("hang@2")
    bars = server.stderr.read_bytes().count(b"1/4")
    hung = server.create(**JOB)
    until(lambda: server.stderr.read_bytes().count(b"1/4") > bars, "the hung step has begun")
    assert server.http.delete(f"/v1/videos/{hung}").status_code == 200
    waiting = server.create(**JOB)
    assert server.job(waiting)["status"] == "queued"  # a cancel does not free a hung engine
    server.fail("stuck_queued")
    let_go = f"Stopped cancelled diffusion request(s) {hung}".encode()
    until(lambda: let_go in server.stdout.read_bytes(), "the engine is free")
    assert server.job(waiting)["status"] == "queued"
    server.fail()
    assert server.ended(waiting)["status"] == "completed"
    server.fail("engine_death")
    server.ended(server.create(**JOB))
    assert server.http.get("/health").status_code == 503
    assert server.ended(server.create(**JOB))["error"]["message"] == "Stage-0 has no live replica"


def test_in_the_result(server: Server, clip: Path, tmp_path: Path) -> None:
    def made(*orders: str) -> av.container.InputContainer:
        server.fail(*orders)
        id = server.create([part(clip, "video/mp4")], **JOB, extra_params='{"task":"ref2va"}')
        assert server.ended(id)["error"] is None
        return av.open(str(server.download(id, tmp_path / "out.mp4")))

    with made("wrong_frames=5", "no_sound", "wrong_canvas") as container:
        assert container.streams.video[0].frames == 102
        assert container.streams.video[0].width == 224
        assert not container.streams.audio
    with made("frozen", "silent") as container:
        pictures = [frame.to_ndarray(format="gray") for frame in container.decode(video=0)]
        assert all(abs(picture.astype(int) - pictures[0]).mean() < 2 for picture in pictures)
    with made("silent") as container:
        assert max(abs(frame.to_ndarray()).max() for frame in container.decode(audio=0)) < 1e-3


def test_in_the_download(server: Server) -> None:
    id = server.create(**JOB)
    server.ended(id)
    address = f"/v1/videos/{id}/content"
    whole = server.http.get(address).content
    server.fail("truncated")
    assert server.http.get(address).content == whole[: len(whole) // 2]
    for order in ("reset=5000", "wrong_length"):
        server.fail(order)
        with pytest.raises(httpx.RemoteProtocolError):
            server.http.get(address)
    server.fail("corrupt@1")
    broken = server.http.get(address).content
    assert len(broken) == len(whole)
    assert broken != whole
    assert server.http.get(address).content == whole
    server.fail("slow=1000")
    with pytest.raises(httpx.ReadTimeout), server.http.stream("GET", address, timeout=0.5) as answer:
        answer.read()
    server.fail("content_404")
    gone = server.http.get(address)
    assert (gone.status_code, gone.json()["error"]["message"]) == (404, "Generated video file not found on disk")


def test_on_the_wire(server: Server) -> None:
    server.fail("http=502@1", "unauthorized@1")
    proxy = server.http.get("/health")
    assert (proxy.status_code, proxy.headers["content-type"]) == (502, "text/html; charset=utf-8")
    assert server.http.get("/v1/models").status_code == 401
    assert server.http.get("/v1/models").status_code == 200
    server.fail("busy_delete@1")
    id = server.create(**JOB)
    assert server.http.delete(f"/v1/videos/{id}").status_code == 409
    assert server.http.delete(f"/v1/videos/{id}").status_code == 200
    assert server.http.put("/_rehearsal/faults", json={"faults": ["nonsense"]}).status_code == 400


def test_the_process_dies_or_will_not(ready: Callable[..., Server]) -> None:
    dying = ready("--step-seconds", "0.02", "--fail", "server_death@2")
    dying.create(**JOB)
    assert dying.process.wait(timeout=60) == 1
    stubborn = ready("--fail", "refuse_sigterm")
    os.kill(stubborn.process.pid, signal.SIGTERM)
    assert stubborn.http.get("/health").status_code == 200
    stubborn.fail()
    os.kill(stubborn.process.pid, signal.SIGTERM)
    assert stubborn.process.wait(timeout=60) == 0


def test_all_jobs_are_forgotten(server: Server) -> None:
    done = server.create(**JOB)
    server.ended(done)
    server.fail("forget@1")
    last = server.create(**JOB)
    until(lambda: server.http.get(f"/v1/videos/{last}").status_code == 404, "forgotten")
    assert server.http.get("/v1/videos").json()["data"] == []


def test_tqdm_ascii_breaks_every_job_as_on_the_real_server(ready: Callable[..., Server]) -> None:
    server = ready("--step-seconds", "0", TQDM_ASCII="1")
    failed = server.ended(server.create(**JOB))
    assert failed["error"] == {"code": 500, "message": "integer division or modulo by zero"}
    assert server.http.get("/health").status_code == 200


def test_long_sequences_fail_in_cudnn_and_short_ones_do_not(server: Server) -> None:
    server.fail("cudnn=3000")
    assert "mha_graph.execute" in server.ended(server.create(**JOB | {"seconds": "15"}))["error"]["message"]
    assert server.ended(server.create(**JOB))["status"] == "completed"


def test_a_forward_call_that_takes_too_long_takes_the_workers_with_it(ready: Callable[..., Server]) -> None:
    server = ready("--step-seconds", "0.1", "--fail", "forward_timeout=0.2")
    failed = server.ended(server.create(**JOB))
    assert failed["error"] == {"code": 500, "message": "RPC call to generate timed out."}
    assert "DLO DP collective wave timed out after 0.2s" in server.stdout.read_text()
    assert server.http.get("/health").json() == {"status": "unhealthy"}
    assert server.http.get("/v1/models").status_code == 200
    assert server.ended(server.create(**JOB))["error"]["message"] == "Stage-0 has no live replica"
    until(lambda: max(gpu["used_mib"] for gpu in server.http.get("/_rehearsal/gpus").json()["gpus"]) < 9000, "freed")


def test_a_render_is_lost_while_its_output_is_waited_for(server: Server) -> None:
    server.fail("output_watchdog=0.1")
    failed = server.ended(server.create(**JOB))
    assert failed["error"] == {"code": 500, "message": ""}
    assert b"4/4" in server.stderr.read_bytes()
    assert "Timed out after 0.1s waiting for async output" in server.stdout.read_text()
    server.fail()
    assert server.ended(server.create(**JOB))["status"] == "completed"


def test_in_the_records(server: Server) -> None:
    server.fail("status=warming_up", "hang@1")
    open_job = server.create(**JOB)
    until(lambda: server.job(open_job)["status"] == "warming_up", "an unknown word")
    server.fail("capitals", "expired")
    until(lambda: server.job(open_job)["status"] == "COMPLETED", "capitals")
    record = server.job(open_job)
    assert record["expires_at"] < record["completed_at"]
    assert record in server.http.get("/v1/videos").json()["data"]
    server.fail("broken_json@1")
    with pytest.raises(json.JSONDecodeError):
        server.job(open_job)
    assert server.job(open_job)["status"] == "completed"
    server.fail("chunked")
    answer = server.http.get(f"/v1/videos/{open_job}/content")
    assert (answer.status_code, answer.headers["transfer-encoding"]) == (200, "chunked")
    assert "content-length" not in answer.headers


def test_the_key_stops_working_at_some_moment(server: Server) -> None:
    server.fail("unauthorized=0.5")
    assert server.http.get("/v1/models").status_code == 200
    until(lambda: server.http.get("/v1/models").status_code == 401, "locked out")
    assert server.http.get("/health").status_code == 200


def test_a_deleted_job_may_hold_the_engine_for_a_while(server: Server) -> None:
    server.fail("slow_cancel=1.5")
    gone = server.create(**JOB | {"num_inference_steps": "200"})
    server.running(gone)
    began = time.monotonic()
    assert server.http.delete(f"/v1/videos/{gone}").status_code == 200
    next_job = server.create(**JOB)
    assert server.job(next_job)["status"] == "queued"
    server.running(next_job)
    assert time.monotonic() - began >= 1.5


@pytest.mark.parametrize(
    ("order", "code", "said"),
    [
        ("boot_failure", 1, "Orchestrator initialization failed: CUDA out of memory."),
        ("boot_failure=unknown_flag", 2, "error: unrecognized arguments:"),
        ("boot_failure=host_memory", -signal.SIGKILL, "Killed"),
        ("boot_failure=the card is on fire", 1, "Orchestrator initialization failed: the card is on fire"),
    ],
)
def test_start_up_fails(start: Callable[..., Server], order: str, code: int, said: str) -> None:
    server = start("--fail", order)
    assert server.process.wait(timeout=60) == code
    assert said in server.stderr.read_text()
    assert "Application startup complete" not in server.stderr.read_text()


def test_a_port_that_seems_taken() -> None:
    argv = [sys.executable, "-P", "-m", "studio.rehearsal", "--fail", "port_taken"]
    ended = subprocess.run(argv, capture_output=True, text=True, timeout=30)
    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr.endswith("OSError: [Errno 98] Address already in use\n")
