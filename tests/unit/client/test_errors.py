"""Every shape in which the server says no becomes one kind of value (vllm-omni 0.30.0, server-api §5)."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from studio.client.errors import error_of, said_by, without_paths
from studio.client.wire import as_job

URL = "http://gpu:8000"


def answer(status: int, body: Any) -> httpx.Response:
    return httpx.Response(status, text=body) if isinstance(body, str) else httpx.Response(status, json=body)


STANDARD = {"error": {"message": "Video not found", "type": "Not Found", "param": None, "code": 404}}


@pytest.mark.parametrize(
    ("status", "body", "code"),
    [
        (404, STANDARD, "server.job_unknown"),
        (404, {"error": {"message": "Generation is still in-progress"}}, "server.not_ready"),
        (404, {"error": {"message": "Generated video file not found on disk"}}, "server.file_gone"),
        (401, {"error": "Unauthorized"}, "server.unauthorized"),
        (404, {"detail": "Not Found"}, "server.bad_answer"),
        (400, {"detail": "Part exceeded maximum size of 1024KB."}, "server.refused"),
        (409, {"error": {"message": "Cancellation in progress. Please try again later."}}, "server.cancel_pending"),
        (503, {"status": "unhealthy", "reason": "No engine initialized"}, "server.failed"),
        (500, {"error": {"message": "boom", "request_id": "r", "error_stage_id": 0}}, "server.failed"),
        (502, "<html>Bad Gateway</html>", "server.failed"),
        (416, "", "server.bad_answer"),
    ],
)
def test_each_shape_is_one_value(status: int, body: Any, code: str) -> None:
    error = error_of(answer(status, body), URL)
    assert (error.code, error.status) == (code, status)
    assert "{" not in error.text()


def test_the_servers_words_are_kept_and_its_temp_paths_are_not() -> None:
    said = "cannot decode /tmp/vllm_omni_reference_ab12/clip.mp4: moov atom not found"
    assert said_by(answer(400, {"error": {"message": said}})) == "cannot decode the file: moov atom not found"
    assert without_paths("at step 3/50 and/or later") == "at step 3/50 and/or later"


def test_a_failed_job_is_a_job_whatever_its_status() -> None:
    body = {"id": "v", "object": "video", "status": "failed", "error": {"code": 500, "message": "/tmp/x/a.png broke"}}
    job = as_job(body)
    assert job is not None and job.standing == "failed" and job.fault == "the file broke"


@pytest.mark.parametrize(
    ("word", "standing"),
    [
        *(("queued", "queued"), ("QUEUED", "queued"), ("in_progress", "running"), ("preprocessing", "running")),
        *(
            ("completed", "done"),
            ("COMPLETED", "done"),
            ("failed", "failed"),
            ("cancelled", "gone"),
            ("expired", "gone"),
        ),
    ],
)
def test_status_words(word: str, standing: str) -> None:
    job = as_job({"id": "v", "object": "video", "status": word})
    assert job is not None and job.standing == standing
