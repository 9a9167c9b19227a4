"""From the start of the process to the first usable window, beside a bare PySide6 window; then idle use and memory.

    python -m tests.bench.startup [ROUNDS] [--cold]

Usable: painted, what an earlier studio left is taken up, and the event loop has come back for more. The bare window
imports pyqtgraph, as most plots in Qt would. `--cold` drops the files of both from the page cache before each start.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
IDLE_S = 20
BARE = """
import json, time
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QMainWindow
import pyqtgraph
app = QApplication([])
window = QMainWindow()
window.resize(1440, 900)
window.show()
def told():
    print(json.dumps({"at": time.monotonic(), "processor": time.process_time()}), flush=True)
    app.quit()
QTimer.singleShot(0, told)
app.exec()
"""
OURS = """
import json, sys, time
from ui import startup
startup.prepare()  # as ui.__main__ does
import psutil
from PySide6.QtCore import QTimer
import ui.app
from ui.studio import Studio

idle = float(sys.argv[1])
start = Studio.start

async def timed_start(self, shot, *, with_server):
    await start(self, shot, with_server=bool(idle))
    QTimer.singleShot(0, lambda: told(self))

def told(studio):
    print(json.dumps({"at": time.monotonic(), "processor": time.process_time()}), flush=True)
    if idle:
        QTimer.singleShot(8000, lambda: rest(studio, time.process_time()))
    else:
        studio.ended.emit()

def rest(studio, before):
    QTimer.singleShot(int(idle * 1000), lambda: rested(studio, before))

def rested(studio, before):
    used = (time.process_time() - before) / idle
    memory = psutil.Process().memory_full_info()
    parts = {"share": used, "rss": memory.rss, "uss": memory.uss, "server": studio.manager.status.state.value}
    print(json.dumps(parts), flush=True)
    studio.close_at_once()

Studio.start = timed_start
sys.exit(ui.app.main(["--theme", "dark"]))
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rounds", nargs="?", type=int, default=5)
    parser.add_argument("--cold", action="store_true")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="h3studio-start-") as home:
        _settings(Path(home))
        bare: list[dict[str, float]] = []
        ours: list[dict[str, float]] = []
        for _ in range(args.rounds + 1):
            for code, found in ((BARE, bare), (OURS, ours)):
                if args.cold:
                    _forget_files()
                found.append(_start(code, Path(home)))
        kind = "cold" if args.cold else "warm"
        # The first start of each writes caches of its own and is not counted.
        for what in ("at", "processor"):
            mine, theirs = [o[what] for o in ours[1:]], [b[what] for b in bare[1:]]
            ratio = statistics.median(a / b for a, b in zip(mine, theirs, strict=True))
            name = "usable window" if what == "at" else "processor time"
            print(
                f"{kind}, {name}: ratio {ratio:.2f}; ours {statistics.median(mine):.2f} s, "
                f"bare {statistics.median(theirs):.2f} s"
            )
        if not args.cold:
            _idle(Path(home))
    print(f"load {os.getloadavg()[0]:.1f}")


def _start(code: str, home: Path, idle: float = 0) -> dict[str, float]:
    began = time.monotonic()
    lines = _lines(code, home, idle)
    return {"at": lines[0]["at"] - began, "processor": lines[0]["processor"]}


def _idle(home: Path) -> None:
    rest = _lines(OURS, home, IDLE_S)[1]
    share, resident, own = 100 * rest["share"], rest["rss"] / 2**20, rest["uss"] / 2**20
    print(f"idle, server {rest['server']}: {share:.2f} % of a core, resident {resident:.0f} MiB, its own {own:.0f} MiB")


def _lines(code: str, home: Path, idle: float) -> list[dict[str, Any]]:
    own = {f"XDG_{name}": str(home / name) for name in ("DATA_HOME", "CONFIG_HOME", "CACHE_HOME", "VIDEOS_DIR")}
    # Compiled once, in the round that is not counted, as pip does when it installs.
    own |= {"HOME": str(home), "PYTHONPYCACHEPREFIX": str(home / "compiled"), "PYTHONDONTWRITEBYTECODE": ""}
    env = {**os.environ, **own}
    env.setdefault("QT_QPA_PLATFORM", "offscreen")
    done = subprocess.run(
        [sys.executable, "-P", "-c", code, str(idle)], env=env, cwd=ROOT, capture_output=True, text=True, timeout=180
    )
    if done.returncode:
        raise SystemExit(done.stderr)
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def _settings(home: Path) -> None:
    path = home / "CONFIG_HOME" / "h3studio" / "settings.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"welcomed": True}))


def _forget_files() -> None:
    """Drop the interpreter's packages and our own files from the page cache, as after a boot."""
    for folder in (Path(sys.prefix), ROOT / "studio", ROOT / "ui", ROOT / "resources"):
        for path in folder.rglob("*"):
            if path.is_file() and not path.is_symlink():
                fd = os.open(path, os.O_RDONLY)
                os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
                os.close(fd)


if __name__ == "__main__":
    main()
