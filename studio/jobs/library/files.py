"""A result's files, that stay together: moved to the trash beside them, moved back, deleted.

The trash is a folder `.trash` in the folder of the result, so that moving is one rename each, on any disk, and the old
place is known from the new one. The video moves last: what a power cut leaves half-way is set right by `reunite`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from studio.core.files import sync_dir
from studio.jobs.library.errors import LibraryError
from studio.jobs.library.marks import SUFFIX as MARKS

TRASH: Final = ".trash"
COMPANIONS: Final = (".json", MARKS, ".telemetry.csv", ".telemetry.csv.gz")
"""What may lie beside `name.mp4` as `name` with this ending."""


def companions(video: Path) -> list[Path]:
    """The files that belong to a result, the video itself left out."""
    beside = (video.with_name(video.stem + ending) for ending in COMPANIONS)
    return [path for path in beside if path.exists()]


def to_trash(video: Path) -> Path:
    """Move a result into the trash beside it; gives its place there. Raises LibraryError `library.cannot_move`."""
    return _move(video, video.parent / TRASH)


def from_trash(video: Path) -> Path:
    """Move a result back to where it was; gives its place. Raises LibraryError `library.cannot_move`."""
    back = _move(video, video.parent.parent)
    _drop_if_empty(video.parent)
    return back


def delete(video: Path) -> None:
    """Delete a result for good. Raises LibraryError `library.cannot_delete`."""
    try:
        for path in (video, *companions(video)):
            path.unlink(missing_ok=True)
    except OSError as error:
        reason = error.strerror or str(error)
        raise LibraryError("library.cannot_delete", name=video.name, reason=reason) from error
    _drop_if_empty(video.parent)


def reunite(folder: Path) -> None:
    """Set right what a move that was cut off left in a folder and its trash: companions go where their video is."""
    trash = folder / TRASH
    if trash.is_dir():
        for lost, other in ((folder, trash), (trash, folder)):
            for path in _orphans(lost, other):
                with suppress(OSError):
                    path.rename(other / path.name)


def free_place(wanted: Path) -> Path:
    """`wanted`, or with a number when a result of that name is there."""
    place, number = wanted, 2
    while place.exists() or companions(place):
        place, number = wanted.with_name(f"{wanted.stem}_{number}{wanted.suffix}"), number + 1
    return place


def _move(video: Path, folder: Path) -> Path:
    try:
        if not video.exists():
            raise FileNotFoundError(2, "it is not there any more")
        folder.mkdir(exist_ok=True)
        place = free_place(folder / video.name)
        for path in companions(video):
            path.rename(folder / (place.stem + path.name[len(video.stem) :]))
        video.rename(place)
    except OSError as error:
        reason = error.strerror or str(error)
        raise LibraryError("library.cannot_move", name=video.name, reason=reason) from error
    sync_dir(folder)
    sync_dir(video.parent)
    return place


def _orphans(lost: Path, other: Path) -> Iterator[Path]:
    """Companions in `lost` whose video is in `other`."""
    for path in lost.iterdir():
        ending = next((e for e in sorted(COMPANIONS, key=len, reverse=True) if path.name.endswith(e)), None)
        if ending is not None:
            video = path.name.removesuffix(ending) + ".mp4"
            if not (lost / video).exists() and (other / video).exists() and not (other / path.name).exists():
                yield path


def _drop_if_empty(folder: Path) -> None:
    with suppress(OSError):
        if folder.name == TRASH:
            folder.rmdir()
