"""The two routes that take the form: POST /v1/videos, which answers with a job, and …/sync, which answers with the MP4
(vllm-omni 0.30.0, entrypoints/openai/api_server.py)."""

from __future__ import annotations

import asyncio
import json
import os
import time
import uuid
from pathlib import Path

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from studio.rehearsal.answers import Refused, bad_request
from studio.rehearsal.content import MEDIA_TYPE
from studio.rehearsal.control import check_control
from studio.rehearsal.edit_upload import EditUpload, keep_sources, read_masks
from studio.rehearsal.engine import Engine
from studio.rehearsal.injection import ENGINE_DEAD
from studio.rehearsal.legacy import take_other_references
from studio.rehearsal.records import Job
from studio.rehearsal.request import VideoForm, VideoGenerationRequest, build_request, read_form
from studio.rehearsal.uploads import References, take_references

MODEL = "MiniMaxAI/MiniMax-H3"
TEXT_PART = 1 << 20  # bytes
SYNC_SECONDS = 600.0


async def create(request: Request) -> Response:
    """Queue a job and answer with its record."""
    job, engine = await _read_job(request), _engine(request)
    answer = JSONResponse(job.record())
    engine.submit(job)
    return answer


async def create_sync(request: Request) -> Response:
    """Render and answer with the file; nothing is kept. A client that leaves does not stop it."""
    job, engine = await _read_job(request), _engine(request)
    job.id = f"video_sync-{uuid.uuid4().hex[:16]}"
    limit = float(os.environ.get("VLLM_OMNI_VIDEO_SYNC_TIMEOUT", SYNC_SECONDS))
    began = time.monotonic()
    engine.submit(job, listed=False)
    try:
        await asyncio.wait_for(job.ended.wait(), limit)
    except TimeoutError:
        engine.cancel(job)
        raise Refused(504, f"Video generation timed out after {limit}s.") from None
    if job.error is not None:
        return _sync_failure(job)
    path = engine.storage.path(job.id)
    body = await asyncio.to_thread(path.read_bytes)
    engine.storage.drop(job.id)
    headers = {
        "x-request-id": job.id,
        "x-model": MODEL,
        "x-inference-time-s": f"{time.monotonic() - began:.3f}",
        "x-stage-durations": json.dumps(job.stage_durations, separators=(",", ":")),
        "x-peak-memory-mb": f"{job.peak_memory_mb:.3f}",
    }
    return Response(body, media_type=MEDIA_TYPE, headers=headers)


def _sync_failure(job: Job) -> Response:
    assert job.error is not None
    code, message = job.error.code, job.error.message
    if message == ENGINE_DEAD:
        error = {"message": message, "type": "InternalServerError", "param": None, "code": code}
        return JSONResponse({"error": error | {"request_id": job.id, "error_stage_id": 0}}, code)
    raise Refused(code, message if code < 500 else f"Video generation failed: {message}")


def _engine(request: Request) -> Engine:
    engine: Engine = request.app.state.engine
    return engine


async def _read_job(request: Request) -> Job:
    # A body that is no form reads as an empty form.
    async with request.form(max_part_size=TEXT_PART) as data:
        form = read_form(data)
        asked = build_request(form)
        if asked.model is not None and asked.model != MODEL:
            said = f"Model mismatch: request specifies '{asked.model}' but server is running '{MODEL}'."
            raise bad_request(said)
        masks = await read_masks(form)
        check_control(form)
        references = await _references(form, request.app.state.scratch, asked, masks)
    _engine(request).log.info("helpers.py:948", "Video generation handler: OmniOpenAIServingVideo")
    return Job(asked, references, MODEL)


async def _references(
    form: VideoForm, scratch: Path, asked: VideoGenerationRequest, masks: EditUpload | None
) -> References:
    if form.input_references:
        references = await take_references(form.input_references, scratch)
    else:
        references = References()
    try:
        await take_other_references(form, asked, references, scratch)
        references.edit = await keep_sources(form, masks, scratch)
    except Refused:
        references.discard()
        raise
    return references
