"""The argv of our own program, the same in a checkout, in a wheel and in a frozen bundle."""

from __future__ import annotations

import sys


def own_argv(*words: str) -> list[str]:
    """Argv that runs `h3studio VERB …` with this very installation. No verb opens the window."""
    if getattr(sys, "frozen", False):
        return [sys.executable, *words]
    # Verbs other than the window's run without Qt. -P: the working directory never shadows our packages.
    package = "ui" if not words or words[0] == "gui" else "studio"
    return [sys.executable, "-P", "-m", package, *words]
