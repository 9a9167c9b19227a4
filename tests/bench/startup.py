"""From the start of the process to the first usable window, beside a bare PySide6 window; then idle use and memory.

    python -m tests.bench.startup [ROUNDS] [--cold]

Usable: the window has drawn itself, and a letter that is typed into the prompt stands in the shot. The bare window,
with pyqtgraph imported as most plots in Qt would have it, has drawn itself. What is made after that in turns of the
loop, and what an earlier studio left, is there at the second figure. `--cold` drops the files of both from the page
cache before each start.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
IDLE_S = 20
Times = tuple[float, float]
"""Wall time since the process was started, processor time of it; seconds."""
BARE = """
import json, time
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QMainWindow
import pyqtgraph

class Window(QMainWindow):
    def paintEvent(self, event):
        QTimer.singleShot(0, told)

def told():
    print(json.dumps({"at": time.monotonic(), "processor": time.process_time()}), flush=True)
    app.quit()

app = QApplication([])
window = Window()
window.resize(1440, 900)
window.show()
app.exec()
"""
OURS = """
import json, sys, time
from ui import startup
startup.prepare()  # as ui.__main__ does
from PySide6.QtCore import QEvent, Qt, QTimer
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication
import ui.app
from ui.studio import Studio

idle = float(sys.argv[1])
start = Studio.start

def say(**more):
    print(json.dumps({"at": time.monotonic(), "processor": time.process_time(), **more}), flush=True)

async def timed_start(self, shot, *, with_server):
    painted = self.window.painted

    async def timed_paint():
        await painted()
        for kind in (QEvent.Type.KeyPress, QEvent.Type.KeyRelease):
            key = QKeyEvent(kind, Qt.Key.Key_H, Qt.KeyboardModifier.NoModifier, "h")
            QApplication.sendEvent(self.compose_page.prompt.editor, key)
        say(typed=self.compose.shot.prompt)

    self.window.painted = timed_paint
    await start(self, shot, with_server=bool(idle))
    say()
    startup.done()
    if idle:
        QTimer.singleShot(15000, lambda: rest(self, time.process_time()))
    else:
        self.ended.emit()

def rest(studio, before):
    QTimer.singleShot(int(idle * 1000), lambda: rested(studio, before))

def rested(studio, before):
    import psutil

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
        bare: list[Times] = []
        usable: list[Times] = []
        whole: list[Times] = []
        for _ in range(args.rounds + 1):
            if args.cold:
                _forget_files()
            bare += _starts(BARE, Path(home))
            if args.cold:
                _forget_files()
            mine = _starts(OURS, Path(home))
            usable.append(mine[0])
            whole.append(mine[1])
        kind = "cold" if args.cold else "warm"
        for name, ours in (("usable window", usable), ("everything made", whole)):
            for n, measure in enumerate(("wall", "processor")):
                # The first start of each writes caches of its own and is not counted.
                pairs = [(a[n], b[n]) for a, b in zip(ours[1:], bare[1:], strict=True)]
                print(
                    f"{kind}, {name}, {measure}: ratio {statistics.median(a / b for a, b in pairs):.2f}; "
                    f"ours {statistics.median(a for a, _ in pairs):.2f} s, "
                    f"bare {statistics.median(b for _, b in pairs):.2f} s"
                )
        if not args.cold:
            _idle(Path(home))
    print(f"load {os.getloadavg()[0]:.1f}")


def _starts(code: str, home: Path) -> list[Times]:
    shutil.rmtree(home / "DATA_HOME" / "h3studio" / "drafts", ignore_errors=True)  # an empty table each time
    began = time.monotonic()
    lines = _lines(code, home, 0)
    if lines[0].get("typed", "h") != "h":
        raise SystemExit(f"the window took no input: {lines[0]}")
    return [(line["at"] - began, line["processor"]) for line in lines]


def _idle(home: Path) -> None:
    rest = _lines(OURS, home, IDLE_S)[-1]
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
