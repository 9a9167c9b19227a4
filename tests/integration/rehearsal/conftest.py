"""A rehearsal server as a real process, its two output streams in files."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest

from studio.core.children import clean_environment
from studio.media.mp4 import Mp4Writer

SMALL = {"width": "256", "height": "256", "seed": "7"}


def until(probe: Callable[[], Any], what: str, seconds: float = 60.0) -> Any:
    """What `probe` returns as soon as it is true."""
    end = time.monotonic() + seconds
    pause = threading.Event()
    while time.monotonic() < end:
        if found := probe():
            return found
        pause.wait(0.02)
    raise AssertionError(f"not within {seconds} s: {what}")


@dataclass
class Server:
    """The process, its address, and a client."""

    process: subprocess.Popen[bytes]
    url: str
    http: httpx.Client
    stdout: Path
    stderr: Path

    def post(self, files: list[tuple[str, Any]] | None = None, **fields: str) -> httpx.Response:
        """POST /v1/videos as multipart."""
        parts = files or []
        return self.http.post("/v1/videos", files=[(k, (None, v)) for k, v in fields.items()] + parts)

    def create(self, files: list[tuple[str, Any]] | None = None, **fields: str) -> str:
        """The id of an accepted job."""
        answer = self.post(files, **fields)
        assert answer.status_code == 200, answer.text
        return str(answer.json()["id"])

    def job(self, id: str) -> dict[str, Any]:
        """The job's record now."""
        record: dict[str, Any] = self.http.get(f"/v1/videos/{id}").json()
        return record

    def ended(self, id: str) -> dict[str, Any]:
        """The record once the job is completed or failed."""
        record: dict[str, Any] = until(
            lambda: found if (found := self.job(id))["status"] in ("completed", "failed") else None, f"{id} ends"
        )
        return record

    def running(self, id: str) -> None:
        """Wait until the job is being rendered."""
        until(lambda: self.job(id)["status"] == "in_progress", f"{id} runs")

    def download(self, id: str, path: Path) -> Path:
        """The result, in a file."""
        answer = self.http.get(f"/v1/videos/{id}/content")
        assert answer.status_code == 200
        path.write_bytes(answer.content)
        return path

    def fail(self, *orders: str) -> None:
        """Put these faults in force instead of those before."""
        assert self.http.put("/_rehearsal/faults", json={"faults": list(orders)}).status_code == 200


def launch(folder: Path, *arguments: str, key: str | None = None, **environment: str) -> Server:
    """Start one; its streams go to files in `folder`. It may not answer yet."""
    name = uuid.uuid4().hex[:8]
    out, err = folder / f"{name}.out", folder / f"{name}.err"
    argv = [sys.executable, "-P", "-m", "studio.rehearsal", "--exit-with-parent", *arguments]
    variables = clean_environment({"TMPDIR": str(folder), **environment})
    with out.open("wb") as stdout, err.open("wb") as stderr:
        child = subprocess.Popen(argv, stdout=stdout, stderr=stderr, env=variables)
    head = json.loads(until(lambda: b"\n" in (text := out.read_bytes()) and text.partition(b"\n")[0], "first line"))
    assert head["pid"] == child.pid
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    http = httpx.Client(base_url=head["url"], headers=headers, timeout=30)
    return Server(child, head["url"], http, out, err)


def _stop(server: Server) -> None:
    server.http.close()
    server.process.kill()
    server.process.wait()


@contextmanager
def running(folder: Path, *arguments: str) -> Iterator[Server]:
    """One that answers, for as long as the block lasts."""
    server = launch(folder, *arguments)
    try:
        until(lambda: _healthy(server), "healthy")
        yield server
    finally:
        _stop(server)


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Server]]:
    """Starts servers; all are gone when the test is."""
    servers: list[Server] = []

    def begin(*arguments: str, **options: Any) -> Server:
        servers.append(launch(tmp_path, *arguments, **options))
        return servers[-1]

    yield begin
    for server in servers:
        _stop(server)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One for the tests of a module that only ask; its steps take no time."""
    with running(tmp_path_factory.mktemp("server"), "--step-seconds", "0") as one:
        yield one


def _healthy(server: Server) -> bool:
    try:
        return server.http.get("/health").status_code == 200
    except httpx.TransportError:
        return False


@pytest.fixture
def ready(start: Callable[..., Server]) -> Callable[..., Server]:
    """Starts a server and waits until it answers."""

    def begin(*arguments: str, **options: Any) -> Server:
        server = start(*arguments, **options)
        until(lambda: _healthy(server), "healthy")
        return server

    return begin


def make_clip(path: Path, *, frames: int = 60, sound: bool = True, width: int = 320, height: int = 256) -> Path:
    """A moving pattern with a 440 Hz tone."""
    rng = np.random.default_rng(1)
    pattern = rng.integers(0, 255, (height // 16, width // 16, 3)).repeat(16, 0).repeat(16, 1).astype(np.uint8)
    with Mp4Writer(path, width, height, 24, 48_000 if sound else None) as writer:
        for index in range(frames):
            writer.frame(np.roll(pattern, 4 * index, axis=1))
        if sound:
            time_s = np.arange(round(frames / 24 * 48_000)) / 48_000
            writer.sound(np.tile(0.4 * np.sin(2 * np.pi * 440 * time_s), (2, 1)).astype(np.float32))
    return path


@pytest.fixture(scope="session")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """2.5 s of 320×256 with sound."""
    return make_clip(tmp_path_factory.mktemp("media") / "clip.mp4")


def part(path: Path, kind: str) -> tuple[str, Any]:
    """A file as one of `input_references`."""
    return ("input_references", (path.name, path.read_bytes(), kind))
