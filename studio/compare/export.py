"""A comparison as a file for others: contact sheet (.png), side-by-side clip (.mp4), table of measures (.csv)."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from pathlib import Path

from studio.compare.comparison import unheard
from studio.compare.contact_sheet import write_contact_sheet
from studio.compare.difference_clip import write_difference_clip
from studio.compare.errors import CompareError
from studio.compare.result import Comparison, PerFrame
from studio.core.files import finish, write_atomic
from studio.media.workers import Progress, Workers

TIMEOUT_S = 3600.0


async def export(
    workers: Workers, comparison: Comparison, path: Path, *, progress: Callable[[float], None] | None = None
) -> None:
    """Write `path` in a worker, as its suffix says. It is there whole or not at all; cancelling leaves nothing.

    Raises CompareError `compare.suffix`, and what `Workers.run` raises (files gone, disk full).
    """
    if path.suffix.lower() not in (".png", ".mp4", ".csv"):
        raise CompareError("compare.suffix", name=path.name)
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.part")
    try:
        await workers.run(
            _write, comparison, part, path.suffix.lower(), timeout=TIMEOUT_S, progress=progress or unheard
        )
        finish(part, path)
    finally:
        part.unlink(missing_ok=True)


def measures_csv(comparison: Comparison, path: Path) -> None:
    """Write the measures of every compared pair, one a row. Frame numbers count from 0. Raises OSError."""
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    columns = {
        "frame_" + name if name in "ab" else name: getattr(comparison.frames, name) for name in PerFrame.model_fields
    }
    table.writerow(columns)
    table.writerows(
        [f"{value:.4f}" if isinstance(value, float) else value for value in row]
        for row in zip(*columns.values(), strict=True)
    )
    write_atomic(path, text.getvalue().encode())


def _write(progress: Progress, comparison: Comparison, part: Path, suffix: str) -> None:
    match suffix:
        case ".png":
            write_contact_sheet(comparison, part)
        case ".mp4":
            write_difference_clip(comparison, part, progress.set)
        case _:
            measures_csv(comparison, part)
