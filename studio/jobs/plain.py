"""Jobs and findings as plain JSON data, for the command line and for records."""

from __future__ import annotations

import json
from typing import Any

from studio.contract import Finding
from studio.jobs import body
from studio.jobs.job import Job


def as_plain(job: Job, changes: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    """A job for people and scripts, with the sentence of its fault; with `changes`, how it came to where it is."""
    data: dict[str, Any] = json.loads(body.readable(json.dumps(body.plain(job.model_dump()), ensure_ascii=False)))
    if job.fault is not None:
        data["fault"]["message"] = job.fault.text()
    if changes is not None:
        data["changes"] = changes
    return data


def plain_finding(finding: Finding) -> dict[str, Any]:
    """A finding as the command line prints it."""
    return {
        "code": finding.code,
        "severity": str(finding.severity),
        "subject": finding.subject,
        "message": finding.message.text(),
        "params": dict(finding.params),
        "mends": [{"code": m.code, "params": dict(m.params), "label": m.message.text()} for m in finding.mends],
    }
