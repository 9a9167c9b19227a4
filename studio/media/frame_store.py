"""Decoded pictures in an unlinked file that two processes share: one writes, the other reads, nothing is copied over.

Picture n lies in slot n modulo `slots`. In front of the slots stands which picture each of them holds, mapped by both
sides; a reader looks there before and after it reads, so a slot that is being overwritten is never believed.
The kernel's page cache is the window in memory: reading with `pread` adds nothing to the resident size.
"""

from __future__ import annotations

import errno
import mmap
import os
import tempfile
import threading
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from av.video.frame import VideoFrame

from studio.media.colour import Colour, Picture

_SPARE: Final = 64
"""Bytes behind a picture: swscale reads past the end of its last row (valgrind: by four)."""


class Layout(NamedTuple):
    """What the pictures in a store are. `planar`: 8-bit 4:2:0 planes, else B, G, R, A. `colour` reads the planes."""

    width: int
    height: int
    planar: bool
    slots: int
    colour: Colour

    @property
    def frame_bytes(self) -> int:
        """Bytes of one picture."""
        return self.width * self.height * 3 // 2 if self.planar else self.width * self.height * 4

    @property
    def head_bytes(self) -> int:
        """Bytes before the first slot, whole pages."""
        return -(-self.slots * 8 // mmap.PAGESIZE) * mmap.PAGESIZE


class Shared(NamedTuple):
    """Where another process of this user finds a store, for as long as its owner keeps it open (Linux: /proc)."""

    path: str
    layout: Layout

    def open(self) -> FrameStore:
        """The store, to be read and closed. Raises OSError when it is gone."""
        return FrameStore(os.open(self.path, os.O_RDWR), self.layout)


def unlinked_file(folder: Path) -> int:
    """A descriptor of a new file in `folder` that has no name: it is gone when the last process closes it."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryFile(dir=folder, buffering=0) as fp:
        return os.dup(fp.fileno())


class FrameStore:
    """One side's view of the file; it owns its descriptor `fd`. Reading and closing are safe from any thread."""

    def __init__(self, fd: int, layout: Layout, *, create: bool = False) -> None:
        self.layout = layout
        self._fd = fd
        self._lock = threading.Lock()
        self._of_thread = threading.local()
        self._closed = False
        if create:
            os.ftruncate(fd, layout.head_bytes + layout.slots * layout.frame_bytes)
            # Written, not mapped and filled: on a full disk a write is an error, a touched page the program's end.
            _write(fd, b"\xff" * layout.head_bytes, 0)
        self.holds = np.frombuffer(mmap.mmap(fd, layout.head_bytes), np.int64, layout.slots)
        """Which picture each slot holds; -1 for none. It keeps the map for as long as anybody looks at it."""

    def has(self, n: int) -> bool:
        """Whether picture n can be read at once."""
        return not self._closed and bool(self.holds[n % self.layout.slots] == n)

    def put(self, n: int, raw: Picture) -> None:
        """Keep picture n (flat, `frame_bytes` long) in place of what its slot held. Raises OSError (disk full)."""
        slot = n % self.layout.slots
        self.holds[slot] = -1
        _write(self._fd, raw.data, self._offset(slot))
        self.holds[slot] = n

    def picture(self, n: int) -> Picture | None:
        """Picture n as (height, width, 4) uint8 B, G, R, A, or None when it is not there."""
        if self.layout.planar:
            frame = self.frame(n)
            return None if frame is None else self.layout.colour.bgra(frame)
        raw = np.empty((self.layout.height, self.layout.width, 4), np.uint8)
        return raw if self._read(n, raw) else None

    def frame(self, n: int) -> VideoFrame | None:
        """Picture n of a planar store as it was coded, 8-bit 4:2:0, upright; None when it is not there.

        It holds until the next call on the same thread: memory taken anew for each picture costs more than reading it.
        """
        if not hasattr(self._of_thread, "planes"):
            rows, width = self.layout.height * 3 // 2, self.layout.width
            self._of_thread.planes = np.empty(rows * width + _SPARE, np.uint8)[: rows * width].reshape(rows, width)
        planes: Picture = self._of_thread.planes
        return VideoFrame.from_numpy_buffer(planes, "yuv420p") if self._read(n, planes) else None

    def shared(self) -> Shared:
        """How another process opens this store."""
        return Shared(f"/proc/{os.getpid()}/fd/{self._fd}", self.layout)

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            self.holds = np.full(self.layout.slots, -1, np.int64)
            os.close(self._fd)

    def _read(self, n: int, into: Picture) -> bool:
        with self._lock:
            if not self.has(n):
                return False
            os.preadv(self._fd, [into.data], self._offset(n % self.layout.slots))
            return self.has(n)

    def _offset(self, slot: int) -> int:
        return self.layout.head_bytes + slot * self.layout.frame_bytes


def _write(fd: int, data: bytes | memoryview, at: int) -> None:
    if os.pwrite(fd, data, at) != memoryview(data).nbytes:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
