"""Prepared files are kept: the same file with the same wishes is prepared once. Two studios may share the folder."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import secrets
import shutil
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Final

import psutil
from pydantic import ValidationError

from studio.contract.facts import MediaFacts
from studio.contract.plan import Planned
from studio.contract.shot import Reference
from studio.core.files import write_atomic
from studio.core.paths import cache_dir
from studio.media.disk import ask
from studio.media.prepare import Prepared, check_unchanged, prepare
from studio.media.workers import Workers

RECIPE: Final = 2
"""Raise it when preparing makes other files from the same input: kept ones are then no longer found."""

LIMIT_BYTES: Final = 10 << 30
_RECORD: Final = "prepared.json"


async def prepared(
    workers: Workers,
    facts: MediaFacts,
    reference: Reference,
    progress: Callable[[float], None] | None = None,
    limit: int = LIMIT_BYTES,
    plan: Planned | None = None,
) -> Prepared:
    """The upload-ready file for a reference, or what `plan` makes of it, from the cache (of `limit` bytes) or made now.

    Raises MediaError as `prepare` does; `media.changed` also when the file changed since it was probed.
    """
    return await Cache(prepared_dir(), limit).get(workers, facts, reference, progress, plan)


def prepared_dir() -> Path:
    """Where prepared files are kept."""
    return cache_dir() / "prepared"


def kept_bytes() -> int:
    """How much prepared files take. Blocking: use a thread."""
    folder = prepared_dir()
    return sum(_weighed(entry)[1] for entry in folder.iterdir()) if folder.is_dir() else 0


def empty() -> None:
    """Remove all prepared files that no one is making right now. Blocking: use a thread."""
    folder = prepared_dir()
    for entry in folder.iterdir() if folder.is_dir() else ():
        if not entry.name.startswith("."):
            shutil.rmtree(entry, ignore_errors=True)


class Cache:
    """A folder of entries, one folder each, that appear whole by a rename. The longest unused go first over `limit`."""

    def __init__(self, folder: Path, limit: int = LIMIT_BYTES) -> None:
        self.folder = folder
        self.limit = limit

    async def get(
        self,
        workers: Workers,
        facts: MediaFacts,
        reference: Reference,
        progress: Callable[[float], None] | None = None,
        plan: Planned | None = None,
    ) -> Prepared:
        """The prepared file for a reference, or what `plan` makes of it, from the folder or made now."""
        await ask(workers, check_unchanged, facts, name=facts.path.name)
        entry = self.folder / _key(facts, reference, plan)
        kept = await asyncio.to_thread(_load, entry, facts.path)
        if kept is not None:
            return kept
        work = self.folder / f".{os.getpid()}.{secrets.token_hex(6)}"
        try:
            made = await prepare(
                workers, facts, reference, work, plan=plan, stem=plan.kind if plan else facts.kind, progress=progress
            )
            return await asyncio.to_thread(self._keep, made, work, entry)
        finally:
            await asyncio.to_thread(shutil.rmtree, work, ignore_errors=True)

    def _keep(self, made: Prepared, work: Path, entry: Path) -> Prepared:
        write_atomic(work / _RECORD, json.dumps(_portable(made)).encode())
        if entry.exists() and _load(entry, made.source) is None:
            shutil.rmtree(entry, ignore_errors=True)
        try:
            work.rename(entry)
        except OSError:
            # Another studio was quicker; its entry is as good.
            if not entry.exists():
                raise
        self._sweep(keep=entry)
        return _placed(made, made.source, entry)

    def _sweep(self, keep: Path) -> None:
        """Remove what dead programs left half done, then the longest unused entries over the limit."""
        entries: list[tuple[float, int, Path]] = []
        for folder in self.folder.iterdir():
            if folder.name.startswith("."):
                owner = folder.name.split(".")[1]
                if owner.isdigit() and not psutil.pid_exists(int(owner)):
                    shutil.rmtree(folder, ignore_errors=True)
            elif folder != keep:
                entries.append(_weighed(folder))
        total = _weighed(keep)[1] + sum(size for _, size, _ in entries)
        for _, size, folder in sorted(entries):
            if total <= self.limit:
                return
            shutil.rmtree(folder, ignore_errors=True)
            total -= size


def _weighed(folder: Path) -> tuple[float, int, Path]:
    """(last use, bytes, folder); another studio may be removing it meanwhile."""
    try:
        return folder.stat().st_mtime, sum(f.stat().st_size for f in folder.iterdir()), folder
    except OSError:
        return 0.0, 0, folder


def _key(facts: MediaFacts, reference: Reference, plan: Planned | None) -> str:
    wishes = reference.model_dump(mode="json", include={"start", "end", "crop", "keep_sound", "preparation"})
    wishes |= {"size": facts.size_bytes, "mtime": facts.mtime_ns, "recipe": RECIPE}
    wishes |= {"plan": asdict(plan)} if plan is not None else {}
    text = os.fsencode(facts.path) + b"\0" + json.dumps(wishes, sort_keys=True).encode()
    return hashlib.sha256(text).hexdigest()[:40]


def _portable(made: Prepared) -> dict[str, object]:
    """Plain data without places: a path may not be UTF-8, and the folder may move."""
    bare = made.model_copy(
        update={"source": Path(), "output": Path(), "facts": made.facts.model_copy(update={"path": Path()})}
    )
    return bare.model_dump(mode="json")


def _placed(made: Prepared, source: Path, entry: Path) -> Prepared:
    output = entry / made.filename
    return made.model_copy(
        update={"source": source, "output": output, "facts": made.facts.model_copy(update={"path": output})}
    )


def _load(entry: Path, source: Path) -> Prepared | None:
    """A kept entry, marked as used now; None when it is missing or not whole."""
    try:
        made = _placed(Prepared.model_validate_json((entry / _RECORD).read_bytes()), source, entry)
        if made.output.stat().st_size != made.facts.size_bytes:
            return None
        os.utime(entry)
    except (OSError, ValidationError):
        return None
    return made
