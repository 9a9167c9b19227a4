"""Where results go and what lies beside them: names, the sidecar, the place when the place is gone."""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path
from typing import Any

from studio import __version__
from studio.core import paths
from studio.core.files import free_bytes, safe_stem, sha256, write_atomic
from studio.jobs import body
from studio.jobs.job import Job

SIDECAR_VERSION = 1


def plan_output(job: Job, results_dir: Path, expected_bytes: int = 64 << 20) -> tuple[Path, bool]:
    """A path for the job's MP4, and whether the asked-for folder had to be left for the data folder.

    `<folder>/YYYY-MM-DD/HHMMSS_<first words>_s<seed>.mp4`, or straight in the folder that the user named for this job.
    It is this job's from now on, whoever else asks in the same second: an empty part file holds the place.
    Blocking. Raises OSError.
    """
    now = time.localtime()
    folder = job.out_dir or results_dir / time.strftime("%Y-%m-%d", now)
    words = safe_stem(" ".join(job.prompt.split()[:6]), limit=48)
    stem = f"{time.strftime('%H%M%S', now)}_{words}_s{job.shot.seed}"
    elsewhere = not _takes(folder, expected_bytes)
    if elsewhere:
        folder = paths.data_dir() / "results"
        folder.mkdir(parents=True, exist_ok=True)
    path, number = folder / f"{stem}.mp4", 2
    while not _reserved(path):
        path, number = folder / f"{stem}_{number}.mp4", number + 1
    return path, elsewhere


def give_back(video: Path) -> None:
    """Let a planned path go if nothing has come yet. Blocking."""
    part = part_of(video)
    with contextlib.suppress(OSError):
        if not part.stat().st_size:
            part.unlink()


def part_of(video: Path) -> Path:
    """The name of an MP4 while it is not whole."""
    return video.with_name(video.name + ".part")


def sidecar_of(video: Path) -> Path:
    """The recipe beside an MP4."""
    return video.with_suffix(".json")


def write_sidecar(job: Job) -> Path:
    """Write the recipe and the evidence beside the finished video. Blocking. Raises OSError."""
    assert job.video is not None and job.verified is not None
    path = sidecar_of(job.video)
    write_atomic(path, body.to_bytes(sidecar(job)))
    return path


def sidecar(job: Job) -> dict[str, Any]:
    """What the sidecar holds. No secret is in a job, so none can be in here."""
    assert job.video is not None and job.verified is not None
    return {
        "sidecar_version": SIDECAR_VERSION,
        "studio": __version__,
        "job": job.id,
        "created": time.strftime("%Y-%m-%dT%H:%M:%S%z", time.localtime(job.created)),
        "shot": body.plain(job.shot.model_dump()),
        "resolved": job.resolved,
        "wire": [list(pair) for pair in job.wire],
        "uploads": [
            {
                "reference": sent.reference,
                "field": sent.field,
                "source": str(reference.path) if (reference := job.shot.reference(sent.reference)) else None,
                "filename": sent.filename,
                "content_type": sent.content_type,
                "sha256": sent.sha256,
                "receipt": sent.receipt,
            }
            for sent in job.sent
        ],
        "server": job.server,
        "remote_id": job.remote_id,
        "timings": job.timings,
        "stage_durations": job.server.get("stage_durations") or {},
        "peak_memory": {"server_mb": job.server.get("peak_memory_mb"), "gpus": job.server.get("gpus") or []},
        "telemetry": job.telemetry.name if job.telemetry else None,
        "video": job.video.name,
        "sha256": job.verified.get("sha256") or sha256(job.video),
        "verified": job.verified,
        "rehearsal": bool(job.verified.get("rehearsal")),
    }


def _reserved(path: Path) -> bool:
    """Whether nobody had the path, and it is ours now."""
    if path.exists() or sidecar_of(path).exists():
        return False
    try:
        part_of(path).touch(exist_ok=False)
    except FileExistsError:
        return False
    return True


def _takes(folder: Path, expected_bytes: int) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(folder, os.W_OK | os.X_OK) and free_bytes(folder) > expected_bytes
