"""Paths that behave as on a share that is gone: whoever asks waits in the system, outside Python, for ever."""

from __future__ import annotations

import ctypes
import os
from pathlib import Path
from typing import BinaryIO


class OnDeadMount(type(Path())):  # type: ignore[misc]
    """A file whose disk never answers: whoever asks for it waits in the system."""

    def stat(self, *, follow_symlinks: bool = True) -> os.stat_result:
        ctypes.CDLL(None).pause()
        raise AssertionError("it answered")


class OnDyingMount(type(Path())):  # type: ignore[misc]
    """A file whose disk tells its size and then nothing more."""

    def open(self, *_: object, **__: object) -> BinaryIO:  # type: ignore[override]
        ctypes.CDLL(None).pause()
        raise AssertionError("it answered")
