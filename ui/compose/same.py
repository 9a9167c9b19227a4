"""Files with the same content: noticed by size first, by hash only where sizes agree."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from studio.core.files import sha256


def same_content(new: Sequence[Path], known: Sequence[Path]) -> list[bool]:
    """Of each new file: whether a known one, or a new one before it, holds the same bytes. Blocking: use a thread.

    A file that cannot be read is like no other.
    """
    by_size: dict[int, list[Path]] = defaultdict(list)
    hashes: dict[Path, str | None] = {}

    def digest(path: Path) -> str | None:
        if path not in hashes:
            hashes[path] = _hash(path)
        return hashes[path]

    def seen_before(path: Path) -> bool:
        if (size := _size(path)) is None:
            return False
        others = by_size[size]
        same = path in others or (bool(others) and (own := digest(path)) is not None and own in map(digest, others))
        others.append(path)
        return same

    for path in known:
        seen_before(path)
    return [seen_before(path) for path in new]


def _size(path: Path) -> int | None:
    try:
        return path.stat().st_size if path.is_file() else None
    except OSError:
        return None


def _hash(path: Path) -> str | None:
    try:
        return sha256(path)
    except OSError:
        return None
