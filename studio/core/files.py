"""Files that are whole or not there: atomic writes, hashes, names that every file system takes."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import secrets
import unicodedata
from pathlib import Path


def write_atomic(path: Path, data: bytes, *, mode: int = 0o644) -> None:
    """Write `data` so that `path` holds either the old or the whole new content, also after a power cut.

    The folder is made when missing. Raises OSError (disk full, read-only); no half file is left.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name[:80]}.{secrets.token_hex(4)}.tmp")
    fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    try:
        with os.fdopen(fd, "wb") as fp:
            fp.write(data)
            fp.flush()
            os.fsync(fp.fileno())
        temporary.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
    sync_dir(path.parent)


def finish(part: Path, final: Path) -> None:
    """Give a complete `part` file its final name, on disk before it is believed."""
    with part.open("rb+") as fp:
        os.fsync(fp.fileno())
    part.replace(final)
    sync_dir(final.parent)


def sync_dir(folder: Path) -> None:
    """Make a rename in `folder` durable where the file system allows it."""
    with contextlib.suppress(OSError):
        fd = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)


def sha256(path: Path) -> str:
    """Hex digest of a file's content. Blocking: call it in a worker or a thread."""
    with path.open("rb") as fp:
        return hashlib.file_digest(fp, "sha256").hexdigest()


def safe_stem(text: str, *, limit: int = 60) -> str:
    """A file-name stem from free text: readable, no separators, no control characters, at most `limit` bytes."""
    cleaned = "".join(" " if unicodedata.category(c)[0] in "CZ" else c for c in unicodedata.normalize("NFC", text))
    cleaned = re.sub(r'[/\\:*?"<>|%$`\';&!#]+', " ", cleaned)
    words = re.sub(r"\s+", " ", cleaned).strip(" .,-")
    raw = words.encode("utf-8", "ignore")[:limit]
    return raw.decode("utf-8", "ignore").strip(" .,-").replace(" ", "-") or "render"


def free_bytes(folder: Path) -> int:
    """Bytes free for this user on the file system that holds `folder` (or its nearest existing parent)."""
    at = folder
    while not at.exists() and at != at.parent:
        at = at.parent
    stat = os.statvfs(at)
    return stat.f_bavail * stat.f_frsize
