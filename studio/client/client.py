"""One server, one connection pool. A POST is never repeated; GETs are, with back-off. Cancelling reaches the socket."""

from __future__ import annotations

import asyncio
import contextlib
import io
import random
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit

import httpx

from studio.client.errors import ClientError, error_of, unreachable
from studio.client.wire import VideoJob, as_job
from studio.core.clock import Clock, SystemClock

Progress = Callable[[int, int], None]
"""Called with (bytes so far, bytes in all)."""

# Answers can stall for the whole MP4 encode (server-api §0.10); the server decodes references before it answers a POST.
_GET = httpx.Timeout(connect=5, read=90, write=60, pool=10)
_POST = httpx.Timeout(connect=5, read=300, write=300, pool=10)
_TRIES = 4
_CHUNK = 1 << 18


@dataclass(frozen=True, slots=True)
class Upload:
    """A file part: the path on this machine, the name and type that the server is told, the field that it goes in."""

    path: Path
    filename: str
    content_type: str
    field: str = "input_references"


class _Counted(io.FileIO):
    """A file that tells how far it was read; httpx reads it piece by piece, so memory stays flat."""

    def __init__(self, path: Path, on_read: Callable[[int], None]) -> None:
        super().__init__(path, "rb")
        self._on_read = on_read

    def read(self, size: int | None = -1, /) -> bytes:
        data = super().read(-1 if size is None else size) or b""
        self._on_read(len(data))
        return data


class _Http(httpx.AsyncClient):
    """Closed, it is a server that cannot be reached: whoever uses it need not know when its owner lets go of it."""

    async def send(self, request: httpx.Request, **options: Any) -> httpx.Response:
        if self.is_closed:
            raise httpx.ConnectError("the connection was closed here", request=request)
        return await super().send(request, **options)


