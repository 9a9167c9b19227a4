"""Many jobs from many clients, and forms that no sound client sends."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import httpx
import psutil

from tests.integration.rehearsal.conftest import Server, until

BASE = {"seconds": "4", "aspect_ratio": "1:1", "num_inference_steps": "1", "seed": "1"}


@dataclass(frozen=True)
class Crowd:
    """Ids in the order of creation and of saving; resident MiB of the server after each quarter; sizes of the files."""

    created: list[str]
    saved: list[str]
    memory: list[float]
    sizes: list[int]


def crowd(server: Server, jobs: int, clients: int, edge: int = 256) -> Crowd:
    """`clients` clients post `jobs` jobs of edge × edge px together; everything is fetched and left in place."""
    process = psutil.Process(server.process.pid)
    memory = []
    for _ in range(4):
        with ThreadPoolExecutor(clients) as pool:
            list(pool.map(lambda _: _post(server, edge), range(jobs // 4)))
        until(lambda: _all_ended(server), "all ended", seconds=600)
        memory.append(process.memory_info().rss / (1 << 20))
    listed = server.http.get("/v1/videos", params={"order": "asc"}).json()["data"]
    saved = re.findall(r"Video request (\S+) persisted", server.stdout.read_text())
    sizes = [len(server.http.get(f"/v1/videos/{job['id']}/content").content) for job in listed]
    return Crowd([job["id"] for job in listed], saved, memory, sizes)


def _post(server: Server, edge: int) -> None:
    size = {"width": str(edge), "height": str(edge)}
    answer = httpx.post(f"{server.url}/v1/videos", data={"prompt": "a red kite", **BASE, **size}, timeout=600)
    assert answer.status_code == 200


def _all_ended(server: Server) -> bool:
    jobs = server.http.get("/v1/videos", timeout=600).json()["data"]
    return all(job["status"] in ("completed", "failed") for job in jobs)


def fuzz(server: Server, count: int, seed: int) -> list[int]:
    """Send so many broken forms; gives the statuses of the answers. Jobs that come of it run to their end."""
    statuses = []
    for content_type, body in _broken_forms(count, seed):
        headers = {"content-type": content_type} if content_type else {}
        answer = server.http.post("/v1/videos", content=body, headers=headers, timeout=600)
        statuses.append(answer.status_code)
        assert answer.headers["content-type"] == "application/json"
        answer.json()
    until(lambda: _all_ended(server), "all ended", seconds=600)
    return statuses


_NAMES = [
    *("prompt", "seconds", "size", "width", "height", "fps", "seed", "num_frames", "aspect_ratio", "short_edge"),
    *("num_inference_steps", "flow_shift", "quality", "lora", "extra_params", "model", "start_time_seconds"),
    *("input_references", "input_reference", "image_reference", "video_reference", "audio_reference"),
    *("control_reference", "source_video", "video_noise_mask", "return_stage_metrics", "", "x" * 300, "ключ", 'a"b'),
]
_VALUES = [
    *(b"", b"0", b"-1", b"4", b"1e308", b"NaN", b"null", b"[]", b"{}", b'"', b"\x00", b"\xff\xfe", b"9" * 400),
    *(b'{"task":"ref2va"}', b'{"target":[]}', b'{"duration":{}}', b'{"duration":NaN}', b'{"frame_indices":[[0]]}'),
    *(b'{"start_time_seconds":"x"}', b'{"video_codec_options":5}', b'{"audio_flow_shift":[1]}', b'{"a":' * 3000),
    *(
        b'{"image_url":5}',
        b'[{"image_url":"data:image/png;base64,!!!"}]',
        b'{"video_url":"data:video/mp4;base64,AA=="}',
    ),
    *("\U0001f642 prompt".encode(), "مرحبا".encode(), b"256x256", b"16:9", b"\r\n--b--\r\n", b"x" * (1 << 20) + b"y"),
]
_DISPOSITIONS = ('; filename="a.mp4"', '; filename="a.png"', '; filename=""', "; filename*=utf-8''%ff", ";;", "")
_TYPES = ("video/mp4", "image/png", "audio/wav", "text/plain", "image/", "\\", "")


def _broken_forms(count: int, seed: int) -> Iterator[tuple[str, bytes]]:
    rng = random.Random(seed)
    for _ in range(count):
        body = b"".join(_part(rng) for _ in range(rng.randint(0, 6)))
        body = _field("prompt", b"fuzz") + _field("width", b"64") + _field("height", b"64") + body + b"--b--\r\n"
        kind = "multipart/form-data; boundary=b"
        match rng.randrange(8):
            case 0:
                body = body[: rng.randrange(len(body))]
            case 1:
                position = rng.randrange(len(body))
                body = body[:position] + rng.randbytes(9) + body[position:]
            case 2:
                kind = rng.choice(("multipart/form-data", "application/json", "", "multipart/form-data; boundary=c"))
            case 3:
                kind, body = "application/x-www-form-urlencoded", b"prompt=a&width=64&height=64&" + rng.choice(_VALUES)
        yield kind, body


def _field(name: str, value: bytes) -> bytes:
    return f'--b\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n'.encode() + value + b"\r\n"


def _part(rng: random.Random) -> bytes:
    name, value = rng.choice(_NAMES), rng.choice(_VALUES)
    if rng.random() < 0.6:
        return _field(name, value)
    head = f'--b\r\nContent-Disposition: form-data; name="{name}"{rng.choice(_DISPOSITIONS)}\r\n'
    if kind := rng.choice(_TYPES):
        head += f"Content-Type: {kind}\r\n"
    return head.encode() + b"\r\n" + value + b"\r\n"
