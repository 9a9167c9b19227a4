"""Failures on order: each is seen from outside as the real one would be."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path

import av
import httpx
import pytest

from tests.integration.rehearsal.conftest import SMALL, Server, part, until

JOB = {**SMALL, "prompt": "a red kite", "seconds": "4", "aspect_ratio": "1:1", "num_inference_steps": "4"}


@pytest.fixture
def server(ready: Callable[..., Server]) -> Server:
    return ready("--step-seconds", "0.02")


def test_in_the_render(server: Server) -> None:
    server.fail("oom@3")
    failed = server.ended(server.create(**JOB))
    assert failed["error"]["message"].startswith("CUDA out of memory.")
    assert b"2/4" in server.stderr.read_bytes()
    assert b"3/4" not in server.stderr.read_bytes()
    server.fail("disk_full")
    assert server.ended(server.create(**JOB))["error"]["message"] == "[Errno 28] No space left on device"
    server.fail("hang@2")
    hung = server.create(**JOB)
    server.running(hung)
    assert server.http.delete(f"/v1/videos/{hung}").status_code == 200
    waiting = server.create(**JOB)
    assert server.job(waiting)["status"] == "queued"
    server.fail("stuck_queued")
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
    server.fail("content_404")
    gone = server.http.get(address)
    assert (gone.status_code, gone.json()["error"]["message"]) == (404, "Generated video file not found on disk")
    server.fail("slow=1000")
    with pytest.raises(httpx.ReadTimeout), server.http.stream("GET", address, timeout=0.5) as answer:
        answer.read()


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
    assert dying.process.wait(timeout=10) == 1
    stubborn = ready("--fail", "refuse_sigterm")
    os.kill(stubborn.process.pid, signal.SIGTERM)
    assert stubborn.http.get("/health").status_code == 200
    stubborn.fail()
    os.kill(stubborn.process.pid, signal.SIGTERM)
    assert stubborn.process.wait(timeout=5) == 0


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
