"""Where the pictures of a comparison come from: a file, decoded as it goes, or a store that a viewer decoded into."""

from __future__ import annotations

import errno
import os
from collections.abc import Generator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from studio.compare.decode import AHEAD, Coded, Decoded, Indices, PictureFile, Timeline, on_numbers
from studio.compare.planes import PlaneConverter, Planes
from studio.media.ahead import ahead
from studio.media.frame_store import FrameStore
from studio.media.upright import UPRIGHT


class Measurable(Protocol):
    """A picture that has yet to be converted."""

    def planes(self, size: tuple[int, int], convert: PlaneConverter) -> Planes:
        """What is measured of it, at `size` (width, height) by area averaging. `convert`: one of this thread."""


class Source(Protocol):
    """One clip, open."""

    line: Timeline

    def on_clock(self, numbers: Indices) -> Generator[Measurable]:
        """The pictures with these numbers (rising, may repeat), as often as asked. Ends early when the clip does."""

    def close(self) -> None:
        """Let go of it."""


class FileSource(PictureFile):
    """A file, decoded ahead on a thread. Raises MediaError."""

    def on_clock(self, numbers: Indices) -> Generator[Coded]:
        """A lost picture is shown as a player does, by the one before it."""
        with closing(ahead(self.pictures(), AHEAD)) as decoded:
            yield from on_numbers(decoded, numbers)


class StoreSource:
    """A store that is whole, whose pictures are read by who measures them. Raises OSError when it is gone."""

    def __init__(self, decoded: Decoded) -> None:
        self.line = decoded.line
        self._store = decoded.shared.open()

    def on_clock(self, numbers: Indices) -> Generator[Measurable]:
        """Nothing is read yet."""
        for number in numbers:
            yield _Stored(self._store, int(number))

    def close(self) -> None:
        """The store itself stays with the viewer."""
        self._store.close()


@dataclass(frozen=True, slots=True)
class _Stored:
    store: FrameStore
    number: int

    def planes(self, size: tuple[int, int], convert: PlaneConverter) -> Planes:
        frame, layout = self.store.frame(self.number), self.store.layout
        if frame is None:
            raise OSError(errno.ESTALE, os.strerror(errno.ESTALE))
        return Coded(frame, layout.colour, UPRIGHT, (layout.width, layout.height)).planes(size, convert)


def opened(path: Path, decoded: Decoded | None) -> Source:
    """The clip of a file, from the store when there is one."""
    return FileSource(path) if decoded is None else StoreSource(decoded)
