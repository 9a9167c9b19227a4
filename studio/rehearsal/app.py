"""The ASGI application: routes of vLLM-Omni 0.30.0 that a video client touches, and `/_rehearsal…` beside them."""

from __future__ import annotations

import asyncio
import json
import time
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, ValidationError
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from studio import __version__
from studio.rehearsal.answers import (
    Refused,
    bad_request,
    layer_refusal,
    on_crash,
    on_framework_error,
    on_refused,
)
from studio.rehearsal.content import send
from studio.rehearsal.engine import Engine
from studio.rehearsal.faults import Faults
from studio.rehearsal.openapi import document
from studio.rehearsal.records import Job
from studio.rehearsal.submission import MODEL, create, create_sync

VLLM_VERSION = "0.30.0"

Endpoint = Callable[[Request], Awaitable[Response]]


def _engine(request: Request) -> Engine:
    engine: Engine = request.app.state.engine
    return engine


class _ListQuery(BaseModel):
    after: str | None = None
    limit: Annotated[int | None, Field(ge=0, le=100)] = None
    order: Literal["asc", "desc"] = "desc"


def _job(request: Request) -> Job:
    job = _engine(request).jobs.get(request.path_params["id"])
    if job is None:
        raise Refused(404, "Video not found")
    return job


def _record(job: Job, faults: Faults) -> dict[str, Any]:
    """The job's record as it goes out, with the ordered faults in it."""
    record = job.record()
    if job.open and (fault := faults.get("status")):
        record["status"] = fault.value or "preparing"
    if faults.get("capitals"):
        record["status"] = record["status"].upper()
    if job.file_name is not None and faults.get("expired"):
        record["expires_at"] = (job.completed_at or 0) - 3600
    return record


async def _list(request: Request) -> Response:
    try:
        query = _ListQuery.model_validate(dict(request.query_params))
    except ValidationError as error:
        raise layer_refusal(error.errors(include_url=False), "query") from error
    engine = _engine(request)
    page = engine.jobs.page(query.after, query.limit, query.order)
    return JSONResponse(page | {"data": [_record(job, engine.faults) for job in page["data"]]})


async def _show(request: Request) -> Response:
    job = _job(request)
    return JSONResponse(_record(job, _engine(request).faults), job.error.code if job.error else 200)


async def _content(request: Request) -> Response:
    job, engine = _job(request), _engine(request)
    if job.status == "failed":
        raise Refused(422, "Video generation failed. Check job status for error details.", kind="Unprocessable Entity")
    if job.file_name is None:
        raise Refused(404, "Generation is still in-progress")
    if engine.faults.take("content_404"):
        engine.storage.drop(job.id)
    path = engine.storage.path(job.id)
    if not path.is_file():
        raise Refused(404, "Generated video file not found on disk")

    def fetched() -> None:
        job.fetched = True

    return send(path, job.file_name, engine.faults, fetched)


async def _delete(request: Request) -> Response:
    job, engine = _job(request), _engine(request)
    if engine.faults.take("busy_delete"):
        raise Refused(409, "Cancellation in progress. Please try again later.")
    if job.open:
        engine.cancel(job)
    engine.storage.drop(job.id)
    engine.jobs.drop(job.id)
    return JSONResponse({"id": job.id, "deleted": True, "object": "video.deleted"})


async def _health(request: Request) -> Response:
    engine = _engine(request)
    if engine.dead or engine.faults.take("unhealthy"):
        return JSONResponse({"status": "unhealthy"}, 503)
    return JSONResponse({"status": "healthy"})


async def _models(request: Request) -> Response:
    now = int(time.time())
    permission = {
        "id": f"modelperm-{uuid.uuid4().hex[:16]}",
        "object": "model_permission",
        "created": now,
        "allow_create_engine": False,
        "allow_sampling": True,
        "allow_logprobs": True,
        "allow_search_indices": False,
        "allow_view": True,
        "allow_fine_tuning": False,
        "organization": "*",
        "group": None,
        "is_blocking": False,
    }
    card = {"id": MODEL, "object": "model", "created": now, "owned_by": "vllm", "root": MODEL}
    card |= {"parent": None, "max_model_len": None, "permission": [permission]}
    return JSONResponse({"object": "list", "data": [card]})


async def _version(request: Request) -> Response:
    return JSONResponse({"version": VLLM_VERSION})


async def _load(request: Request) -> Response:
    return JSONResponse({"server_load": 0})


async def _ping(request: Request) -> Response:
    return Response()


async def _metrics(request: Request) -> Response:
    engine = _engine(request)
    return PlainTextResponse(engine.metrics.exposition(engine.jobs))


async def _openapi(request: Request) -> Response:
    return JSONResponse(document())


async def _who(request: Request) -> Response:
    faults = _engine(request).faults.words()
    return JSONResponse({"rehearsal": True, "version": __version__, "faults": faults})


async def _gpus(request: Request) -> Response:
    return JSONResponse({"gpus": _engine(request).gpus.read()})


async def _set_faults(request: Request) -> Response:
    """Body: `{"faults": ["oom@3", …]}`; replaces the orders in force."""
    try:
        orders = json.loads(await request.body())["faults"]
        _engine(request).faults.replace(map(str, orders))
    except (ValueError, KeyError, TypeError) as error:
        raise bad_request(str(error)) from error
    return JSONResponse({"faults": _engine(request).faults.words()})


def _route(method: str, path: str, endpoint: Endpoint) -> Route:
    route = Route(path, endpoint, methods=[method])
    route.methods = {method}  # no HEAD: the real server answers 405
    return route


def _routes() -> list[Route]:
    return [
        _route("POST", "/v1/videos", create),
        _route("POST", "/v1/videos/sync", create_sync),
        _route("GET", "/v1/videos", _list),
        _route("GET", "/v1/videos/{id}", _show),
        _route("DELETE", "/v1/videos/{id}", _delete),
        _route("GET", "/v1/videos/{id}/content", _content),
        _route("GET", "/v1/models", _models),
        _route("GET", "/health", _health),
        _route("GET", "/version", _version),
        _route("GET", "/load", _load),
        _route("GET", "/ping", _ping),
        _route("GET", "/metrics", _metrics),
        _route("GET", "/openapi.json", _openapi),
        _route("GET", "/_rehearsal", _who),
        _route("GET", "/_rehearsal/gpus", _gpus),
        _route("PUT", "/_rehearsal/faults", _set_faults),
    ]


def build_app(engine: Engine, scratch: Path, gate: Middleware) -> Starlette:
    """The application. `scratch`: folder for uploads that wait for their job; `gate`: key check and wire faults."""

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        tasks = [asyncio.create_task(engine.run()), asyncio.create_task(engine.storage.sweep())]
        yield
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    handlers: dict[Any, Any] = {Refused: on_refused, HTTPException: on_framework_error, 500: on_crash}
    app = Starlette(routes=_routes(), middleware=[gate], exception_handlers=handlers, lifespan=lifespan)
    app.state.engine, app.state.scratch = engine, scratch
    return app
