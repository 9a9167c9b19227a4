"""`make run`: the studio on the rehearsal server. With no display, the same session runs offscreen by itself.

It leaves the video, its recipe, a contact sheet and a picture of every workspace in `demo-output/`.
"""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

from ui.app import main as open_window

OUTPUT = Path("demo-output")


def main() -> int:
    """Open the window where there is a display, else run the session. Gives the exit code."""
    if os.environ.get("WAYLAND_DISPLAY") or os.environ.get("DISPLAY"):
        return open_window(["--rehearsal"])
    folder = OUTPUT.absolute()
    shutil.rmtree(folder, ignore_errors=True)
    _keep_apart(folder)
    print("No display here: the same session runs offscreen, about two minutes.", flush=True)
    code = open_window(["--rehearsal", "--session", str(folder)])
    shutil.rmtree(folder / ".studio", ignore_errors=True)
    return code


def _keep_apart(folder: Path) -> None:
    """The session has data and settings of its own, so that it neither reads nor changes the user's."""
    own = folder / ".studio"
    os.environ |= {
        "QT_QPA_PLATFORM": "offscreen",
        "XDG_DATA_HOME": str(own / "data"),
        "XDG_CONFIG_HOME": str(own / "config"),
        "XDG_CACHE_HOME": str(own / "cache"),
    }
    settings = own / "config" / "h3studio" / "settings.json"
    settings.parent.mkdir(parents=True)
    settings.write_text(json.dumps({"results_dir": str(folder / "results"), "language": "en", "theme": "dark"}))
