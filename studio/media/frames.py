"""Exact frames of an open clip, in any order: each clip has a decoder of its own that fills a file which both read."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Awaitable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

import numpy as np
import numpy.typing as npt

from studio.core import paths
from studio.core.errors import StudioError
from studio.core.events import Event
from studio.core.files import free_bytes
from studio.media import frames_sentences as _sentences  # noqa: F401  (registers the texts of the codes below)
from studio.media.colour import Matrix, Picture, Rule
from studio.media.decoder import Opened
from studio.media.decoder_link import DecoderLink, Message
from studio.media.errors import MediaError, as_media_error
from studio.media.frame_store import FrameStore, Shared, unlinked_file
from studio.media.memory import expect_pictures

log = logging.getLogger(__name__)

DEFAULT_BUDGET: Final = 2 << 30
"""Bytes of disk for one clip's decoded frames: 15 s of 1920 × 1080 at 30 fps fit whole."""

_BEGIN_S: Final = 300.0
"""A process that is being started on a machine that is busy with other things says nothing of the file."""
_OPEN_S: Final = 60.0
_STUCK_S: Final = 60.0


@dataclass(frozen=True, slots=True, eq=False)
class ClipInfo:
    """An open clip or still. Sizes as shown: upright, square pixels. `fps` is the average rate; 0 for a still."""

    path: Path
    width: int
    height: int
    frames: int
    fps: float
    times: npt.NDArray[np.float64]
    """(frames,) seconds from the start of the file at which each frame is shown, ascending."""
    duration: float
    """Seconds from the first frame shown to the end of the last one; 0 for a still."""
    has_sound: bool
    matrix: Matrix
    matrix_rule: Rule
    """Why this colour matrix: the file's own tag, known to be from a server, or by size (`studio.media.colour`)."""


