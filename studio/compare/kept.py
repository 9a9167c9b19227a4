"""Comparisons that were made before, by the content of both files: the same two clips are measured once."""

from __future__ import annotations

import contextlib
import hashlib
from pathlib import Path

from pydantic import ValidationError

from studio.compare.result import Comparison
from studio.core.files import sha256, write_atomic

RECIPE = 1
"""Raise it when a measure, a threshold or the shape of a comparison changes: older ones are then no longer found."""
MOST = 200
"""So many are kept (about 80 KB each for 15 s); the longest unused goes first."""


class Kept:
    """The folder of kept comparisons. Losing it costs time only: what cannot be read is not there."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def key(self, a: Path, b: Path, offset: int | None) -> str:
        """What a comparison is found by. Reads both files; raises OSError."""
        parts = f"{RECIPE} {sha256(a)} {sha256(b)} {offset}"
        return hashlib.sha256(parts.encode()).hexdigest()[:32]

    def get(self, key: str, a: Path, b: Path) -> Comparison | None:
        """The comparison kept under a key, as one of the files `a` and `b`."""
        path = self._path(key)
        try:
            found = Comparison.model_validate_json(path.read_bytes())
            path.touch()
        except (OSError, ValidationError):
            return None
        return found.model_copy(update={"a": a, "b": b})

    def put(self, key: str, found: Comparison) -> None:
        """Keep a comparison; a disk that is full keeps none."""
        with contextlib.suppress(OSError):
            self._folder.mkdir(parents=True, exist_ok=True)
            write_atomic(self._path(key), found.model_dump_json().encode())
            newest_first = sorted(self._folder.glob("*.json"), key=lambda p: p.stat().st_mtime, reverse=True)
            for path in newest_first[MOST:]:
                path.unlink(missing_ok=True)

    def _path(self, key: str) -> Path:
        return self._folder / f"{key}.json"
