"""A way to a server that lets so many bytes of an upload through and then no more."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

_BUFFER = 8 << 10


@dataclass(slots=True)
class NarrowWay:
    """`url` leads to the server. `asked` are the first lines of all requests on connections of their own."""

    url: str
    lets_through: int
    asked: list[str] = field(default_factory=list)


@asynccontextmanager
async def narrow_way(port: int, *, lets_through: int) -> AsyncIterator[NarrowWay]:
    """Connections to a server on this machine; one that brings a POST is read no further than told."""
    listening = socket.create_server(("127.0.0.1", 0))
    # Little is on the way, so that what is not read is not sent.
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _BUFFER)
    way = NarrowWay(f"http://127.0.0.1:{listening.getsockname()[1]}", lets_through)

    async def carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, up: bool) -> None:
        left: int | None = None
        while data := await reader.read(_BUFFER):
            if up and b" HTTP/1.1\r\n" in data[:200]:
                way.asked.append(data.split(b"\r\n")[0].decode())
                left = way.lets_through if data.startswith(b"POST") else None
            if left is not None and (left := left - len(data)) < 0:
                await asyncio.Event().wait()
            writer.write(data)
            await writer.drain()
        writer.close()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await asyncio.open_connection("127.0.0.1", port)
        both = [
            asyncio.ensure_future(carry(reader, back, up=True)),
            asyncio.ensure_future(carry(there, writer, up=False)),
        ]
        carrying.extend(both)
        with suppress(ConnectionError):
            await asyncio.wait(both)
        writer.close()
        back.close()

    carrying: list[asyncio.Future[None]] = []
    serving = await asyncio.start_server(serve, sock=listening)
    try:
        yield way
    finally:
        serving.close()
        for task in carrying:
            task.cancel()
        await asyncio.gather(*carrying, return_exceptions=True)
        await serving.wait_closed()
