"""Answers captured from the real vLLM-Omni 0.30.0, replayed: status, headers that matter and body must agree.

Recorded ids stand for the ids that the replay is given. Requests that fix no size are sent with a small one, which no
recorded answer shows. What `extra_params.stub` asked of the recorded server is ordered as a failure here.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import httpx
import pytest

from tests.integration.rehearsal import media
from tests.integration.rehearsal.conftest import Server, until

FOLDER = Path(__file__).parents[2] / "data" / "transcripts"
NAMES = sorted(path.stem for path in FOLDER.glob("*.json"))
KEY = "correct-horse"
OPTIONS: dict[str, dict[str, Any]] = {
    "01_async_lifecycle": {"arguments": ("--step-seconds", "0.1")},
    "02_sync": {"arguments": ("--step-seconds", "0")},
    "06_jobs": {"arguments": ("--step-seconds", "0.06")},
    "07_auth": {"key": KEY, "VLLM_API_KEY": KEY},
    "08_engine_failures": {"arguments": ("--step-seconds", "0.1")},
    "09_sync_timeout": {"arguments": ("--step-seconds", "0.05"), "VLLM_OMNI_VIDEO_SYNC_TIMEOUT": "1.5"},
    "10_client_error_status": {"arguments": ("--step-execution",)},
    "11_partition": {"arguments": ("--task-type", "fl2va")},
}
SMALL = [("width", "64"), ("height", "64")]
SIZED = {"size", "width", "height", "short_edge"}
VARIES = {"created_at", "completed_at", "created", "inference_time_s", "stage_durations", "peak_memory_mb", "root"}
VARYING_HEADERS = {"x-inference-time-s", "x-stage-durations", "x-peak-memory-mb", "x-request-id"}
ID = re.compile(r"video_gen_[0-9a-f]{32}|video_sync-[0-9a-f]{16}|modelperm-[0-9a-f]{16}")
CURL_TYPES = {".png": "image/png", ".jpg": "image/jpeg", ".gif": "image/gif", ".txt": "text/plain"}
BASE = {"prompt": "a red kite over the sea", "seconds": "4", "aspect_ratio": "16:9", "num_inference_steps": "2"}


class Replay:
    """Sends the exchanges of a transcript in order and knows which live id each recorded one stands for."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.ids: dict[str, str] = {}
        self.newest = ""

    def case(self, exchanges: list[dict[str, Any]]) -> None:
        """One case."""
        for index, exchange in enumerate(exchanges):
            later = exchanges[index + 1 :]
            answer = self._send(exchange)
            if exchange["method"] == "POST" and "id" in (made := _json(answer)):
                self.newest = made["id"]
                recorded = exchange.get("body", {}).get("id") or _first_id(later)
                if recorded:
                    self.ids[recorded] = made["id"]
            self._compare(exchange, answer)

    def _send(self, exchange: dict[str, Any]) -> httpx.Response:
        path = self._live_path(exchange["path"])
        if exchange["method"] == "GET" and (wanted := exchange.get("body", {}).get("status")) not in (None, "healthy"):
            until(lambda: _json(self.server.http.get(path)).get("status") in (wanted, "failed"), f"{path} is {wanted}")
        if path.endswith("/content") and exchange["status"] == 200:
            self.server.ended(path.split("/")[3])
        headers, fields = _parts(exchange.get("send", []))
        if self.server.http.headers.get("authorization") and not headers:
            headers = [("authorization", "")]
        kind = exchange.get("type", "")
        if kind.startswith("application/"):
            headers.append(("content-type", kind))
        body = _body(kind, fields, self.server)
        return self.server.http.request(exchange["method"], path, headers=dict(headers), **body)

    def _live_path(self, path: str) -> str:
        for recorded in ID.findall(path):
            if recorded not in self.ids:
                # Made by a request that the transcript leaves out: any job like it will do.
                self.ids[recorded] = self.server.create(**BASE, width="64", height="64")
            path = path.replace(recorded, self.ids[recorded])
        return path

    def _compare(self, exchange: dict[str, Any], answer: httpx.Response) -> None:
        assert answer.status_code == exchange["status"], answer.text[:300]
        for name, value in exchange.get("headers", {}).items():
            if name in VARYING_HEADERS:
                assert name in answer.headers
            elif "content-range" not in name:
                assert answer.headers[name] == self._live(value), name
        if "body" in exchange:
            live = answer.json()
            if exchange["body"].get("object") == "list" and live["data"] and live["data"][0]["object"] == "video":
                self._compare_list(exchange["body"], live)
            else:
                assert _steady(live) == _steady(self._live(exchange["body"]))
                assert _keys(live) == _keys(exchange["body"])

    def _compare_list(self, recorded: dict[str, Any], live: dict[str, Any]) -> None:
        """The live list may hold more jobs: each recorded one that is known must be in it, as it was."""
        assert list(live) == list(recorded)
        jobs = {job["id"]: job for job in live["data"]}
        for job in recorded["data"]:
            if self.ids.get(job["id"]) in jobs:
                assert _steady(jobs[self.ids[job["id"]]]) == _steady(self._live(job))

    def _live(self, value: Any) -> Any:
        text = json.dumps(value)
        for recorded, live in self.ids.items():
            text = text.replace(recorded, live)
        return json.loads(text)


