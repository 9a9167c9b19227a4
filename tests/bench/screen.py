"""A screen of our own for benches that must paint for real: Xvfb, on a display number that it chooses."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def a_screen() -> Iterator[None]:
    """Point Qt's xcb platform at a new Xvfb while inside. Before the QApplication is made."""
    reading, writing = os.pipe()
    argv = ["Xvfb", "-displayfd", str(writing), "-screen", "0", "1440x900x24", "-nolisten", "tcp"]
    server = subprocess.Popen(argv, pass_fds=[writing], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    os.close(writing)
    with os.fdopen(reading) as told:
        os.environ |= {"DISPLAY": f":{told.readline().strip()}", "QT_QPA_PLATFORM": "xcb"}
    try:
        yield
    finally:
        server.terminate()
        server.wait()
