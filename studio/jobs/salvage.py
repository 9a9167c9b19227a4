"""A render whose server is gone may still lie in that server's storage folder, when it is on this machine.

vllm-omni 0.30.0 writes each result whole under its bare job id (entrypoints/openai/storage.py) and does not serve it
any more after a restart. Servers that we start keep theirs under `<data>/storage`.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Final

from studio.core import paths

_ID: Final = re.compile(r"[A-Za-z0-9_-]{8,80}")


def find(remote_id: str | None) -> Path | None:
    """The finished video of a server's job, if one of our servers' folders has it. Blocking."""
    folder = paths.data_dir() / "storage"
    if remote_id is None or not _ID.fullmatch(remote_id) or not folder.is_dir():
        return None
    return next((path for place in folder.iterdir() if (path := place / remote_id).is_file()), None)


def fetch(found: Path, part: Path) -> None:
    """Copy a found video to where a download would have put it; the server's own stays. Blocking. Raises OSError."""
    part.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(found, part)
