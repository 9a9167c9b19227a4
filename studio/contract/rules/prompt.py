"""The prompt: there, not too large to send, and naming the references that go along."""

from __future__ import annotations

import json
from collections.abc import Iterator

from studio.contract import offers
from studio.contract.findings import Finding, Params, Severity
from studio.contract.labels import label_order, literal_tags, mentions, prompt_text, tags
from studio.contract.request import Request
from studio.contract.wire import extra_params


def check(request: Request) -> Iterator[Finding]:
    """Findings about the prompt."""
    yield from _text(request)
    yield from _mentions(request)
    yield from _literal_tags(request)
    yield from _unmentioned(request)


def _text(request: Request) -> Iterator[Finding]:
    text, limit = prompt_text(request), request.limits.text_part_bytes_max
    if not text:
        yield Finding("prompt.empty", Severity.ERROR, "prompt", {}, (), "MiniMax H3 requires a non-empty prompt")
    elif text.isspace():
        yield Finding("prompt.blank", Severity.WARNING, "prompt")
    parts = {"prompt": text, "extra": json.dumps(extra_params(request), ensure_ascii=False)}
    for subject, part in parts.items():
        size = len(part.encode("utf-8", "surrogatepass"))
        if size > limit:
            says = f"Part exceeded maximum size of {limit >> 10}KB."
            yield Finding(f"{subject}.too_large", Severity.ERROR, subject, {"is": size, "limit": limit}, (), says)


def _mentions(request: Request) -> Iterator[Finding]:
    sent = tags(request)
    for ref_id in dict.fromkeys(m.ref_id for m in mentions(request.shot.prompt)):
        if ref_id in sent:
            continue
        reference = request.shot.reference(ref_id)
        code = "prompt.mention.gone" if reference is None else "prompt.mention.unsent"
        params: Params = {"id": ref_id, "name": reference.path.name if reference else ref_id}
        yield Finding(code, Severity.WARNING, "prompt", params, (offers.unmention(ref_id),))


def _literal_tags(request: Request) -> Iterator[Finding]:
    known = label_order(request)
    for tag in literal_tags(request.shot.prompt):
        if tag not in known:
            params: Params = {"tag": tag, "known": ", ".join(known) or "–"}
            yield Finding("prompt.tag.unknown", Severity.WARNING, "prompt", params)


def _unmentioned(request: Request) -> Iterator[Finding]:
    # First and last pictures speak for themselves; only references need a name.
    if request.shot.task != "ref2va" or not request.shot.prompt:
        return
    mentioned = {m.ref_id for m in mentions(request.shot.prompt)}
    written = set(literal_tags(request.shot.prompt))
    for ref_id, own in tags(request).items():
        reference = request.shot.reference(ref_id)
        if reference is None or not own or ref_id in mentioned or written & set(own):
            continue
        params: Params = {"name": reference.path.name, "tag": own[-1]}
        mend = offers.mention(reference, own[-1])
        yield Finding("ref.unmentioned", Severity.NOTE, ref_id, params, (mend,))
