"""The form itself: fields that this server does not have are ignored by it without a word."""

from __future__ import annotations

from collections.abc import Iterator

from studio.contract.findings import Finding, Severity
from studio.contract.request import Request
from studio.contract.wire import WireForm

FILES = "input_references"
_NEEDED = frozenset({"prompt", "extra_params", FILES})
"""Without these another video would be rendered than the one that was asked for."""


def check(request: Request, form: WireForm) -> Iterator[Finding]:
    """Findings about what the server's form has no place for; nothing when its fields are not known."""
    known = request.limits.form_fields
    if known is None:
        return
    sent = [name for name, _ in form.fields] + ([FILES] if any(part.field == FILES for part in form.parts) else [])
    for name in sent:
        if name not in known:
            needed = name in _NEEDED
            code = "form.field_missing" if needed else "form.field_ignored"
            yield Finding(code, Severity.ERROR if needed else Severity.WARNING, "server", {"field": name})
