"""What a person thinks of a result: star, reject, tags, notes, in a small file of their own beside the video.

The recipe beside the video is evidence and never changes after the render; `<name>.marks.json` is the user's. So the
index can be deleted, or a folder carried to another machine, and the marks are still there. Nothing marked: no file.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict, ValidationError, field_validator

from studio.core.files import write_atomic
from studio.jobs.library.errors import LibraryError

MARKS_VERSION: Final = 1
SUFFIX: Final = ".marks.json"


class Marks(BaseModel):
    """Fields that a newer version added are kept."""

    model_config = ConfigDict(frozen=True, extra="allow")

    version: int = MARKS_VERSION
    star: bool = False
    reject: bool = False
    tags: tuple[str, ...] = ()
    notes: str = ""

    @field_validator("tags")
    @classmethod
    def _in_order(cls, tags: tuple[str, ...]) -> tuple[str, ...]:
        plain = {" ".join(tag.split()) for tag in tags} - {""}
        return tuple(sorted(plain, key=str.casefold))

    def but(self, **changes: object) -> Marks:
        """The same with these fields changed; a star takes a rejection away, and the other way round."""
        if changes.get("star"):
            changes["reject"] = False
        elif changes.get("reject"):
            changes["star"] = False
        return Marks(**{**dict(self), **changes})

    @property
    def blank(self) -> bool:
        """Whether there is nothing to keep."""
        return self == Marks()


def marks_of(video: Path) -> Path:
    """The marks' file of a result."""
    return video.with_name(video.stem + SUFFIX)


def read_marks(video: Path) -> Marks:
    """The marks beside a result; none when there is no file, or a damaged one."""
    return _read(marks_of(video)) or Marks()


def write_marks(video: Path, marks: Marks) -> None:
    """Keep the marks beside a result. A damaged file is set aside as `….marks.damaged.json`.

    Raises OSError, and LibraryError `library.marks_newer` when the file comes from a newer version.
    """
    path = marks_of(video)
    if path.exists():
        known = _read(path)
        if known is None:
            path.replace(video.with_name(f"{video.stem}.marks.damaged.json"))
        elif known.version > MARKS_VERSION:
            raise LibraryError("library.marks_newer", mend="library.marks_newer.mend", name=video.name)
    if marks.blank:
        path.unlink(missing_ok=True)
    else:
        write_atomic(path, (json.dumps(marks.model_dump(), ensure_ascii=False, indent=2) + "\n").encode())


def mark_beside(video: Path, change: Callable[[Marks], Marks]) -> Marks:
    """Change the marks beside a result and give the new ones; raises as `write_marks`."""
    marks = change(read_marks(video))
    write_marks(video, marks)
    return marks


def _read(path: Path) -> Marks | None:
    try:
        return Marks.model_validate_json(path.read_bytes())
    except (OSError, ValidationError):
        return None
