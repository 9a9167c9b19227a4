"""Results on disk, as the real server keeps them: files named by the bare job id, mode 0600, swept when they are old
(vllm-omni 0.30.0, entrypoints/openai/storage.py)."""

from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path
from typing import Self

SWEEP_SECONDS = 300.0


class Storage:
    """One folder. `ttl`: seconds a file is kept, or None for ever; `interval`: seconds between sweeps."""

    def __init__(self, folder: Path, ttl: float | None = None, interval: float = SWEEP_SECONDS) -> None:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.folder, self.ttl, self.interval = folder, ttl, interval

    @classmethod
    def from_environment(cls, folder: Path) -> Self:
        """With the retention that the real server's variables ask for."""
        prefix = "VLLM_OMNI_SERVER_STORAGE__"
        ttl = os.environ.get(f"{prefix}FILE_TTL")
        interval = os.environ.get(f"{prefix}TTL_SWEEP_INTERVAL")
        return cls(folder, float(ttl) if ttl else None, float(interval or SWEEP_SECONDS))

    def path(self, job_id: str) -> Path:
        """Where the result of this job lies."""
        return self.folder / job_id

    def part(self, job_id: str) -> Path:
        """Where it is written until it is whole."""
        return self.folder / f".{job_id}.part"

    def keep(self, job_id: str) -> int | None:
        """Put the written part in place; gives when it expires (s since the epoch)."""
        part = self.part(job_id)
        part.chmod(0o600)
        part.replace(self.path(job_id))
        return int(time.time() + self.ttl) if self.ttl is not None else None

    def drop(self, job_id: str) -> None:
        """Remove the result, if there is one."""
        self.path(job_id).unlink(missing_ok=True)

    async def sweep(self) -> None:
        """Remove every regular file that is older than the TTL, foreign ones too, again and again."""
        while self.ttl is not None:
            oldest = time.time() - self.ttl
            for entry in os.scandir(self.folder):
                if entry.is_file(follow_symlinks=False) and entry.stat(follow_symlinks=False).st_mtime < oldest:
                    Path(entry.path).unlink(missing_ok=True)
            await asyncio.sleep(self.interval)
