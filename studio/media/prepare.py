"""From a reference to the file that is uploaded for it."""

from __future__ import annotations

import contextlib
import errno
import secrets
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict

from studio.contract.facts import MediaFacts
from studio.contract.plan import Planned, planned
from studio.contract.shot import Kind, Reference
from studio.core.files import finish, sha256
from studio.media.clip_writer import limit_bytes
from studio.media.errors import MediaError, as_media_error
from studio.media.prepare_image import make_still
from studio.media.prepare_sound import make_sound
from studio.media.prepare_video import FrameCount, make_clip
from studio.media.probe import probe_file
from studio.media.receipts import UNTOUCHED, Change, Receipt, Side, clip_changes, sound_changes_of, still_changes
from studio.media.untouched import fits_untouched
from studio.media.workers import Progress, Workers

TIMEOUT_S: Final = 600.0

_TYPES: Final = {
    "mp4": "video/mp4",
    "png": "image/png",
    "jpg": "image/jpeg",
    "webp": "image/webp",
    "wav": "audio/wav",
    "mp3": "audio/mpeg",
}


class Prepared(BaseModel):
    """An upload-ready file: `output`, with its name's extension and type by content, and fresh `facts` of it."""

    model_config = ConfigDict(frozen=True)

    source: Path
    output: Path
    kind: Kind
    filename: str
    content_type: str
    receipt: Receipt
    facts: MediaFacts
    sha256: str


async def prepare(
    workers: Workers,
    facts: MediaFacts,
    reference: Reference,
    into: Path,
    *,
    plan: Planned | None = None,
    stem: str | None = None,
    progress: Callable[[float], None] | None = None,
) -> Prepared:
    """Write `into/STEM.EXT` for a reference (`stem`: its id unless given) and say what was changed.

    `plan` is what is to be made of it instead of an ordinary reference: a clip's sound alone, or the source of an edit.
    `facts` are a recent probe of its file. The output appears whole or not at all, also when this is cancelled or the
    disk is full. Raises MediaError: `media.changed` when the file is no longer what was probed, `media.empty_range`,
    `media.too_big`, and all that reading a file can raise.
    """
    stem = stem or reference.id
    part = into / f".{stem}.{secrets.token_hex(4)}.part"
    try:
        return await workers.run(
            _prepare_file, facts, reference, plan, part, stem, timeout=TIMEOUT_S, progress=progress or (lambda _: None)
        )
    finally:
        with contextlib.suppress(OSError):
            part.unlink()


def check_unchanged(facts: MediaFacts) -> None:
    """Raise MediaError unless the file is still the one that was probed, by size and time of change."""
    try:
        now = facts.path.stat()
    except OSError as error:
        raise as_media_error(error, name=facts.path.name) from error
    if (now.st_size, now.st_mtime_ns) != (facts.size_bytes, facts.mtime_ns):
        raise MediaError("media.changed", name=facts.path.name)


def _prepare_file(
    progress: Progress, facts: MediaFacts, reference: Reference, wanted: Planned | None, part: Path, stem: str
) -> Prepared:
    check_unchanged(facts)
    plan = wanted or planned(reference, facts)
    if facts.kind != "image" and min(reference.end or plan.start + plan.seconds, facts.duration or 0) <= plan.start:
        end = reference.end if reference.end is not None else facts.duration
        raise MediaError("media.empty_range", name=facts.path.name, start=reference.start, end=end)
    _make_folder(part.parent)
    frames = FrameCount()
    if fits_untouched(reference, facts, plan):
        shutil.copyfile(facts.path, part)
        extension = _extension(facts)
        changes: tuple[Change, ...] = (UNTOUCHED,)
        frames = FrameCount(shown=plan.frames, sent=plan.frames)
    else:
        extension, changes, frames = _made(progress, facts, reference, plan, part)
    check_unchanged(facts)
    made = probe_file(part)
    _check(facts, plan, made)
    output = part.with_name(f"{stem}.{extension}")
    prepared = Prepared(
        source=facts.path,
        output=output,
        kind=made.kind,
        filename=output.name,
        content_type=_TYPES[extension],
        receipt=Receipt(
            changes=changes or (Change(code="change.rewritten"),),
            before=Side.of(facts),
            after=Side.of(made),
            frames_in=frames.shown,
            frames_out=frames.sent,
            frames_dropped=frames.dropped,
            frames_doubled=frames.doubled,
        ),
        facts=made.model_copy(update={"path": output}),
        sha256=sha256(part),
    )
    finish(part, output)
    return prepared


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        code = "media.disk_full" if error.errno == errno.ENOSPC else "media.read_only"
        raise MediaError(code, folder=str(folder), detail=str(error)) from error


def _made(
    progress: Progress, facts: MediaFacts, reference: Reference, plan: Planned, part: Path
) -> tuple[str, tuple[Change, ...], FrameCount]:
    """Convert, and say the extension, the changes, and where the frames went."""
    if facts.video is not None and plan.kind == "video":
        frames = make_clip(progress.set, facts, reference, plan, part)
        return "mp4", tuple(clip_changes(reference, facts, plan)), frames
    if facts.image is not None:
        form = make_still(facts, reference, plan, part)
        changes = still_changes(reference, facts.image, plan, form)
        return ("jpg" if form == "jpeg" else form), tuple(changes), FrameCount()
    seconds = make_sound(facts, plan, part)
    return "wav", tuple(sound_changes_of(reference, facts, seconds)), FrameCount()


def _extension(facts: MediaFacts) -> str:
    if facts.image is not None:
        return "jpg" if facts.image.format == "jpeg" else facts.image.format
    return facts.container


def _check(facts: MediaFacts, plan: Planned, made: MediaFacts) -> None:
    if made.video is not None and made.video.frames != plan.frames:
        raise MediaError("media.not_as_planned", name=facts.path.name, frames=made.video.frames, planned=plan.frames)
    if made.kind == "video" and made.size_bytes > (limit := limit_bytes(plan)):
        raise MediaError("media.too_big", name=facts.path.name, size=made.size_bytes, limit=limit)
