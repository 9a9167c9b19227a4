"""A recording as a file: CSV that a spreadsheet opens, packed with gzip when it is large, and read back whole.

One row an entry; `kind` says of what: `gpu` (a card, by its number), `host` (main memory), `step`, `stage`. What was
not reported is empty. Memory in MiB, `util` in percent.
"""

from __future__ import annotations

import csv
import gzip
import io
import shutil
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final, TextIO

from studio.core.files import sync_dir
from studio.telemetry.readings import Sample
from studio.telemetry.recording import MIB, Recording, StepMark, Track

COLUMNS: Final = ("t_s", "kind", "gpu", "used_mib", "total_mib", "util", "power_w", "temp_c", "step", "steps", "stage")
PACK_OVER: Final = 1 << 20
"""Bytes."""

Row = list[str]


class Recorder:
    """Appends to `path`. Rows gather until `flush`; only that and `move_beside` touch the disk."""

    def __init__(self, path: Path, *, pack_over: int = PACK_OVER) -> None:
        self.path = path
        self._pack_over = pack_over
        self._rows: list[Row] = []

    def sample(self, t: float, sample: Sample) -> None:
        """One look at the cards, `t` seconds after the beginning."""
        for card, reading in zip(sample.cards, sample.gpus, strict=True):
            used = None if reading.used is None else reading.used / MIB
            total = None if card.total is None else card.total / MIB
            values = (used, total, reading.utilisation, reading.power, reading.temperature)
            self._rows.append([_number(t, 2), "gpu", card.label, *map(_number, values), "", "", ""])
        if sample.host is not None:
            memory = (sample.host.used / MIB, sample.host.total / MIB)
            self._rows.append([_number(t, 2), "host", "", *map(_number, memory), *[""] * 6])

    def step(self, mark: StepMark) -> None:
        """A step that is done."""
        self._rows.append([_number(mark.t, 3), "step", *[""] * 6, str(mark.step), str(mark.steps), ""])

    def stage(self, t: float, name: str) -> None:
        """A phase that begins."""
        self._rows.append([_number(t, 3), "stage", *[""] * 8, name])

    def flush(self) -> None:
        """Write what has gathered. Blocking. Raises OSError; the rows are kept then, up to a bound."""
        rows, self._rows = self._rows, []
        if not rows:
            return
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("a", newline="", encoding="utf-8") as fp:
                if fp.tell() == 0:
                    _write(fp, [COLUMNS])
                _write(fp, rows)
        except OSError:
            self._rows = (rows + self._rows)[-100_000:]
            raise

    def move_beside(self, video: Path) -> Path | None:
        """Give the file its place beside a result; packed when it is large. Blocking. Raises OSError.

        None when nothing was recorded.
        """
        self.flush()
        if not self.path.exists():
            return None
        final = video.with_suffix(".telemetry.csv")
        if self.path.stat().st_size > self._pack_over:
            final = final.with_name(final.name + ".gz")
            with self.path.open("rb") as source, gzip.open(final, "wb", compresslevel=6) as packed:
                shutil.copyfileobj(source, packed)
        else:
            shutil.copyfile(self.path, final)
        sync_dir(final.parent)
        self.path.unlink()
        self.path = final
        return final


def replay(path: Path, began: float = 0.0) -> Recording:
    """The recording in a file. Blocking. A line that is torn or damaged is passed over.

    Raises OSError when the file cannot be read, ValueError when it is no recording.
    """
    with _open(path) as fp:
        lines = csv.reader(_whole_lines(fp))
        if tuple(next(lines, ())) != COLUMNS:
            raise ValueError(f"{path} is no recording")
        recording = Recording(began)
        for row in lines:
            if len(row) == len(COLUMNS):
                _take(recording, row)
    return recording


def _take(recording: Recording, row: Row) -> None:
    try:
        t, kind, gpu = float(row[0]), row[1], row[2]
        used, total, load, power, heat = (float(text) if text else None for text in row[3:8])
        recording.end = max(recording.end, t)
        if kind == "gpu":
            track = recording.tracks.setdefault(gpu, Track(gpu))
            track.total = total or track.total
            track.add(t, used, load, power, heat)
        elif kind == "host":
            recording.host.total = total
            recording.host.used.add(t, used)
        elif kind == "step":
            recording.add_step(t, int(row[8]), int(row[9]))
        elif kind == "stage":
            recording.add_stage(t, row[10])
    except ValueError:
        return


def _open(path: Path) -> TextIO:
    if path.suffix == ".gz":
        return io.TextIOWrapper(gzip.open(path, "rb"), encoding="utf-8", errors="replace", newline="")
    return path.open(encoding="utf-8", errors="replace", newline="")


def _whole_lines(fp: TextIO) -> Iterator[str]:
    """Lines up to where a packed file breaks off or is damaged."""
    try:
        for line in fp:
            yield line.replace("\0", "")
    except (EOFError, zlib.error, gzip.BadGzipFile):
        return


def _write(fp: TextIO, rows: Iterable[Iterable[str]]) -> None:
    csv.writer(fp, lineterminator="\n").writerows(rows)


def _number(value: float | None, digits: int = 1) -> str:
    return "" if value is None else f"{value:.{digits}f}".rstrip("0").rstrip(".")
