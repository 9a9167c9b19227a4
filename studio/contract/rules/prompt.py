"""The prompt: there, not too large to send, and naming the references that go along."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from urllib.parse import quote_plus

from studio.contract import offers
from studio.contract.facts import Unreadable
from studio.contract.findings import Finding, Params, Severity
from studio.contract.labels import label_order, literal_tags, mentioned, tags, window_prompts
from studio.contract.request import Request
from studio.contract.wire import WireForm

HOSTED_MAX = 7_000
"""Characters that MiniMax's own service takes; this server takes any number (vllm-omni 0.30.0, h3-contract.md §10)."""
_ESCAPED = 3
"""Bytes that one byte may become in a urlencoded form."""
_MARKED_SPEECH = re.compile(r"<d>.*?</d>", re.DOTALL)
_QUOTE = re.compile(r"[\"“](?=[^\"”]{2})")
_SPEAKING = re.compile(
    r"(?:\b(?:say|says|said|saying|asks?|shouts?|whispers?|sings?|replies|speaks?)\b|说|喊|问|唱)[^<>.“”\"]*$",
    re.IGNORECASE,
)
_BEFORE_A_QUOTE = 60


def check(request: Request, form: WireForm) -> Iterator[Finding]:
    """Findings about the prompt; `form` is what the request is sent as."""
    yield from _text(dict(form.fields)["prompt"])
    yield from _sizes(form, request.limits.text_part_bytes_max)
    every = "\n".join((request.shot.prompt, *window_prompts(request.shot)))
    named = mentioned(every)
    yield from _mentions(request, named)
    written = literal_tags(every)
    yield from _literal_tags(request, written)
    yield from _unmentioned(request, {*named, *written})


def _text(text: str) -> Iterator[Finding]:
    if not text:
        yield Finding("prompt.empty", Severity.ERROR, "prompt", {}, (), "MiniMax H3 requires a non-empty prompt")
    elif text.isspace():
        yield Finding("prompt.blank", Severity.WARNING, "prompt")
    elif len(text) > HOSTED_MAX:
        yield Finding("prompt.long", Severity.NOTE, "prompt", {"is": len(text), "limit": HOSTED_MAX})
    if _speaks_unmarked(_MARKED_SPEECH.sub("", text)):
        yield Finding("prompt.speech", Severity.NOTE, "prompt")


def _speaks_unmarked(text: str) -> bool:
    quotes = (found.start() for found in _QUOTE.finditer(text))
    return any(_SPEAKING.search(text, max(0, at - _BEFORE_A_QUOTE), at) for at in quotes)


def _sizes(form: WireForm, limit: int) -> Iterator[Finding]:
    """Text fields over the parser's limit; a form without files goes urlencoded, and there the escapes count too."""
    for name, text in form.fields:
        size = len(text.encode("utf-8", "surrogatepass"))
        word = "Part"
        if not form.parts and _ESCAPED * size + len(name) > limit:
            size, word = len(name) + len(quote_plus(text.encode("utf-8", "surrogatepass"))), "Field"
        if size > limit:
            subject = "prompt" if name == "prompt" else "extra"
            says = f"{word} exceeded maximum size of {limit >> 10}KB."
            yield Finding(f"{subject}.too_large", Severity.ERROR, subject, {"is": size, "limit": limit}, (), says)


def _mentions(request: Request, named: Iterable[str]) -> Iterator[Finding]:
    sent = tags(request)
    for ref_id in named:
        if ref_id in sent:
            continue
        reference = request.shot.reference(ref_id)
        code = "prompt.mention.gone" if reference is None else "prompt.mention.unsent"
        params: Params = {"id": ref_id, "name": reference.path.name if reference else ref_id}
        yield Finding(code, Severity.WARNING, "prompt", params, (offers.unmention(ref_id),))


def _literal_tags(request: Request, written: Iterable[str]) -> Iterator[Finding]:
    known = label_order(request)
    for tag in written:
        if tag not in known:
            params: Params = {"tag": tag, "known": ", ".join(known) or "–"}
            yield Finding("prompt.tag.unknown", Severity.WARNING, "prompt", params)


def _unmentioned(request: Request, named: Collection[str]) -> Iterator[Finding]:
    # First and last pictures speak for themselves; only references need a name.
    if request.shot.task != "ref2va" or not request.shot.prompt:
        return
    for ref_id, own in tags(request).items():
        reference = request.shot.reference(ref_id)
        if reference is None or not own or any(name in named for name in (ref_id, *own)):
            continue
        if isinstance(request.facts.get(ref_id), Unreadable):
            continue  # it cannot be sent: its own finding says so
        params: Params = {"name": reference.path.name, "tag": own[-1]}
        mend = offers.mention(reference, own[-1])
        yield Finding("ref.unmentioned", Severity.NOTE, ref_id, params, (mend,))
