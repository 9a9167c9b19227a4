"""Measures as they are taken: a worker appends a row a pair to a file, the viewer reads what is there so far."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np
import numpy.typing as npt

ROW = np.dtype([("a", "<i4"), ("b", "<i4"), *((name, "<f4") for name in ("mad", "psnr", "ssim", "self_a", "self_b"))])
"""Slots of A and of B on the common clock, and measures as in `PerFrame`."""

Rows = npt.NDArray[np.void]


class RowWriter:
    """Appends rows to a file; with None as its path it keeps nothing."""

    def __init__(self, path: Path | None) -> None:
        self._file = path.open("wb", buffering=0) if path else None

    def restart(self) -> None:
        """Forget the rows: the pairs are measured again at another offset."""
        if self._file is not None:
            self._file.seek(0)
            self._file.truncate()

    def add(self, *row: float) -> None:
        """Append one row, in the order of `ROW`."""
        if self._file is not None:
            self._file.write(np.array([row], ROW).tobytes())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file is not None:
            self._file.close()


def read_rows(path: Path) -> Rows:
    """(n,) rows of dtype `ROW` that are complete by now."""
    data = path.read_bytes()
    return np.frombuffer(data[: len(data) // ROW.itemsize * ROW.itemsize], ROW)
