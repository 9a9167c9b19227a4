"""The decoder of one open clip: fills a frame store, first with what is asked for, then with the rest.

It runs in a process (or thread) of its own and talks with the viewer over a connection. Downwards: the descriptor of
the store's file, then n ("picture n is wanted") or -1 - n ("no longer"). Upwards: `Opened` or an error, then n
("picture n is in the store") or -1 - n ("it cannot be decoded"). It ends by itself once every picture is in the store.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Mapping
from contextlib import suppress
from fractions import Fraction
from multiprocessing.connection import Connection
from multiprocessing.reduction import recv_handle
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt
from av.error import FFmpegError

from studio.core.errors import StudioError
from studio.media.colour import Colour, Picture
from studio.media.container import sound_track
from studio.media.errors import MediaError, as_media_error
from studio.media.frame_store import FrameStore, Layout
from studio.media.processes import settle
from studio.media.sequence import Sequence
from studio.media.stills import read_still

_LEAST_SLOTS: Final = 8
_FAR: Final = 12  # pictures; playing on must not leave holes


class Opened(NamedTuple):
    """What the viewer must know of the clip. `times`: (frames,) float64 seconds from the start of the file."""

    layout: Layout
    times: npt.NDArray[np.float64]
    duration: Fraction
    has_sound: bool


def run_process(
    link: Connection, path: Path, budget_bytes: int, ground: str | None, environment: Mapping[str, str]
) -> None:
    """Entry of the process: it takes no part in the terminal's Ctrl+C, has bounds, and never outlives the program."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    settle(environment)
    threading.Thread(target=_follow_parent, daemon=True).start()
    serve(link, path, budget_bytes, ground)


def _follow_parent() -> None:
    # A decoder that hangs in a file never notices a closed connection.
    if (parent := multiprocessing.parent_process()) is not None:
        parent.join()
        os._exit(1)


def serve(link: Connection, path: Path, budget_bytes: int, ground: str | None = None) -> None:
    """Decode `path` until all is in the store or the viewer closes the connection; says first that it begins."""
    with link, suppress(EOFError, BrokenPipeError, ConnectionResetError):
        fd = recv_handle(link)
        link.send(None)
        try:
            still = read_still(path, ground)
            if still is not None:
                _show_still(link, fd, still)
            else:
                _show_clip(link, fd, Sequence(path, ground), budget_bytes)
        except (BrokenPipeError, ConnectionResetError):
            raise
        except Exception as error:
            link.send(_told(error, path))


def _told(error: Exception, path: Path) -> StudioError:
    told = as_media_error(error, name=path.name)
    if told.code == "media.broken" and isinstance(error, FFmpegError):
        return MediaError("media.damaged", name=path.name, detail=told.detail)
    return told


def _show_still(link: Connection, fd: int, picture: Picture) -> None:
    height, width = picture.shape[:2]
    layout = Layout(width, height, False, 1, Colour("rgb", True, "tag"))
    store = FrameStore(fd, layout, create=True)
    try:
        store.put(0, picture.reshape(-1))
        link.send(Opened(layout, np.zeros(1), Fraction(0), False))
        link.send(0)
    finally:
        store.close()


def _show_clip(link: Connection, fd: int, clip: Sequence, budget_bytes: int) -> None:
    layout = Layout(clip.width, clip.height, clip.planar, 1, clip.colour)
    layout = layout._replace(slots=min(len(clip), max(_LEAST_SLOTS, budget_bytes // layout.frame_bytes)))
    store = FrameStore(fd, layout, create=True)
    try:
        link.send(Opened(layout, clip.times, clip.duration, sound_track(clip.container) is not None))
        _Filler(link, clip, store).run()
    finally:
        store.close()
        clip.close()


class _Filler:
    """Decides what is decoded next: the newest wish, else the nearest picture ahead of the last wish, else behind."""

    def __init__(self, link: Connection, clip: Sequence, store: FrameStore) -> None:
        self._link, self._clip, self._store = link, clip, store
        self._wishes: list[int] = []
        self._at = 0
        self._told_lost: set[int] = set()

    def run(self) -> None:
        while True:
            self._listen(wait=False)
            wish = self._wishes[-1] if self._wishes else None
            target = wish if wish is not None else self._next_missing()
            if target is None:
                if self._store.layout.slots == len(self._clip):
                    return
                self._listen(wait=True)
                continue
            if not self._clip.reaches(target):
                self._clip.seek(target, skip=wish is not None)
            elif wish is not None and wish - self._clip.position > _FAR:
                self._clip.hurry(wish)
            self._decode()

    def _listen(self, *, wait: bool) -> None:
        while self._link.poll(None if wait else 0):
            wait = False
            message: int = self._link.recv()
            n = message if message >= 0 else -1 - message
            if n in self._wishes:
                self._wishes.remove(n)
            if message < 0:
                continue
            self._at = n
            if self._store.has(n):
                self._link.send(n)
            elif n in self._clip.lost:
                self._link.send(-1 - n)
            else:
                self._wishes.append(n)

    def _window(self) -> range:
        """The pictures that are kept: as many as there are slots, a quarter of them behind the last wish."""
        slots = self._store.layout.slots
        first = max(0, min(self._at - slots // 4, len(self._clip) - slots))
        return range(first, first + slots)

    def _next_missing(self) -> int | None:
        window = np.array(self._window())
        missing = window[self._store.holds[window % len(window)] != window]
        if self._clip.lost:
            missing = missing[~np.isin(missing, list(self._clip.lost))]
        if not len(missing):
            return None
        ahead = missing[missing >= self._at]
        return int(ahead[0] if len(ahead) else missing[0])

    def _decode(self) -> None:
        window = self._window()
        for n, frame in self._clip.step():
            if (n in self._wishes or n in window) and not self._store.has(n):
                self._store.put(n, self._clip.raw(frame))
                self._answer(n, n)
        for n in self._clip.lost - self._told_lost:
            self._told_lost.add(n)
            self._answer(n, -1 - n)

    def _answer(self, n: int, answer: int) -> None:
        if n in self._wishes:
            self._wishes.remove(n)
        self._link.send(answer)
