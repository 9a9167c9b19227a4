"""One file as the only reference of a shot: what the rules say of it, and what becomes of it."""

from __future__ import annotations

from pathlib import Path

from studio.contract import Finding, Request, Shot, check, load_limits
from studio.contract.shot import Reference
from studio.media.prepare import Prepared, prepare
from studio.media.probe import probe_file
from studio.media.workers import Workers


async def prepared(workers: Workers, path: Path, into: Path | None = None, **wishes: object) -> Prepared:
    """The upload-ready file, in `into` (a folder "out" beside the file unless given)."""
    facts = probe_file(path)
    reference = Reference.model_validate({"id": "r1", "path": path, "kind": facts.kind, **wishes})
    return await prepare(workers, facts, reference, into or path.parent / "out")


def findings(path: Path) -> list[Finding]:
    """What `check` says of a shot with this file alone."""
    facts = probe_file(path)
    shot = Shot(prompt="a", references=(Reference(id="r1", path=path, kind=facts.kind),))
    return check(Request(shot, load_limits(), {"r1": facts}))


def errors(path: Path) -> set[str]:
    """The codes of what keeps the file from being sent."""
    return {found.code for found in findings(path) if found.is_error}
