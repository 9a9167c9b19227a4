"""A job as text and back. File names that are not UTF-8 survive as lone surrogates, escaped."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from enum import Enum
from pathlib import Path
from typing import Any, Final

from studio.jobs.job import Job

_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_PATHS: Final = ("out_dir", "video", "sidecar", "telemetry")


def dump(job: Job) -> str:
    """The job as JSON, in ASCII. Its position is the store's own and left out."""
    return json.dumps(plain(job.model_dump(exclude={"position"})))


def load(text: str) -> Job:
    """The job that `dump` wrote."""
    data = json.loads(text)
    # Handed over as Path, since pydantic takes no text with lone surrogates.
    for part in (*data["shot"]["references"], *data["sent"]):
        part["path"] = Path(part["path"])
    data |= {name: Path(data[name]) for name in _PATHS if data.get(name) is not None}
    return Job.model_validate(data)


def plain(value: Any) -> Any:
    """Values of models as what JSON has; strings may hold lone surrogates."""
    match value:
        case Path():
            return str(value)
        case Enum():
            return value.value
        case Mapping():
            return {key: plain(inner) for key, inner in value.items()}
        case frozenset():
            return sorted(value)
        case list() | tuple():
            return [plain(inner) for inner in value]
        case _:
            return value


def readable(text: str) -> str:
    """Text for people: what is no character becomes a replacement mark."""
    return _SURROGATE.sub("\ufffd", text)


def to_bytes(data: Any) -> bytes:
    """JSON for a file, readable, with lone surrogates escaped."""
    text = json.dumps(data, ensure_ascii=False, indent=2)
    return _SURROGATE.sub(lambda m: f"\\u{ord(m[0]):04x}", text).encode() + b"\n"
