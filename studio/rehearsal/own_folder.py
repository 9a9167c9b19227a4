"""The server's own temporary folder: gone when the server ends, and swept up by the next one when it was killed."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from studio.core.children import ProcessId

PREFIX = "h3studio-rehearsal-"
_OWNER = "owner.json"


@contextmanager
def own_folder() -> Iterator[Path]:
    """A new folder that names its owner; those of dead owners are removed first."""
    _remove_abandoned(Path(tempfile.gettempdir()))
    with tempfile.TemporaryDirectory(prefix=PREFIX, ignore_cleanup_errors=True) as folder:
        path = Path(folder)
        (path / _OWNER).write_text(json.dumps(ProcessId.mine().as_dict()))
        yield path


def _remove_abandoned(parent: Path) -> None:
    for folder in parent.glob(f"{PREFIX}*"):
        if not folder.is_symlink() and folder.stat().st_uid == os.getuid() and _abandoned(folder):
            shutil.rmtree(folder, ignore_errors=True)


def _abandoned(folder: Path) -> bool:
    """Whether the owner is known and dead: without a record it may be one that is just being made."""
    try:
        return not ProcessId(**json.loads((folder / _OWNER).read_text())).alive()
    except (OSError, ValueError, TypeError):
        return False
