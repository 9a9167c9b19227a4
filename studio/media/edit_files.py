"""The files of an edit: the clip cut and scaled to the canvas so that the server need not stretch it, its sound, and
the masks."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from studio.contract import MediaFacts, Planned, Reference, Request, edit_masks
from studio.contract.cropping import WHOLE
from studio.contract.latent_grid import EditGrid
from studio.contract.masks import Mask, mask_json
from studio.contract.shot import FPS, Preparation
from studio.contract.wire import PartField, edit_parts
from studio.core.files import write_atomic
from studio.media.cache import LIMIT_BYTES, prepared, prepared_dir
from studio.media.receipts import Receipt
from studio.media.workers import Workers

_JSON: Final = "application/json"


@dataclass(frozen=True, slots=True)
class EditFile:
    """One file of an edit, as it is uploaded in `field`. Masks have no receipt."""

    field: PartField
    path: Path
    filename: str
    content_type: str
    sha256: str
    receipt: Receipt | None = None


async def edit_files(
    workers: Workers,
    request: Request,
    progress: Callable[[float], None] | None = None,
    limit: int = LIMIT_BYTES,
) -> tuple[EditFile, ...]:
    """The files of a request's edit, in the order of `edit_parts`; none when nothing is kept of a clip.

    The clip and its sound come from the cache (of `limit` bytes) or are made now. Raises MediaError as `prepare` does.
    """
    masks = edit_masks(request)
    facts = request.facts_of(masks.grid.source) if masks is not None else None
    if masks is None or facts is None:
        return ()
    files: list[EditFile] = []
    for part in edit_parts(request):
        match part.field:
            case "source_video":
                reference, plan = source_picture(masks.grid)
                files.append(await _prepared(workers, facts, reference, plan, part.field, progress, limit))
            case "source_audio":
                reference, plan = source_sound(masks.grid)
                files.append(await _prepared(workers, facts, reference, plan, part.field, None, limit))
            case "video_noise_mask" if masks.picture is not None:
                files.append(await asyncio.to_thread(_mask_file, part.field, masks.picture))
            case "audio_noise_mask" if masks.sound is not None:
                files.append(await asyncio.to_thread(_mask_file, part.field, masks.sound))
    return tuple(files)


def source_picture(grid: EditGrid) -> tuple[Reference, Planned]:
    """What is made of the clip: its window at the size of the canvas, silent, no longer than the result."""
    bare = _bare(grid.source).but(crop=None if grid.window == WHOLE else grid.window)
    seconds = grid.source_frames / FPS
    return bare, Planned(
        "video", grid.start, seconds, grid.source_frames, grid.width, grid.height, sound_seconds=0.0, source=True
    )


def source_sound(grid: EditGrid) -> tuple[Reference, Planned]:
    """What is made of the clip's sound: as much as there is of it, up to the length of the result."""
    seconds = grid.sound_seconds
    return _bare(grid.source), Planned("audio", grid.start, seconds, 0, 0, 0, sound_seconds=seconds, source=True)


def _bare(source: Reference) -> Reference:
    """The clip without the wishes that are about references."""
    plain = Preparation(short_edge=None, ground=source.preparation.ground)
    return source.but(edit=None, crop=None, keep_sound=True, preparation=plain)


async def _prepared(
    workers: Workers,
    facts: MediaFacts,
    reference: Reference,
    plan: Planned,
    field: PartField,
    progress: Callable[[float], None] | None,
    limit: int,
) -> EditFile:
    made = await prepared(workers, facts, reference, progress, limit, plan)
    # The user's own file name is nobody's business on the server, and may hold anything.
    name = f"{field}{made.output.suffix}"
    return EditFile(field, made.output, name, made.content_type, made.sha256, made.receipt)


def _mask_file(field: PartField, mask: Mask) -> EditFile:
    data = mask_json(mask)
    digest = hashlib.sha256(data).hexdigest()
    path = prepared_dir() / f"mask-{digest[:40]}" / f"{field}.json"
    write_atomic(path, data)
    return EditFile(field, path, path.name, _JSON, digest)
