"""The download of a result: ranges and headers as FileResponse gives them, and the ways a download goes wrong."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path

from starlette.background import BackgroundTask
from starlette.responses import FileResponse, Response, StreamingResponse

from studio.rehearsal.faults import Faults

MEDIA_TYPE = "video/mp4"
_CHUNK = 1 << 14
_NOISE = bytes.maketrans(bytes(range(256)), bytes(byte ^ 0x5A for byte in range(256)))


def send(path: Path, name: str, faults: Faults, done: Callable[[], None]) -> Response:
    """The answer to `GET …/content`. `done` is called once the whole file was answered."""
    slow, chunked = faults.take("slow"), faults.take("chunked")
    spoilt = _spoilt(path, faults)
    if slow is None and chunked is None and spoilt is None:
        return FileResponse(path, media_type=MEDIA_TYPE, filename=name, background=BackgroundTask(done))
    body, promised = spoilt or (path.read_bytes(), path.stat().st_size)
    headers = {"content-disposition": f'attachment; filename="{name}"', "accept-ranges": "bytes"}
    if chunked is None:
        headers["content-length"] = str(promised)
    pause = _CHUNK / slow.number(65_536) if slow else 0.0
    return StreamingResponse(_stream(body, pause), media_type=MEDIA_TYPE, headers=headers)


def _spoilt(path: Path, faults: Faults) -> tuple[bytes, int] | None:
    """The bytes that will be sent and the length that is promised, when a fault is in force."""
    size = path.stat().st_size
    if fault := faults.take("reset"):
        return path.read_bytes()[: int(fault.number(size // 2))], size
    if fault := faults.take("wrong_length"):
        return path.read_bytes(), size + int(fault.number(4096))
    if fault := faults.take("truncated"):
        short = path.read_bytes()[: int(fault.number(size // 2))]
        return short, len(short)
    if faults.take("corrupt"):
        whole = path.read_bytes()
        a, b = size // 3, 2 * size // 3
        return whole[:a] + whole[a:b].translate(_NOISE) + whole[b:], size
    return None


async def _stream(body: bytes, pause: float) -> AsyncIterator[bytes]:
    for start in range(0, len(body), _CHUNK):
        yield body[start : start + _CHUNK]
        await asyncio.sleep(pause)
