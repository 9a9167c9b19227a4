"""What was used last: shots and media files, newest first, and the folder to begin in."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from studio.core.files import write_atomic

log = logging.getLogger(__name__)

LONGEST: Final = 10


class Recent:
    """Kept in a small file; without one, or when it cannot be written, for this session only."""

    def __init__(self, file: Path | None = None) -> None:
        self._file = file
        self.shots, self.media = _load(file) if file else ((), ())

    @property
    def folder(self) -> Path | None:
        """Where media were taken from last, while it is there."""
        return next((path.parent for path in self.media if path.parent.is_dir()), None)

    async def used_shot(self, path: Path) -> None:
        """A shot was opened or saved."""
        self.shots = _in_front([path], self.shots)
        await asyncio.to_thread(self._save)

    async def used_media(self, paths: Iterable[Path]) -> None:
        """Files were added to a shot."""
        self.media = _in_front(list(paths)[::-1], self.media)
        await asyncio.to_thread(self._save)

    def _save(self) -> None:
        if self._file is None:
            return
        table = {"shots": [str(path) for path in self.shots], "media": [str(path) for path in self.media]}
        try:
            write_atomic(self._file, json.dumps(table, indent=1).encode())
        except OSError as error:
            log.info("what was used last is not kept: %s", error)


def _in_front(newest: Iterable[Path], before: tuple[Path, ...]) -> tuple[Path, ...]:
    return tuple(dict.fromkeys((*newest, *before)))[:LONGEST]


def _load(file: Path) -> tuple[tuple[Path, ...], tuple[Path, ...]]:
    try:
        table = json.loads(file.read_bytes())
        return tuple(map(Path, table["shots"])), tuple(map(Path, table["media"]))
    except FileNotFoundError:
        return (), ()
    except (OSError, ValueError, KeyError, TypeError) as error:
        log.info("what was used last cannot be read: %s", error)
        return (), ()
