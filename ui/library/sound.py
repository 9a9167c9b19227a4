"""The sound of a result's source under its pictures, in a new file beside it. No picture is touched."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path

from studio.jobs.library import Sidecar
from studio.jobs.library.files import free_place
from studio.media.workers import Workers


@dataclass(frozen=True, slots=True)
class Made:
    """The new file, and where its sound is from."""

    path: Path
    source: Path


async def sound_of_source(workers: Workers, video: Path, recipe: Sidecar) -> Made | None:
    """Write the file; None when the result was made without a clip.

    The sound starts where the clip's part that was sent starts. Raises CompareError and MediaError as `mux_sound` does.
    """
    from studio.compare.mux import mux_sound

    clip = recipe.clip()
    if clip is None:
        return None
    path = await asyncio.to_thread(free_place, video.with_name(f"{video.stem}_source-sound.mp4"))
    await mux_sound(workers, video, clip.path, path, late=-clip.start)
    return Made(path, clip.path)