class Clip:
    """An open clip. Make one with `await Clip.open(path)` and end it with `aclose`; use it on its loop's thread.

    All frames are decoded in the background into a bounded, unlinked cache file; what is asked for comes first. A clip
    that does not fit the budget keeps a window around the last frame asked for. `progress` tells how many frames are
    cached, each time that one is added.
    """

    def __init__(self, path: Path) -> None:
        self.progress: Event[int] = Event()
        self._path = path
        self._link = DecoderLink(self._take, self._ended)
        self._begun = asyncio.Event()
        self._opened: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting: dict[int, set[asyncio.Future[None]]] = {}
        self._lost: set[int] = set()
        self._failure: Exception | None = None
        self._whole = asyncio.Event()
        self._info: ClipInfo | None = None
        self._store: FrameStore | None = None
        self._fd = -1

    @classmethod
    async def open(
        cls,
        path: Path,
        *,
        trusted: bool = False,
        budget_bytes: int = DEFAULT_BUDGET,
        folder: Path | None = None,
        ground: str | None = None,
    ) -> Self:
        """Open a clip or a still. `trusted` files, which were decoded whole before, are decoded on a thread.

        What is transparent lies over `ground` ("#rrggbb"; None: black under clips, white under stills). `folder` takes
        the cache file (default: the user's cache folder); at most half of its free space is used. Raises MediaError
        when the file is missing, no clip, damaged, or kills or stalls its decoder, or when the folder cannot be
        written.
        """
        expect_pictures()
        folder = folder or paths.cache_dir() / "frames"
        clip = cls(path)
        try:
            await clip._open(folder, budget_bytes, trusted, ground)
        except BaseException:
            await clip.aclose()
            raise
        return clip

    @property
    def info(self) -> ClipInfo:
        """What the clip is."""
        assert self._info is not None, "a clip is made with Clip.open"
        return self._info

    @property
    def cached_frames(self) -> int:
        """How many frames can be had at once."""
        return len(self._held())

    async def frame(self, n: int) -> Picture:
        """Exactly frame n (0 … frames - 1, as shown) as (height, width, 4) uint8 B, G, R, A.

        Raises IndexError; MediaError when this frame is damaged or the decoder died; RuntimeError after `aclose`.
        """
        store = self._checked(n)
        if store.layout.slots < self.info.frames:
            # The window of cached frames follows the viewer.
            self._link.tell(n)
        while (picture := await asyncio.to_thread(store.picture, n)) is None:
            await self._decoded(n)
        return picture

    def nearest(self, n: int) -> int | None:
        """The number of the cached frame nearest to n, to be shown until n itself comes."""
        held = self._held()
        return int(held[np.argmin(np.abs(held - n))]) if len(held) else None

    async def whole(self) -> Shared | None:
        """Wait until all frames are cached: where another process can read them, until `aclose`.

        None when that will not be: the clip is too large for its cache, frames of it are damaged, the decoder died.
        """
        store = self._checked(0)
        if store.layout.slots < self.info.frames:
            return None
        await self._whole.wait()
        return store.shared() if self.cached_frames == self.info.frames else None

    async def aclose(self) -> None:
        """End the decoder and free the cache. Whoever still waits for a frame gets a RuntimeError."""
        self._fail(RuntimeError("the clip is closed"))
        await self._link.aclose()
        if self._store is not None:
            self._store.close()
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    async def _open(self, folder: Path, budget_bytes: int, trusted: bool, ground: str | None) -> None:
        try:
            self._fd = unlinked_file(folder)
            budget_bytes = min(budget_bytes, free_bytes(folder) // 2)
            await self._link.start(self._path, self._fd, budget_bytes, trusted=trusted, ground=ground)
            await self._within(_BEGIN_S, self._begun.wait(), "frames.not_begun")
            await self._within(_OPEN_S, self._opened, "frames.not_opened")
        except OSError as error:
            raise as_media_error(error, name=self._path.name) from error

    async def _within(self, seconds: float, waiting: Awaitable[object], code: str) -> None:
        try:
            async with asyncio.timeout(seconds):
                await waiting
        except TimeoutError as error:
            raise MediaError(code, name=self._path.name, seconds=seconds) from error

    def _take(self, message: Message) -> None:
        match message:
            case None:
                self._begun.set()
            case Opened():
                if not self._opened.done():
                    self._store = FrameStore(os.dup(self._fd), message.layout)
                    self._info = _info(self._path, message)
                    self._opened.set_result(None)
            case StudioError():
                if message.code == "media.broken":
                    log.error("the decoder of %s failed:\n%s", self._path.name, message.detail)
                self._fail(message)
            case int() if message < 0:
                self._lost.add(-1 - message)
                self._wake(-1 - message)
                self._note_whole()
            case int():
                self._wake(message)
                self.progress.emit(self.cached_frames)
                self._note_whole()

    def _ended(self) -> None:
        """The decoder is gone: well, when nothing is left to decode."""
        if self._info is None or self.cached_frames + len(self._lost) < self._info.frames:
            self._fail(MediaError("frames.decoder_died", name=self._path.name))
        self._wake_all()

    def _note_whole(self) -> None:
        if self.cached_frames + len(self._lost) >= self.info.frames:
            self._whole.set()

    def _fail(self, error: Exception) -> None:
        self._failure = self._failure or error
        self._begun.set()
        self._whole.set()
        if not self._opened.done():
            self._opened.set_exception(self._failure)
            self._opened.exception()  # nobody may be waiting for it any more
        self._wake_all()

    def _wake_all(self) -> None:
        for n in tuple(self._waiting):
            self._wake(n)

    async def _decoded(self, n: int) -> None:
        """Wait until frame n was put into the store. Raises what keeps it from getting there."""
        if self._is_there(n):
            return
        waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(n, set()).add(waiter)
        self._link.tell(n)
        try:
            async with asyncio.timeout(_STUCK_S):
                await waiter
        except TimeoutError as error:
            self._link.kill()
            stuck = MediaError("frames.stuck", name=self._path.name, number=n, seconds=_STUCK_S)
            self._fail(stuck)
            raise stuck from error
        finally:
            self._forget(n, waiter)
        self._is_there(n)

    def _forget(self, n: int, waiter: asyncio.Future[None]) -> None:
        waiting = self._waiting.get(n)
        if waiting is not None:
            waiting.discard(waiter)
            if not waiting:
                del self._waiting[n]
                self._link.tell(-1 - n)

    def _wake(self, n: int) -> None:
        for waiter in self._waiting.pop(n, ()):
            if not waiter.done():
                waiter.set_result(None)

    def _is_there(self, n: int) -> bool:
        """Whether frame n is in the store. Raises when it will never be."""
        if self._store is not None and self._store.has(n):
            return True
        if n in self._lost:
            raise MediaError("frames.lost", name=self._path.name, number=n)
        if self._failure is not None:
            raise self._failure
        return False

    def _checked(self, n: int) -> FrameStore:
        if self._store is None:
            raise RuntimeError("the clip is not open")
        if not 0 <= n < self.info.frames:
            raise IndexError(f"frame {n} of {self.info.frames}")
        return self._store

    def _held(self) -> npt.NDArray[np.int64]:
        if self._store is None:
            return np.zeros(0, np.int64)
        return self._store.holds[self._store.holds >= 0]


def _info(path: Path, opened: Opened) -> ClipInfo:
    layout, frames = opened.layout, len(opened.times)
    return ClipInfo(
        path=path,
        width=layout.width,
        height=layout.height,
        frames=frames,
        fps=float(frames / opened.duration) if opened.duration > 0 else 0.0,
        times=opened.times,
        duration=float(opened.duration),
        has_sound=opened.has_sound,
        matrix=layout.colour.matrix,
        matrix_rule=layout.colour.rule,
    )