class Client:
    """HTTP to one server. `transport` is for tests; `clock` paces retries."""

    def __init__(
        self,
        url: str,
        *,
        api_key: str | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
        clock: Clock | None = None,
    ) -> None:
        self.url = url.rstrip("/")
        self.clock_ahead = 0.0
        """Seconds by which the server's clock was ahead of ours when it last answered, to a second or so."""
        self._clock = clock or SystemClock()
        host = urlsplit(self.url).hostname or ""
        headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
        self._http = _Http(
            base_url=self.url,
            headers=headers,
            timeout=_GET,
            transport=transport,
            # The server closes idle connections after 5 s: never reuse one that old.
            limits=httpx.Limits(max_connections=8, keepalive_expiry=3.0),
            # A proxy of the user's environment has no business with this machine's own server.
            trust_env=host not in ("localhost", "127.0.0.1", "::1"),
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, e: BaseException | None, tb: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close all connections."""
        await self._http.aclose()

    async def healthy(self) -> bool:
        """`/health` answers 200. Raises ClientError when nothing answers at all."""
        try:
            return (await self._http.get("/health", timeout=5)).status_code == 200
        except httpx.TransportError as error:
            raise unreachable(error, self.url) from error

    async def version(self) -> str | None:
        """vLLM's version (not vLLM-Omni's), or None when the server does not say."""
        response = await self._get("/version")
        body = _json(response)
        return str(body["version"]) if response.is_success and isinstance(body, dict) and "version" in body else None

    async def model(self) -> str | None:
        """The first served model's name: the only one that the server accepts. Checks the API key on the way."""
        response = await self._get("/v1/models")
        if not response.is_success:
            raise error_of(response, self.url)
        body = _json(response)
        try:
            return str(body["data"][0]["id"])
        except (KeyError, IndexError, TypeError):
            raise ClientError(
                "server.bad_answer", mend="server.bad_answer.mend", url=self.url, status=response.status_code
            ) from None

    async def openapi(self) -> object:
        """The server's description of its routes and forms; None when it shows none (`--disable-fastapi-docs`)."""
        # vllm-omni 0.30.0 puts it together at the first question, which took up to 5 s; no key is asked for.
        try:
            response = await self._http.get("/openapi.json", timeout=15)
        except httpx.TransportError as error:
            raise unreachable(error, self.url) from error
        return _json(response) if response.is_success else None

    async def create(
        self,
        fields: Sequence[tuple[str, str]],
        uploads: Sequence[Upload],
        on_progress: Progress | None = None,
    ) -> VideoJob:
        """POST a job, streaming its files. Never repeated: see `studio.jobs.ambiguity` for a broken answer.

        Raises ClientError `server.refused` (400), `server.upload_lost` when the connection broke after it was made,
        `server.unreachable` when it never was.
        """
        total = sum(u.path.stat().st_size for u in uploads)
        sent = 0

        def count(size: int) -> None:
            nonlocal sent
            sent = min(total, sent + size)
            if on_progress is not None:
                on_progress(sent, total)

        data: dict[str, str | list[str]] = {}
        for name, value in fields:
            data[name] = value
        with ExitStack() as stack:
            files = [
                (u.field, (u.filename, stack.enter_context(_Counted(u.path, count)), u.content_type)) for u in uploads
            ]
            # Without files the form goes urlencoded: the server's parser takes both alike.
            try:
                response = await self._http.post("/v1/videos", data=data, files=files or None, timeout=_POST)
            except (httpx.ConnectError, httpx.ConnectTimeout) as error:
                raise unreachable(error, self.url) from error
            except httpx.TransportError as error:
                raise ClientError("server.upload_lost", detail=repr(error), url=self.url) from error
        if response.is_success and (job := as_job(_json(response))) is not None:
            return job
        if response.is_success:
            raise ClientError("server.upload_lost", detail="unreadable answer", url=self.url)
        raise error_of(response, self.url)

    async def get(self, job_id: str) -> VideoJob:
        """The job's state; a failed one too (it comes with an error status and the job as body)."""
        response = await self._get(f"/v1/videos/{job_id}")
        if (job := as_job(_json(response))) is not None:
            return job
        raise error_of(response, self.url)

    async def list(self) -> list[VideoJob]:
        """All jobs that the server knows, newest first."""
        response = await self._get("/v1/videos")
        body = _json(response)
        if not response.is_success or not isinstance(body, dict):
            raise error_of(response, self.url)
        return [job for entry in body.get("data", []) if (job := as_job(entry)) is not None]

    async def delete(self, job_id: str) -> None:
        """Cancel a job, or delete a finished one with its file. A job already gone is fine."""
        for attempt in range(_TRIES):
            try:
                response = await self._http.delete(f"/v1/videos/{job_id}")
            except httpx.TransportError as error:
                raise unreachable(error, self.url) from error
            if response.is_success or response.status_code == 404:
                return
            if response.status_code != 409:
                break
            await self._clock.sleep(1.0 + attempt)
        raise error_of(response, self.url)

    async def download(self, job_id: str, part: Path, on_progress: Progress | None = None) -> None:
        """Fetch a finished video into `part`, going on where an earlier attempt stopped (Range).

        Returns when `part` has the announced length. Raises ClientError `server.broken_download` after several
        attempts, with what came kept; OSError when the disk refuses.
        """
        size = 0
        for attempt in range(_TRIES):
            try:
                size = await self._fetch(job_id, part, on_progress)
                if part.stat().st_size == size:
                    return
                if part.stat().st_size > size:
                    part.unlink()
            except httpx.TransportError as error:
                if attempt == _TRIES - 1 and not (part.exists() and part.stat().st_size):
                    raise unreachable(error, self.url) from error
            await self._clock.sleep(_pause(attempt))
        got = part.stat().st_size if part.exists() else 0
        raise ClientError("server.broken_download", mend="server.broken_download.mend", got=got, size=size)

    async def _fetch(self, job_id: str, part: Path, on_progress: Progress | None) -> int:
        have = part.stat().st_size if part.exists() else 0
        headers = {"Accept-Encoding": "identity"}
        if have:
            headers["Range"] = f"bytes={have}-"
        async with self._http.stream("GET", f"/v1/videos/{job_id}/content", headers=headers) as response:
            if response.status_code == 416:
                total = _total(response.headers)
                if total != have:
                    part.unlink()
                return total
            if not response.is_success:
                await response.aread()
                raise error_of(response, self.url)
            resumed = response.status_code == 206
            announced = response.headers.get("content-length")
            total = _total(response.headers) if resumed else int(announced or 0)
            got = have if resumed else 0
            with part.open("ab" if resumed else "wb") as fp:
                async for chunk in response.aiter_raw(_CHUNK):
                    await asyncio.to_thread(fp.write, chunk)
                    got += len(chunk)
                    if on_progress is not None:
                        on_progress(got, total or got)
        return total or got

    async def _get(self, path: str) -> httpx.Response:
        for attempt in range(_TRIES):
            try:
                response = await self._http.get(path)
            except httpx.TransportError as error:
                if attempt == _TRIES - 1:
                    raise unreachable(error, self.url) from error
            else:
                self._read_clock(response)
                if not _passes(response) or attempt == _TRIES - 1:
                    return response
            await self._clock.sleep(_pause(attempt))
        raise AssertionError("unreachable")

    def _read_clock(self, response: httpx.Response) -> None:
        with contextlib.suppress(KeyError, ValueError):
            there = parsedate_to_datetime(response.headers["date"])
            self.clock_ahead = there.timestamp() - self._clock.now()


def _passes(response: httpx.Response) -> bool:
    """Whether to ask again: a proxy's page, or an answer that was cut off. A failed job's 5xx is an answer."""
    if response.is_success:
        return _json(response) is None
    return response.status_code in (502, 503, 504) and as_job(_json(response)) is None


def _pause(attempt: int) -> float:
    return float((0.25 * 2**attempt) * random.uniform(0.8, 1.2))


def _json(response: httpx.Response) -> Any:
    try:
        return response.json()
    except ValueError:
        return None


def _total(headers: Mapping[str, str]) -> int:
    _, _, total = headers.get("content-range", "").partition("/")
    return int(total) if total.isdigit() else 0
