"""A comparison as a file for others: clip (.mp4), contact sheet or still (.png), measures (.csv, .json)."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from studio.compare.comparison import unheard
from studio.compare.contact_sheet import write_contact_sheet
from studio.compare.difference_clip import write_difference_clip, write_still
from studio.compare.drawing import View
from studio.compare.errors import CompareError
from studio.compare.result import Comparison, PerFrame
from studio.core.files import finish, write_atomic
from studio.media.workers import Progress, Workers

TIMEOUT_S = 3600.0
SUFFIXES = (".mp4", ".png", ".csv", ".json")


class Asked(NamedTuple):
    """What a picture or a clip shows. `still`: this frame of A, in `view`, and no contact sheet. `at`: frames of A
    that stand on the contact sheet; none: evenly spread ones."""

    view: View = View()
    still: int | None = None
    at: tuple[int, ...] = ()


async def export(
    workers: Workers,
    comparison: Comparison,
    path: Path,
    *,
    asked: Asked | None = None,
    progress: Callable[[float], None] | None = None,
) -> None:
    """Write `path` in a worker, as its suffix says. It is there whole or not at all; cancelling leaves nothing.

    Raises CompareError `compare.suffix`, `compare.no_frame`, and what `Workers.run` raises (files gone, disk full).
    """
    if path.suffix.lower() not in SUFFIXES:
        raise CompareError("compare.suffix", name=path.name)
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.part")
    try:
        await workers.run(
            _write,
            comparison,
            part,
            path.suffix.lower(),
            asked or Asked(),
            timeout=TIMEOUT_S,
            progress=progress or unheard,
        )
        finish(part, path)
    finally:
        part.unlink(missing_ok=True)


def measures_json(comparison: Comparison, path: Path) -> None:
    """Write what `h3studio compare --json` prints, and under `frames` the measures of every pair. Raises OSError."""
    columns = {name: [_short(v) for v in values] for name, values in comparison.frames.model_dump().items()}
    data = comparison.as_json() | {"frames": columns}
    write_atomic(path, json.dumps(data, ensure_ascii=False, indent=1).encode())


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


def _write(progress: Progress, comparison: Comparison, part: Path, suffix: str, asked: Asked) -> None:
    match suffix:
        case ".png" if asked.still is not None:
            write_still(comparison, part, asked.view, asked.still)
        case ".png":
            write_contact_sheet(comparison, part, asked.at, asked.view)
        case ".mp4":
            write_difference_clip(comparison, part, asked.view, progress.set)
        case ".json":
            measures_json(comparison, part)
        case _:
            measures_csv(comparison, part)


def _short(value: float) -> float:
    return round(value, 4)
