"""How much room results, trash and caches take, and what is left."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from studio.core.files import free_bytes


@dataclass(frozen=True, slots=True)
class Usage:
    """Bytes."""

    results: int
    trash: int
    cache: int
    free: int


def folder_bytes(folder: Path) -> int:
    """Bytes of all files in a folder and the folders in it; what cannot be looked at counts nothing. Blocking."""
    total = 0
    for at, _folders, files in os.walk(folder):
        for name in files:
            with suppress(OSError):
                total += os.lstat(os.path.join(at, name)).st_size  # noqa: PTH118  (tens of thousands of files)
    return total


def usage(results: int, trash: int, results_dir: Path, cache: Path) -> Usage:
    """The index's own sums with what is on the disks. Blocking."""
    return Usage(results, trash, folder_bytes(cache), free_bytes(results_dir))
