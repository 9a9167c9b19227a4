"""Reading a folder of results into the index."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from studio.jobs.library.entry import Entry
from studio.jobs.library.errors import LibraryError
from studio.jobs.library.files import TRASH, reunite
from studio.jobs.library.index import Index
from studio.jobs.library.recipe import entry_from, read_sidecar, stamp_of

_AT_ONCE: Final = 200


@dataclass(frozen=True, slots=True)
class Found:
    """What a folder held: results in all, those that are new, videos without a readable recipe (which are no results),
    and results of the index that are not there any more."""

    results: int = 0
    new: int = 0
    without_recipe: int = 0
    missing: int = 0


class Stop(Exception):
    """Nobody waits for the reading any more."""


def scan(index: Index, folder: Path, tell: Callable[[int], None]) -> Found:
    """Bring the index in line with a folder and the folders in it, trash included; blocking.

    Files that have not changed are not read again. `tell` gets the number of results so far; what it raises ends the
    reading, and what was read is kept. Raises LibraryError `library.folder_gone`.
    """
    if not folder.is_dir():
        raise LibraryError("library.folder_gone", mend="library.folder_gone.mend", path=str(folder))
    folder = Path(os.path.abspath(folder))  # noqa: PTH100  (resolve() would give up the user's own name of it)
    known, seen, new, without = index.known(folder), 0, 0, 0
    changed: list[Entry] = []
    for video in _videos(folder):
        stamp = stamp_of(video)
        row = known.pop(video, None)
        if row is not None and row.stamp == stamp != 0:
            if row.missing:
                index.set_missing(row.id, video, False)
        elif (entry := _read(video)) is not None:
            changed.append(entry)
            new += row is None
        else:
            without += 1
            continue
        seen += 1
        if seen % _AT_ONCE == 0:
            index.put(changed)
            changed.clear()
            tell(seen)
    index.put(changed)
    for video, row in known.items():
        index.set_missing(row.id, video, True)
    tell(seen)
    return Found(seen, new, without, len(known))


def _videos(folder: Path) -> Iterator[Path]:
    """All MP4 files, folders in order of their names. Links to folders are not followed: a loop of them ends."""
    for at, folders, _files in os.walk(folder):
        here = Path(at)
        reunite(here)
        folders[:] = sorted(name for name in folders if name == TRASH or not name.startswith("."))
        names = sorted(os.listdir(here))  # noqa: PTH208  (names as they are, after what `reunite` moved)
        yield from (here / name for name in names if name.lower().endswith(".mp4") and not name.startswith("."))


def _read(video: Path) -> Entry | None:
    try:
        return entry_from(video, read_sidecar(video), trashed=video.parent.name == TRASH)
    except (LibraryError, OSError, ValueError, OverflowError):
        # Another program's video, or one whose recipe is damaged: counted, and left alone.
        return None
