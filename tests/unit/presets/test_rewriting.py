"""The assistant: a real service on a real port, answers good and bad, nothing changed unless it is whole."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from studio.presets.rewriting import RewriteError, rewrite

Answer = Callable[[dict[str, Any], dict[str, str]], tuple[int, Any]]


@asynccontextmanager
async def service(answer: Answer) -> AsyncIterator[str]:
    """An OpenAI-compatible service that answers as `answer(body, headers)` says; gives its base address."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        headers = {k.lower(): v for k, _, v in (line.partition(": ") for line in head.split("\r\n")[1:])}
        body = json.loads(await reader.readexactly(int(headers["content-length"])))
        status, said = answer(body, headers | {"path": head.split()[1]})
        data = said if isinstance(said, bytes) else json.dumps(said).encode()
        writer.write(b"HTTP/1.1 %d X\r\nContent-Length: %d\r\nConnection: close\r\n\r\n" % (status, len(data)) + data)
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    try:
        yield f"http://127.0.0.1:{port}/v1/"
    finally:
        server.close()
        await server.wait_closed()


def said(text: Any) -> dict[str, Any]:
    return {"choices": [{"message": {"role": "assistant", "content": text}}]}


async def test_the_answer_is_the_prompt() -> None:
    seen: list[Any] = []

    def answer(body: dict[str, Any], headers: dict[str, str]) -> tuple[int, Any]:
        seen.append((body, headers))
        return 200, said(" A boat, as in {video 1}, in rain. \n")

    async with service(answer) as url:
        text = await rewrite("boat {video 1} rain", "ref2va", url=url, model="tiny", key="secret")
    assert text == "A boat, as in {video 1}, in rain."
    ((body, headers),) = seen
    assert headers["path"] == "/v1/chat/completions"
    assert headers["authorization"] == "Bearer secret"
    assert body["model"] == "tiny"
    assert body["messages"][1] == {"role": "user", "content": "boat {video 1} rain"}


@pytest.mark.parametrize(
    ("status", "reply", "code"),
    [
        (401, {"error": "no"}, "rewrite.refused"),
        (200, said("A boat in rain."), "rewrite.lost_names"),
        (200, said("{video 1} and {video 2}"), "rewrite.lost_names"),
        (200, said("  "), "rewrite.odd"),
        (200, said(None), "rewrite.odd"),
        (200, {"choices": []}, "rewrite.odd"),
        (200, b"<html>", "rewrite.odd"),
    ],
)
async def test_any_other_answer_is_said_in_words(status: int, reply: Any, code: str) -> None:
    async with service(lambda _body, _headers: (status, reply)) as url:
        with pytest.raises(RewriteError) as caught:
            await rewrite("{video 1} rain", "ref2va", url=url, model="", key=None)
    assert caught.value.code == code
    assert url in caught.value.text()


async def test_nobody_there_is_said_in_words() -> None:
    async with service(lambda _body, _headers: (200, {})) as url:
        pass
    with pytest.raises(RewriteError) as caught:
        await rewrite("x", "t2va", url=url, model="", key=None)
    assert caught.value.code == "rewrite.unreachable"
