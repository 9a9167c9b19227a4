"""What makes the window's start quick (tests/bench/startup.py).

The entry point calls `prepare` before anything else is imported; the composition root has the rest imported once the
window has drawn itself, and calls `done` when all of it stands.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import sys
from typing import Any

_PLUGINS = "PYDANTIC_DISABLE_PLUGINS"


class _All(dict[str, int]):
    """Has every name."""

    def __contains__(self, _name: object) -> bool:
        return True


def prepare() -> None:
    """Have everything imported in the cheapest way."""
    # A hundred thousand objects are made while modules are read, and none dies: looking for garbage is wasted.
    gc.disable()
    # httpx takes its own command line along where rich and click are installed, and does without where it fails.
    sys.modules["httpx._main"] = None  # type: ignore[assignment]
    # pydantic reads the entry points of every package that is installed, for plug-ins that nobody here wants.
    given, os.environ[_PLUGINS] = os.environ.get(_PLUGINS), "1"
    import studio.presets
    import studio.settings  # noqa: F401

    if given is None:
        del os.environ[_PLUGINS]
    else:
        os.environ[_PLUGINS] = given
    import PySide6.QtCore  # noqa: F401

    # PySide6 reads the source text of every module that is imported after it, to see whether its switch for snake_case
    # is used there, unless it knows the module already (PySide6 6.11). Nobody here uses that switch.
    with contextlib.suppress(ImportError, AttributeError):
        feature: Any = importlib.import_module("shibokensupport.feature")
        feature.pyside_feature_dict = _All(feature.pyside_feature_dict)


def import_rooms() -> None:
    """Import what stands behind the window. To be called in a thread: none of it knows Qt, and the window answers."""
    import studio.compare
    import studio.jobs.awake
    import studio.jobs.library
    import studio.jobs.servers
    import studio.jobs.service
    import studio.media.frames
    import studio.media.probe
    import studio.media.thumbs
    import studio.server
    import studio.telemetry  # noqa: F401


def done() -> None:
    """Collect garbage again; what the start has made is here to stay, and is not looked at any more."""
    from PySide6.QtCore import QCoreApplication

    from ui.garbage import GarbageTimer

    gc.freeze()
    if (app := QCoreApplication.instance()) is not None:
        GarbageTimer(app)