def _json(answer: httpx.Response) -> dict[str, Any]:
    if "json" not in answer.headers.get("content-type", ""):
        return {}
    found: dict[str, Any] = answer.json()
    return found


def _first_id(exchanges: list[dict[str, Any]]) -> str | None:
    return next((found.group() for e in exchanges if (found := ID.search(e["path"]))), None)


def _steady(value: Any) -> Any:
    """Without times, measurements, ids of other things and temporary names."""
    if isinstance(value, dict):
        return {k: _steady(v) for k, v in value.items() if k not in VARIES and k != "request_id"}
    if isinstance(value, list):
        return [_steady(item) for item in value]
    if isinstance(value, str):
        value = re.sub(r"(?:<tmp>|/)[\w./<>-]*vllm_omni_reference_\S*?(\.\w+)", r"<tmp>\1", value)
        value = re.sub(r"modelperm-\w+", "modelperm", value)
        return re.sub(r"pydantic\.dev/[\d.]+/", "pydantic.dev/", value)
    return value


def _keys(value: Any) -> Any:
    return [(k, _keys(v)) for k, v in value.items()] if isinstance(value, dict) else None


def _parts(lines: list[str]) -> tuple[list[tuple[str, str]], list[str]]:
    headers = [tuple(line.split(": ", 1)) for line in lines if re.match(r"(Authorization|Range): ", line)]
    return headers, [line for line in lines if not re.match(r"(Authorization|Range): ", line)]


def _body(kind: str, fields: list[str], server: Server) -> dict[str, Any]:
    if kind == "application/json":
        return {"content": fields[0]}
    if kind == "application/x-www-form-urlencoded":
        return {"data": dict(parse_qsl(fields[0])) | dict(SMALL)}
    if not fields:
        return {}
    pairs = [tuple(re.sub(r"\s+# .*$", "", field).split("=", 1)) for field in fields]
    _order_failures(dict(pairs).get("extra_params", ""), server)
    files: list[tuple[str, Any]] = [(name, _part(value)) for name, value in pairs]
    if not SIZED & {name for name, _ in pairs}:
        files += [(name, (None, value)) for name, value in SMALL]
    return {"files": files}


def _part(value: str) -> tuple[Any, ...]:
    if not value.startswith("@"):
        data = re.sub(r"<([\w.]+)>", lambda found: b64encode(media.content(found.group(1))).decode(), value)
        return (None, data)
    name, *extras = value[1:].split(";")
    told = dict(extra.split("=") for extra in extras)
    kind = told.get("type") or CURL_TYPES.get(Path(name).suffix, "application/octet-stream")
    return (told.get("filename", name), media.content(name), kind)


def _order_failures(extra: str, server: Server) -> None:
    stub = json.loads(extra).get("stub", {}) if "stub" in extra else {}
    if "fail_at_step" in stub:
        step = stub["fail_at_step"]
        name = "engine_death" if stub.get("fail_mode") == "dead" else "error"
        server.fail(f"{name}=stub engine failed at step {step}/8@{step}")
    elif server.http.headers.get("authorization") is None:
        server.fail()


@pytest.mark.parametrize("name", NAMES)
def test_every_recorded_answer_agrees(ready: Callable[..., Server], server: Server, name: str) -> None:
    if name in OPTIONS:  # else the shared one will do
        options = dict(OPTIONS[name])
        server = ready(*options.pop("arguments", ()), **options)
    replay = Replay(server)
    wrong = []
    for case in json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))["cases"]:
        try:
            replay.case(case["exchanges"])
        except AssertionError as error:
            wrong.append(f"{case['name']}: {str(error)[:600]}")
    assert not wrong, "\n".join(wrong)
