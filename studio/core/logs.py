"""Logging: one rotating file in the data folder; secrets never reach it."""

from __future__ import annotations

import logging
import logging.handlers
import re
from pathlib import Path

_SECRET = re.compile(r"(?i)(bearer\s+|api[-_]?key[\"'=:\s]+)([^\s\"',}]+)")
_known: set[str] = set()


def hide(secret: str) -> None:
    """Never let this text into a log record."""
    if len(secret) >= 4:
        _known.add(secret)


def redact(text: str) -> str:
    """`text` with every known or recognisable secret blanked."""
    for secret in _known:
        text = text.replace(secret, "•••")
    return _SECRET.sub(r"\1•••", text)


class _Redacting(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        return redact(super().format(record))


def set_up(folder: Path, *, verbose: bool = False) -> Path:
    """Log to `folder/studio.log` (5 × 2 MB kept). Returns the file's path; a read-only folder means no log file."""
    path = folder / "studio.log"
    root = logging.getLogger()
    root.setLevel(logging.DEBUG if verbose else logging.INFO)
    logging.getLogger("httpx").setLevel(logging.WARNING)
    logging.getLogger("asyncio").setLevel(logging.WARNING)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handler: logging.Handler = logging.handlers.RotatingFileHandler(
            path, maxBytes=2_000_000, backupCount=5, encoding="utf-8", delay=True
        )
    except OSError:
        handler = logging.NullHandler()
    handler.setFormatter(_Redacting("%(asctime)s %(levelname)s %(process)d %(name)s: %(message)s"))
    root.addHandler(handler)
    return path
