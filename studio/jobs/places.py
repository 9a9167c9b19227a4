"""Whether the folders that a render needs can take it: said before the render, not after hours of it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from studio.core import paths
from studio.core.files import free_bytes
from studio.core.words import Message

_LEAST: Final = 16 << 20
_CACHE: Final = 256 << 20
"""What prepared references may take: at most what a request may hold."""
_BITS_PER_PIXEL: Final = 0.5
_BITS_LOSSLESS: Final = 8.0
_TIMES: Final = 2
"""Room for the file and for one that comes beside it, such as a second download or an export."""


def expected_bytes(resolved: Mapping[str, Any]) -> int:
    """About how large the result of a resolved shot may become, in bytes."""
    pixels = int(resolved["width"]) * int(resolved["height"]) * int(resolved["frames"])
    bits = _BITS_LOSSLESS if resolved.get("quality") == "lossless" else _BITS_PER_PIXEL
    return max(_LEAST, int(pixels * bits / 8))


def trouble(folder: Path, expected: int) -> Message | None:
    """What keeps a folder from taking a file of so many bytes; None when nothing does. Makes no folder. Blocking."""
    at = folder
    while not at.exists() and at != at.parent:
        at = at.parent
    if not at.is_dir():
        return Message("place.no_folder", {"folder": str(folder), "file": str(at)})
    if not os.access(at, os.W_OK | os.X_OK):
        return Message("place.read_only", {"folder": str(folder)})
    free, wanted = free_bytes(at), _TIMES * expected
    if free < wanted:
        return Message("place.full", {"folder": str(folder), "free": free, "wanted": wanted})
    return None


def before_render(results: Path, resolved: Mapping[str, Any]) -> list[Message]:
    """What is wrong with the results folder and with the cache for prepared references. Blocking."""
    found = trouble(results, expected_bytes(resolved)), trouble(paths.cache_dir(), _CACHE)
    return [message for message in found if message is not None]
