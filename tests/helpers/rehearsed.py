"""What the rehearsal server's own rules say to a form and its files, without the HTTP between."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from starlette.datastructures import FormData, Headers, UploadFile

from studio.media.prepare import Prepared
from studio.rehearsal.answers import Refused
from studio.rehearsal.request import build_request, read_form
from studio.rehearsal.rules import Plan, resolve
from studio.rehearsal.uploads import take_references
from studio.rehearsal.worker import WorkerError


def answer(fields: Sequence[tuple[str, str]], files: Sequence[Prepared], folder: Path) -> Plan | str:
    """The plan that the rehearsal server would render, or the sentence of its refusal."""
    with ExitStack() as opened:
        uploads = [
            UploadFile(
                opened.enter_context(file.output.open("rb")),
                size=file.output.stat().st_size,
                filename=file.filename,
                headers=Headers({"content-type": file.content_type}),
            )
            for file in files
        ]
        return asyncio.run(_answer([*fields, *(("input_references", upload) for upload in uploads)], folder))


async def _answer(items: Sequence[tuple[str, str | UploadFile]], folder: Path) -> Plan | str:
    try:
        form = read_form(FormData(items))
        request = build_request(form)
        references = await take_references(form.input_references, folder)
    except Refused as refused:
        return refused.message
    try:
        return resolve(request, references, seed=1)
    except WorkerError as error:
        return error.message
    finally:
        references.discard()
