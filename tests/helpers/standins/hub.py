"""A local stand-in of the model hub: its API's shapes, a small model, and ways to go wrong.

Shapes as huggingface_hub 1.33 reads them: `/api/models/REPO/revision/REV`, `/REPO/resolve/REV/PATH` with ETag,
`X-Repo-Commit`, ranges, and `X-Error-Code` on refusals.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

COMMIT = "42ed227ee7df40d41602854ae760620d6eb651fe"
_CHUNK = 1 << 20
LARGE = "FL2VA/transformer/model-00001-of-00002.safetensors"
"""24 MiB: huggingface_hub writes ten at a time, and what it has not written it cannot go on from."""


def small_model() -> dict[str, bytes]:
    """Every file that a combined server reads, at a few kilobytes each."""
    files = {"model_index.json": _json(_class_name="MiniMaxH3ModularPipeline", _diffusers_version="0.36")}
    for part in ("FL2VA", "Ref2VA"):
        files[f"{part}/model_index.json"] = _json(_minimax_h3={"partition": part.lower()})
        for name in ("transformer", "text_encoder"):
            shards = [f"model-0000{n}-of-00002.safetensors" for n in (1, 2)]
            files[f"{part}/{name}/config.json"] = b"{}"
            weights = {f"layer.{n}": shard for n, shard in enumerate(shards)}
            files[f"{part}/{name}/model.safetensors.index.json"] = _json(weight_map=weights)
            files |= {f"{part}/{name}/{shard}": shard.encode() * 8000 for shard in shards}
        for name in (
            "tokenizer/tokenizer_config.json",
            "processor/chat_template.json",
            "processor/merges.txt",
            "processor/preprocessor_config.json",
            "processor/tokenizer_config.json",
            "processor/tokenizer.json",
            "processor/video_preprocessor_config.json",
            "processor/vocab.json",
            "video_vae/config.json",
            "video_vae/model.safetensors",
            "audio_vae/config.json",
            "audio_vae/config.yaml",
            "audio_vae/metadata.json",
            "audio_vae/minimax_h3_audio_vae.py",
            "audio_vae/model.safetensors",
        ):
            files[f"{part}/{name}"] = name.encode() * 40
    files[LARGE] = bytes(range(256)) * (24 << 12)
    files["transformer/big.safetensors"] = b"other consumers' weights" * 1000
    return files


@dataclass
class Hub:
    """`faults`: path → what goes wrong at its next GETs, in order: truncate, stall, damage, 500, 401, 403."""

    files: dict[str, bytes]
    refuses: int = 0
    """401 or 403 for everything, as for a gated repository."""
    code: str = "GatedRepo"
    faults: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    asked: list[tuple[str, int]] = field(default_factory=list)
    """(path, first byte) of each GET of a file."""
    heads: int = 0
    """How often a file's head was asked for."""
    slow: float = 0.0
    """Seconds between pieces of a file."""
    url: str = ""

    def info(self, _request: Request) -> Response:
        if self.refuses:
            return self._refused(self.refuses)
        rows = [self._row(name, data) for name, data in self.files.items()]
        return JSONResponse({"id": "MiniMaxAI/MiniMax-H3", "sha": COMMIT, "siblings": rows})

    def _row(self, name: str, data: bytes) -> dict[str, object]:
        row: dict[str, object] = {"rfilename": name, "size": len(data), "blobId": "0" * 40}
        if name.endswith(".safetensors"):
            digest = hashlib.sha256(data).hexdigest()
            row["lfs"] = {"sha256": digest, "size": len(data), "pointerSize": 135}
        return row

    async def file(self, request: Request) -> Response:
        path = request.path_params["path"]
        data = self.files.get(path)
        if data is None:
            return Response(status_code=404, headers={"X-Error-Code": "EntryNotFound"})
        etag = hashlib.sha256(data).hexdigest()
        headers = {"ETag": f'"{etag}"', "X-Repo-Commit": COMMIT, "Accept-Ranges": "bytes"}
        if request.method == "HEAD":
            self.heads += 1
            if self.refuses:
                return self._refused(self.refuses)
            return Response(headers={**headers, "Content-Length": str(len(data))})
        found = re.match(r"bytes=(\d+)-", request.headers.get("range", ""))
        first = int(found[1]) if found else 0
        self.asked.append((path, first))
        fault = self.faults[path].pop(0) if self.faults[path] else ""
        if fault in ("401", "403"):
            return self._refused(int(fault))
        if fault == "500":
            return Response(status_code=500)
        headers["Content-Length"] = str(len(data) - first)
        if first:
            headers["Content-Range"] = f"bytes {first}-{len(data) - 1}/{len(data)}"
        return StreamingResponse(self._pieces(data[first:], fault), 206 if first else 200, headers)

    async def _pieces(self, data: bytes, fault: str) -> AsyncIterator[bytes]:
        for at in range(0, len(data), _CHUNK):
            if fault and at >= len(data) // 2:
                if fault == "stall":
                    await asyncio.Event().wait()
                if fault == "damage":
                    data = data[:at] + bytes(len(data) - at)
                    fault = ""
                else:
                    raise ConnectionResetError  # truncated: the length that was promised does not come
            yield data[at : at + _CHUNK]
            await asyncio.sleep(self.slow)

    def _refused(self, status: int) -> Response:
        return Response(status_code=status, headers={"X-Error-Code": self.code, "X-Error-Message": "Access denied"})


@asynccontextmanager
async def hub(files: dict[str, bytes] | None = None) -> AsyncIterator[Hub]:
    """A hub on a free port of this machine."""
    made = Hub(small_model() if files is None else files)
    routes = [
        Route("/api/models/MiniMaxAI/MiniMax-H3/revision/{revision}", made.info),
        Route("/MiniMaxAI/MiniMax-H3/resolve/{revision}/{path:path}", made.file),
    ]
    config = uvicorn.Config(Starlette(routes=routes), port=0, log_config=None, timeout_graceful_shutdown=1)
    server = uvicorn.Server(config)
    serving = asyncio.ensure_future(server._serve())
    try:
        while not server.started:
            await asyncio.sleep(0.01)
        made.url = f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
        yield made
    finally:
        server.should_exit = True
        await serving


def _json(**plain: object) -> bytes:
    return json.dumps(plain).encode()
