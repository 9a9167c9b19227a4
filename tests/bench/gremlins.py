"""A hand that knows nothing uses the whole window: it clicks, types, drags in files and opens menus at random.

    python -m tests.bench.gremlins [SECONDS] [--seed N] [--language zh_CN] [--files FOLDER]

The window is the program's own, offscreen, in a home of its own, with a rehearsal server. What is pressed is on stdout.
Exit 1 when something went wrong in the studio itself (an error in the log) or the loop stood still for longer than a
second.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from tests.bench.light import forget_main

if TYPE_CHECKING:
    from tests.bench.gremlin import Gremlin
    from ui.studio import Studio

ROOT = Path(__file__).resolve().parents[2]
SUFFIXES = {".mp4", ".mov", ".webm", ".png", ".jpg", ".gif", ".wav", ".mp3", ".avif"}
FOLDERS = ("DATA_HOME", "CONFIG_HOME", "CACHE_HOME", "VIDEOS_DIR")
STOOD_STILL_S = 1.0


def main() -> int:
    """Run in a home of its own; gives the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("seconds", nargs="?", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--language", default="en")
    parser.add_argument("--files", type=Path, default=ROOT / "resources" / "samples")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="h3studio-gremlins-") as home:
        os.environ |= {f"XDG_{name}": str(Path(home) / name) for name in FOLDERS}
        os.environ |= {"QT_QPA_PLATFORM": "offscreen", "HOME": home}
        settings = Path(home) / "CONFIG_HOME" / "h3studio" / "settings.json"
        settings.parent.mkdir(parents=True)
        settings.write_text(json.dumps({"welcomed": True, "language": args.language}))
        wrong = _use(args.seconds, random.Random(args.seed), args.files)
        log = Path(home) / "DATA_HOME" / "h3studio" / "logs" / "studio.log"
        wrong += [line for line in log.read_text("utf-8").splitlines() if " ERROR " in line] if log.exists() else []
    print(*wrong, sep="\n")
    return 1 if wrong else 0


def _use(seconds: float, chance: random.Random, folder: Path) -> list[str]:
    from ui import startup

    startup.prepare()
    from PySide6.QtGui import QDesktopServices

    import ui.app
    from tests.bench.gremlin import Gremlin
    from ui.studio import Studio

    QDesktopServices.openUrl = staticmethod(lambda _url: True)  # type: ignore[method-assign]  # no browser, no player
    start, wrong = Studio.start, list[str]()
    files = sorted(path for path in folder.rglob("*") if path.suffix.lower() in SUFFIXES)

    async def begin(studio: Studio, shot: Path | None, *, with_server: bool) -> None:
        await start(studio, shot, with_server=True)
        studio.scope.start(_play(studio, seconds, Gremlin(studio.window, chance, files), wrong), name="gremlins")

    Studio.start = begin  # type: ignore[method-assign]
    ui.app.main([])
    return wrong


async def _play(studio: Studio, seconds: float, gremlin: Gremlin, wrong: list[str]) -> None:
    from PySide6.QtCore import QTimer

    loop, end, count = asyncio.get_running_loop(), time.monotonic() + seconds, 0
    while time.monotonic() < end:
        done: asyncio.Future[str] = loop.create_future()
        # From Qt, as a person's click comes, and not from within a task.
        QTimer.singleShot(0, partial(_act, gremlin, done))
        did = await done
        print(did, flush=True)
        count += 1
        pause, before = gremlin.chance.choice((0.0, 0.01, 0.05, 0.2)), time.monotonic()
        await asyncio.sleep(pause)
        if (gap := time.monotonic() - before - pause) > STOOD_STILL_S:
            wrong.append(f"the loop stood still for {gap:.1f} s after: {did}")
    print(f"{count:,} acts", flush=True)
    studio.close_at_once()


def _act(gremlin: Gremlin, done: asyncio.Future[str]) -> None:
    try:
        done.set_result(gremlin.act())
    except Exception as error:
        done.set_exception(error)


if __name__ == "__main__":
    forget_main()
    sys.exit(main())
