"""The client on real sockets: large uploads in little memory, retries of what may be repeated and of nothing else."""

from __future__ import annotations

import asyncio
import resource
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from studio.client import Client, ClientError, Upload

Answer = Callable[[str, asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
OK_JOB = b'{"id": "v1", "object": "video", "status": "queued", "prompt": "x"}'


@asynccontextmanager
async def server(answer: Answer) -> AsyncIterator[tuple[str, list[str]]]:
    """A server on a socket that answers as told; what was asked is kept."""
    asked: list[str] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            asked.append(head.split("\r\n")[0])
            await answer(head, reader, writer)
            await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    listening = await asyncio.start_server(serve, "127.0.0.1", 0, limit=1 << 20)
    try:
        yield f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}", asked
    finally:
        listening.close()
        await listening.wait_closed()


def reply(status: str, body: bytes, *headers: str) -> bytes:
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", "Connection: close", *headers, "", ""]
    return "\r\n".join(lines).encode() + body


async def test_large_references_go_up_in_little_memory(tmp_path: Path) -> None:
    size, count = 40 << 20, 6
    for number in range(count):
        with (tmp_path / f"{number}.mp4").open("wb") as fp:
            fp.truncate(size)
    received = 0

    async def swallow(head: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal received
        length = next(int(line.split(":")[1]) for line in head.split("\r\n") if line.lower().startswith("content-len"))
        while received < length and (data := await reader.read(1 << 18)):
            received += len(data)
        writer.write(reply("200 OK", OK_JOB))

    seen: list[int] = []
    async with server(swallow) as (url, _), Client(url) as client:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        uploads = [Upload(tmp_path / f"{n}.mp4", f"video{n}.mp4", "video/mp4") for n in range(count)]
        job = await client.create([("prompt", "x")], uploads, lambda done, _total: seen.append(done))
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert job.id == "v1" and received > size * count
    assert seen == sorted(seen) and seen[-1] == size * count
    assert grown < 30 << 10, f"{grown} KiB more for {size * count >> 20} MiB of references"


async def test_a_get_is_repeated_and_a_post_never_is() -> None:
    async def break_twice(head: str, _reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal left
        left -= 1
        if left < 0:
            writer.write(reply("200 OK", OK_JOB, "Date: Mon, 01 Jan 2035 00:00:00 GMT"))

    left = 2
    async with server(break_twice) as (url, asked), Client(url) as client:
        assert (await client.get("v1")).id == "v1"
        assert len(asked) == 3
        assert client.clock_ahead > 10**7, "the server's clock is learned from its answers"
        left = 1
        with pytest.raises(ClientError, match="broke while the request was being sent"):
            await client.create([("prompt", "x")], [])
        assert len(asked) == 4


async def test_a_proxys_page_passes_and_a_failed_job_is_an_answer() -> None:
    failed = b'{"id": "v1", "object": "video", "status": "failed", "error": {"code": 502, "message": "boom"}}'
    bodies = [reply("502 Bad Gateway", b"<html>"), reply("502 Bad Gateway", failed)]

    async def answer(_head: str, _reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(bodies.pop(0))

    async with server(answer) as (url, _), Client(url) as client:
        assert (await client.get("v1")).standing == "failed"
    assert not bodies


async def test_a_download_goes_on_where_it_broke(tmp_path: Path) -> None:
    video = bytes(range(256)) * 4096
    ranges: list[str] = []

    async def answer(head: str, _reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked = next((line for line in head.split("\r\n") if line.lower().startswith("range")), "")
        ranges.append(asked.partition("=")[2])
        start = int(ranges[-1].rstrip("-") or 0)
        rest = video[start:]
        status = "206 Partial Content" if start else "200 OK"
        head_lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(rest)}", "Connection: close"]
        head_lines += [f"Content-Range: bytes {start}-{len(video) - 1}/{len(video)}"] if start else []
        writer.write("\r\n".join([*head_lines, "", ""]).encode() + rest[: len(rest) if len(ranges) > 2 else 400_000])

    part = tmp_path / "v.mp4.part"
    async with server(answer) as (url, _), Client(url) as client:
        await client.download("v1", part)
    assert part.read_bytes() == video
    assert ranges[0] == "" and [int(r.rstrip("-")) for r in ranges[1:]] == sorted(
        int(r.rstrip("-")) for r in ranges[1:]
    )


async def test_a_client_that_was_closed_is_a_server_that_cannot_be_reached() -> None:
    client = Client("http://127.0.0.1:9")
    await client.aclose()
    with pytest.raises(ClientError) as raised:
        await client.create([("prompt", "x")], [])
    assert raised.value.code == "server.unreachable"


async def test_nobody_there_is_said_with_the_address() -> None:
    async with Client("http://127.0.0.1:9") as client:
        with pytest.raises(ClientError, match=r"No server answers at http://127\.0\.0\.1:9"):
            await client.list()
