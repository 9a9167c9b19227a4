"""A million lines in constant memory: text in unlinked temporary files, only the lines' offsets in memory.

Lines lie in segments of equal length; when there are too many, the oldest segment goes as a whole.
"""

from __future__ import annotations

import os
import tempfile
import weakref
from array import array
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, overload

from studio.core import paths

SEGMENT: Final = 50_000


class _Segment:
    """Some lines in one file; offset n is where line n begins, the last one is the end."""

    def __init__(self) -> None:
        folder = paths.cache_dir()
        folder.mkdir(parents=True, exist_ok=True)
        self._fd, path = tempfile.mkstemp(dir=folder)
        Path(path).unlink()
        self.close = weakref.finalize(self, os.close, self._fd)
        self.offsets = array("Q", [0])

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def append(self, lines: Sequence[str]) -> None:
        end, raw = self.offsets[-1], [line.encode("utf-8", "replace") + b"\n" for line in lines]
        _write(self._fd, b"".join(raw))
        for one in raw:
            end += len(one)
            self.offsets.append(end)

    def line(self, row: int) -> str:
        start, end = self.offsets[row], self.offsets[row + 1]
        return os.pread(self._fd, end - start - 1, start).decode("utf-8", "replace")

    def text(self) -> bytes:
        return os.pread(self._fd, self.offsets[-1], 0)

    def rows_with(self, wanted: bytes, first: int, last: int, *, backward: bool) -> int | None:
        """The first (last) of the rows from `first` up to `last` that holds `wanted`, ASCII case ignored."""
        start, end = self.offsets[first], self.offsets[last]
        text = os.pread(self._fd, end - start, start).lower()
        at = text.rfind(wanted) if backward else text.find(wanted)
        return None if at < 0 else bisect_right(self.offsets, start + at) - 1


class LineStore(Sequence[str]):
    """Keeps at least `most` − `segment` and at most `most` lines. Raises OSError when the disk is full."""

    def __init__(self, most: int, segment: int = SEGMENT) -> None:
        self._most, self._size = most, min(segment, most)
        self._segments: list[_Segment] = []

    def __len__(self) -> int:
        return (len(self._segments) - 1) * self._size + len(self._segments[-1]) if self._segments else 0

    @overload
    def __getitem__(self, row: int) -> str: ...
    @overload
    def __getitem__(self, row: slice) -> list[str]: ...
    def __getitem__(self, row: int | slice) -> str | list[str]:
        if isinstance(row, slice):
            return [self[one] for one in range(*row.indices(len(self)))]
        if row < 0:
            row += len(self)
        if not 0 <= row < len(self):
            raise IndexError(row)
        return self._segments[row // self._size].line(row % self._size)

    def append(self, lines: Sequence[str]) -> None:
        """Add lines at the end."""
        at = 0
        while at < len(lines):
            if not self._segments or len(self._segments[-1]) == self._size:
                self._segments.append(_Segment())
            room = self._size - len(self._segments[-1])
            self._segments[-1].append(lines[at : at + room])
            at += room

    def surplus(self, coming: int) -> int:
        """How many lines must go, in whole segments, before `coming` more are added."""
        over = len(self) + coming - self._most
        return min(len(self), -(-over // self._size) * self._size) if over > 0 else 0

    def drop(self, count: int) -> None:
        """Forget the oldest lines; `count` as `surplus` gave it."""
        gone = -(-count // self._size)
        for segment in self._segments[:gone]:
            segment.close()
        del self._segments[:gone]

    def clear(self) -> None:
        """Forget every line."""
        self.drop(len(self))

    def find(self, text: str, start: int, *, backward: bool = False) -> int | None:
        """The nearest row after (before) `start` that holds `text`, ASCII case ignored, going round the end once."""
        count, wanted = len(self), text.lower().encode()
        if not wanted or not count:
            return None
        split = max(0, min(start, count) if backward else min(start + 1, count))
        ways = [(0, split), (split, count)] if backward else [(split, count), (0, split)]
        for first, last in ways:
            if (row := self._within(wanted, first, last, backward=backward)) is not None:
                return row
        return None

    def texts(self) -> Iterator[bytes]:
        """All of it, in pieces."""
        return (segment.text() for segment in self._segments)

    def _within(self, wanted: bytes, first: int, last: int, *, backward: bool) -> int | None:
        pieces = range(first // self._size, -(-last // self._size)) if last > first else range(0)
        for index in reversed(pieces) if backward else pieces:
            base = index * self._size
            segment = self._segments[index]
            low, high = max(first - base, 0), min(last - base, len(segment))
            row = segment.rows_with(wanted, low, high, backward=backward)
            if row is not None:
                return base + row
        return None


def _write(fd: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]
