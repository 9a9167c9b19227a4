"""Both commands of the README as somebody new would give them: a copy of the tree, a new HOME, no virtual environment.

    python -m tests.bench.newcomer [run] [test]

Of this environment only what pip needs to reach its index behind a proxy is handed on (`PIP_*`, `SSL_*`, `REQUESTS_*`);
PATH is /usr/bin:/bin. Prints what the commands say, how each ended, how long it took, and the load. Exit 1 when one
fails.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LEFT_OUT = (".git", ".venv", "build", "dist", "demo-output", "__pycache__", ".*_cache", ".hypothesis")
HANDED_ON = ("PIP_", "SSL_", "REQUESTS_")


def main() -> int:
    wanted = sys.argv[1:] or ["run", "test"]
    with tempfile.TemporaryDirectory(prefix="h3studio-newcomer-") as place:
        home, tree = Path(place) / "home", Path(place) / "h3-studio"
        home.mkdir()
        shutil.copytree(ROOT, tree, ignore=shutil.ignore_patterns(*LEFT_OUT))
        env = {name: value for name, value in os.environ.items() if name.startswith(HANDED_ON)}
        env |= {"HOME": str(home), "PATH": "/usr/bin:/bin"}
        return max(_give(target, tree, env) for target in wanted)


def _give(target: str, tree: Path, env: dict[str, str]) -> int:
    print(f"$ make {target}", flush=True)
    began = time.monotonic()
    code = subprocess.run(["make", target], cwd=tree, env=env).returncode
    minutes, seconds = divmod(round(time.monotonic() - began), 60)
    print(f"make {target}: exit {code} after {minutes} min {seconds:02d} s, load {os.getloadavg()[0]:.1f}", flush=True)
    return min(code, 1)


if __name__ == "__main__":
    sys.exit(main())
