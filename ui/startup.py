"""What makes the window's start quick: a third of its processor time (tests/bench/startup.py).

The entry point calls `prepare` before anything of Qt is imported, the composition root `done` when the window stands.
"""

from __future__ import annotations

import gc
import sys


def prepare() -> None:
    """Import what needs no Qt, in the cheapest way."""
    # Two hundred thousand objects are made while modules are read, and none dies: looking for garbage is wasted.
    gc.disable()
    # httpx takes its own command line along where rich and click are installed, and does without where it fails.
    sys.modules["httpx._main"] = None  # type: ignore[assignment]
    # PySide6 reads the source text of every module that is imported after it, to see whether it is used there
    # (PySide6 6.11, shibokensupport.feature): what has no use for it is imported before.
    import studio.compare
    import studio.jobs.library
    import studio.presets
    import studio.server
    import studio.telemetry  # noqa: F401


def done() -> None:
    """Collect garbage again; what the start has made is here to stay, and is not looked at any more."""
    gc.freeze()
    gc.enable()
