"""`python -m ui shots DIR`: pictures of every workspace in both themes, languages and pixel densities, offscreen."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from studio.core.program import own_argv

_SCALES = (1, 2)


def main(words: Sequence[str]) -> int:
    """Run the tour once for each density, each in a process with data of its own. Gives the exit code."""
    if len(words) != 1:
        sys.stderr.write("usage: python -m ui shots DIR\n")
        return 2
    folder = Path(words[0]).absolute()
    for scale in _SCALES:
        with tempfile.TemporaryDirectory(prefix="h3studio-shots-") as home:
            done = subprocess.run([*own_argv("gui"), "--shots", str(folder)], env=_environment(Path(home), scale))
        if done.returncode:
            return done.returncode
    sys.stderr.write(f"{len(list(folder.glob('*.png')))} pictures in {folder}\n")
    return 0


def _environment(home: Path, scale: int) -> dict[str, str]:
    places = {f"XDG_{name}_HOME": str(home / name.lower()) for name in ("DATA", "CONFIG", "CACHE")}
    own = {"HOME": str(home), "XDG_VIDEOS_DIR": str(home / "videos"), "QT_QPA_PLATFORM": "offscreen"}
    return {**os.environ, **places, **own, "QT_SCALE_FACTOR": str(scale)}
