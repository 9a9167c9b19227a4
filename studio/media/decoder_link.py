"""The viewer's end of a decoder: starts it, hears it, ends it."""

from __future__ import annotations

import asyncio
import contextlib
import multiprocessing
import threading
from collections.abc import Callable
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from multiprocessing.reduction import send_handle
from pathlib import Path
from typing import TypeAlias

from studio.core.children import clean_environment
from studio.core.errors import StudioError
from studio.core.tasks import on_thread
from studio.media.decoder import Opened, run_process, serve
from studio.media.processes import context, deaf_to_interrupts

Message: TypeAlias = Opened | StudioError | int | None
"""None: the decoder begins."""


class DecoderLink:
    """A decoder and the connection to it. `on_message` and `on_end` are called on the loop.

    `on_end` comes once, when the decoder is done or dead. A decoder of a trusted file is a thread of this process.
    """

    def __init__(self, on_message: Callable[[Message], None], on_end: Callable[[], None]) -> None:
        self._on_message, self._on_end = on_message, on_end
        self._loop = asyncio.get_running_loop()
        self._decoder: BaseProcess | threading.Thread | None = None
        self._link: Connection | None = None
        self._reaping: asyncio.Future[None] | None = None

    async def start(self, path: Path, fd: int, budget_bytes: int, *, trusted: bool, ground: str | None = None) -> None:
        """Start decoding `path` into a file of which `fd` is a descriptor (which stays the caller's)."""
        self._link, theirs = multiprocessing.Pipe()
        arguments = (theirs, path, budget_bytes, ground)
        if trusted:
            self._decoder = threading.Thread(target=serve, args=arguments, daemon=True, name=f"frames of {path.name}")
            self._decoder.start()
        else:
            process = context().Process(target=run_process, args=(*arguments, clean_environment()), daemon=True)
            try:
                await on_thread(_start, process)
            finally:
                # Cancelled or not: a process that was started must be known, to be ended.
                self._decoder = process if process.pid else None
                theirs.close()
        assert self._decoder is not None
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            send_handle(self._link, fd, self._decoder.ident or 0)
        self._loop.add_reader(self._link.fileno(), self._hear)

    def tell(self, message: int) -> None:
        """Say something to the decoder; nothing happens when it is gone."""
        if self._link is not None:
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                self._link.send(message)

    def kill(self) -> None:
        """End the decoder at once, whatever it does (a thread ends after its current packet)."""
        if isinstance(self._decoder, BaseProcess):
            self._decoder.kill()
        self._hang_up()

    async def aclose(self) -> None:
        """End the decoder and wait until it is gone."""
        self.kill()
        await self._reap()
        if isinstance(self._decoder, BaseProcess):
            self._decoder.close()
        self._decoder = None

    async def _reap(self) -> None:
        """Wait for the decoder's end; a process that is not waited for stays as a zombie."""
        if self._decoder is None:
            return
        if self._reaping is None:
            self._reaping = self._loop.run_in_executor(None, self._decoder.join)
        await self._reaping

    def _hear(self) -> None:
        try:
            while self._link is not None and self._link.poll():
                self._on_message(self._link.recv())
        except (EOFError, ConnectionResetError):
            self._hang_up()
            if self._decoder is not None:
                self._reaping = self._loop.run_in_executor(None, self._decoder.join)
            self._on_end()

    def _hang_up(self) -> None:
        if self._link is not None:
            self._loop.remove_reader(self._link.fileno())
            self._link.close()
            self._link = None


def _start(process: BaseProcess) -> None:
    with deaf_to_interrupts():
        process.start()
