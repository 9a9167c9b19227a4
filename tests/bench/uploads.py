"""600 MiB of references through the client, against a server that only reads: how much more memory, how fast.

`python -m tests.bench.uploads [MIB]`; twelve files, the most that a request may have.
"""

from __future__ import annotations

import asyncio
import resource
import sys
import tempfile
import time
from pathlib import Path

from studio.client import Client, Upload

FILES = 12
_ANSWER = b'{"id": "v1", "object": "video", "status": "queued"}'


async def _swallow(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    head = (await reader.readuntil(b"\r\n\r\n")).lower()
    left = int(head.split(b"content-length:")[1].split(b"\r\n")[0])
    while left > 0 and (data := await reader.read(1 << 18)):
        left -= len(data)
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(_ANSWER), _ANSWER))
    await writer.drain()
    writer.close()


async def measure(folder: Path, mib: int) -> None:
    """Print the figure."""
    size = (mib << 20) // FILES
    uploads = []
    for number in range(FILES):
        path = folder / f"{number}.mp4"
        with path.open("wb") as fp:
            fp.truncate(size)
        uploads.append(Upload(path, f"video{number}.mp4", "video/mp4"))
    server = await asyncio.start_server(_swallow, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with server, Client(f"http://127.0.0.1:{port}") as client:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        began = time.perf_counter()
        await client.create([("prompt", "x")], uploads)
        seconds = time.perf_counter() - began
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    print(f"{mib} MiB in {FILES} files: {grown / 1024:.1f} MiB more memory at most, {mib / seconds:.0f} MiB/s")


def main() -> None:
    mib = int(sys.argv[1]) if len(sys.argv) > 1 else 600
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(measure(Path(folder), mib))


if __name__ == "__main__":
    main()
