"""Starts a bundle as a stranger would and renders the demo with it: `python packaging/bundle/check.py [PROGRAM]`.

A home of its own, no display, and nothing of this environment but PATH. Exit 1 and a sentence when something is amiss.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
DEMO_TIMEOUT_S = 900


def main() -> int:
    program = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "dist" / "h3studio" / "h3studio").absolute()
    with tempfile.TemporaryDirectory(prefix="h3studio-bundle-") as folder:
        home = Path(folder)
        env = {"HOME": folder, "PATH": os.environ["PATH"], "LANG": "C.UTF-8", "QT_QPA_PLATFORM": "offscreen"}

        def run(*words: str, timeout: float = 120) -> str:
            began = time.monotonic()
            done = subprocess.run(
                [str(program), *words], env=env, cwd=home, capture_output=True, text=True, timeout=timeout
            )
            if done.returncode or "Traceback" in done.stderr:
                faults = "\n".join(path.read_text("utf-8", "replace") for path in home.rglob("faults.log"))
                said = f"{done.stderr[-4000:]}\n{faults}"
                raise SystemExit(f"h3studio {' '.join(words)} gave {done.returncode}:\n{said}")
            print(f"h3studio {' '.join(words)}: {time.monotonic() - began:.1f} s", flush=True)
            return done.stdout

        print(run("--version"), end="")
        clip = program.parent / "_internal" / "resources" / "samples" / "boat.mp4"
        probed = json.loads(run("probe", str(clip), "--json"))["files"][0]
        if probed["error"] or probed["kind"] != "video":
            raise SystemExit(f"the sample clip was not read: {probed}")
        run("demo", timeout=DEMO_TIMEOUT_S)
        return _look(home / "demo-output", program)


def _look(output: Path, program: Path) -> int:
    videos = [path for path in output.glob("results/**/*.mp4") if path.with_suffix(".json").exists()]
    pictures = sorted(output.glob("*.png"))
    left = _processes_of(program)
    for path in videos:
        recipe = json.loads(path.with_suffix(".json").read_text("utf-8"))
        print(f"{path.name}: {path.stat().st_size / 1e6:.1f} MB, verified {recipe['verified']}")
    print(f"{len(pictures)} pictures, {len(left)} processes left")
    if len(videos) != 1 or len(pictures) < 8 or left:
        raise SystemExit(f"expected one video, eight pictures and no process: {videos}, {pictures}, {left}")
    return 0


def _processes_of(program: Path) -> list[int]:
    found = []
    for entry in Path("/proc").glob("[0-9]*/exe"):
        try:
            if entry.resolve() == program.resolve():
                found.append(int(entry.parent.name))
        except OSError:
            continue  # ended meanwhile, or another user's
    return found


if __name__ == "__main__":
    sys.exit(main())
