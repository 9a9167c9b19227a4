"""The rules: `check` judges what will be sent, before anything is sent. Each module holds the rules of one subject."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from studio.contract.findings import Finding, Severity
from studio.contract.request import Request
from studio.contract.rules import counts, extra, files, form, output, prompt, refused, settings, totals
from studio.contract.wire import wire_form

_ORDER = (Severity.ERROR, Severity.WARNING, Severity.NOTE)


def check(request: Request) -> list[Finding]:
    """All findings of a request, errors first. Empty, or without errors, means that the server takes it.

    With guessed limits (the server is of a version that is not known here) a limit that the server would have to
    enforce is a warning and never a wall.
    """
    sent = wire_form(request)
    found = [
        *counts.check(request),
        *files.check(request),
        *totals.check(request),
        *output.check(request),
        *settings.check(request),
        *_of_edit(request),
        *extra.check(request),
        *prompt.check(request, sent),
        *form.check(request, sent),
        *refused.check(request),
    ]
    if request.limits.guessed:
        found = [_as_warning(f) for f in found]
    return sorted(found, key=lambda f: _ORDER.index(f.severity))


def _of_edit(request: Request) -> Iterable[Finding]:
    if request.shot.source() is None:
        return ()
    from studio.contract.rules import edit  # brings numpy: not before something is marked

    return edit.check(request)


def _as_warning(finding: Finding) -> Finding:
    theirs = finding.is_error and finding.server_says is not None
    return replace(finding, severity=Severity.WARNING) if theirs else finding
