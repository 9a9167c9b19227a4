"""What was found before, by the content of the files: the same clips are measured once."""

from __future__ import annotations

import contextlib
import hashlib
from pathlib import Path
from typing import Generic, TypeVar

from pydantic import BaseModel, ValidationError

from studio.core.files import sha256, write_atomic

RECIPE = 2
"""Raise it when a measure, a threshold or the shape of a result changes: older ones are then no longer found."""
MOST = 200
"""So many are kept (a comparison of 15 s takes about 80 KB); the longest unused goes first."""

T = TypeVar("T", bound=BaseModel)


class Kept(Generic[T]):
    """A folder of kept results of one kind. Losing it costs time only: what cannot be read is not there."""

    def __init__(self, folder: Path, kind: type[T], most: int = MOST) -> None:
        self._folder, self._kind, self._most = folder, kind, most

    def key(self, *files: Path, asked: object = None) -> str:
        """What a result of these files is found by, and of what was asked of them. Reads them; raises OSError."""
        parts = " ".join((str(RECIPE), *map(sha256, files), str(asked)))
        return hashlib.sha256(parts.encode()).hexdigest()[:32]

    def get(self, key: str) -> T | None:
        """What is kept under a key."""
        path = self._path(key)
        try:
            found = self._kind.model_validate_json(path.read_bytes())
            path.touch()
        except (OSError, ValidationError):
            return None
        return found

    def put(self, key: str, found: T) -> None:
        """Keep a result; a disk that is full keeps none."""
        with contextlib.suppress(OSError):
            self._folder.mkdir(parents=True, exist_ok=True)
            write_atomic(self._path(key), found.model_dump_json().encode())
            newest_first = sorted(self._folder.glob("*.json"), key=lambda p: p.stat().st_mtime, reverse=True)
            for path in newest_first[self._most :]:
                path.unlink(missing_ok=True)

    def _path(self, key: str) -> Path:
        return self._folder / f"{key}.json"
