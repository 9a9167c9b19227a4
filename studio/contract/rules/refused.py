"""What the server refused before although every rule had let it pass."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence

from studio.contract.findings import Finding, Severity
from studio.contract.labels import in_upload_order
from studio.contract.plan import planned
from studio.contract.refusal import Refusal, codes_of, limits_told
from studio.contract.request import Request
from studio.contract.rules.form import FILES
from studio.contract.shot import Reference
from studio.contract.wire import wire_form

_NOT_OF_THE_SHAPE = ("prompt", "seed")


def check(request: Request) -> Iterator[Finding]:
    """A warning for a request that was refused before; an error when that is treated as a rule that tells no limit."""
    if not request.refusals:
        return
    here = signature(request)
    for refusal in request.refusals:
        if refusal.signature == here:
            stops = refusal.rule and not limits_told(refusal.said)
            severity = Severity.ERROR if stops else Severity.WARNING
            yield Finding("server.refused_before", severity, "server", {"said": refusal.said}, (), refusal.said)


def unforeseen(request: Request, said: str, findings: Sequence[Finding]) -> Refusal | None:
    """The record of a refusal, or None when one of the request's own findings had said so."""
    codes = codes_of(said)
    foreseen = any(f.is_error and (f.code in codes or f.server_says == said) for f in findings)
    return None if foreseen else Refusal(said=said, code=next(iter(codes), None), signature=signature(request))


def signature(request: Request) -> str:
    """What makes two requests the same to the server's rules: all but the words and the seed."""
    form = wire_form(request)
    fields = [[name, value] for name, value in form.fields if name not in _NOT_OF_THE_SHAPE]
    files = [_shape(request, r) for r in in_upload_order(request.shot)]
    files += [[part.field] for part in form.parts if part.field != FILES]
    return hashlib.sha256(json.dumps([fields, files]).encode()).hexdigest()[:16]


def _shape(request: Request, reference: Reference) -> list[object]:
    facts = request.facts_of(reference)
    if facts is None:
        return [reference.kind]
    plan = planned(reference, facts)
    return [plan.kind, plan.width, plan.height, round(plan.seconds, 3), round(plan.sound_seconds, 3)]
