"""Stands here for a server on another machine: a process that lives as long as that one does.

It holds the connection, its port forward and the log, connects again when it breaks, and ends with the server's own
exit code. So a remote server is followed, adopted after a crash of the studio, and seen to end like any other process.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from typing import Final

from studio.core.children import clean_environment
from studio.server.ssh import LOST, SshHost

_FIRST, _LAST = 1.0, 30.0
_OPEN_WITHIN: Final = 30.0
_STOOD: Final = 60.0
"""Seconds after which a connection counts as having stood."""
# `--pid` ends tail with the server; its exit code is written a moment later. 255 would read as a broken connection.
_FOLLOW: Final = """
cd "$1" || exit 1
tail -c "+$2" -f --pid="$(cat pid)" log
while [ ! -s exit ] && kill -0 "$(cat group)" 2>/dev/null; do sleep 0.1; done
code=$(cat exit 2>/dev/null || echo 1)
[ "$code" -eq 255 ] && code=254
exit "$code"
"""


def hold(host: SshHost, folder: str, here: int, there: int) -> int:
    """Follow the server of a folder there until it has ended; its exit code. Its log goes to standard error, a file."""
    pause = _FIRST
    while True:
        began = time.monotonic()
        code, why = _once(host, folder, here, there)
        if code is not None:
            return code
        if time.monotonic() - began > _STOOD:
            pause = _FIRST
        sys.stdout.write(f"The connection to {host.host} is gone: {why}. Next try in {pause:.0f} s.\n")
        sys.stdout.flush()
        time.sleep(pause)
        pause = min(_LAST, 2 * pause)


def _once(host: SshHost, folder: str, here: int, there: int) -> tuple[int | None, str]:
    """One connection: the server's exit code when it ended, else None and why the connection did."""
    host.socket.unlink(missing_ok=True)  # a killed master's
    argv = host.argv(master=True, forward=(here, there))
    with subprocess.Popen(
        argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=clean_environment()
    ) as master:
        try:
            if not _is_open(host, master):
                return None, _last_words(master)
            written = os.fstat(sys.stderr.fileno()).st_size
            follow = host.argv("sh", "-c", _FOLLOW, "sh", folder, str(written + 1))
            done = subprocess.run(
                follow,
                stdin=subprocess.DEVNULL,
                stdout=sys.stderr,
                stderr=subprocess.DEVNULL,
                env=clean_environment(),
                check=False,
            )
            return (done.returncode, "") if done.returncode != LOST else (None, _last_words(master))
        finally:
            master.terminate()


def _is_open(host: SshHost, master: subprocess.Popen[bytes]) -> bool:
    """Wait for the connection: its socket is there once it is let in and its port is forwarded."""
    end = time.monotonic() + _OPEN_WITHIN
    while master.poll() is None and time.monotonic() < end:
        if host.socket.exists():
            return True
        time.sleep(0.05)
    return False


def _last_words(master: subprocess.Popen[bytes]) -> str:
    master.terminate()
    said = master.communicate()[1].decode("utf-8", "replace").strip()
    return said.splitlines()[-1] if said else f"ssh ended with {master.returncode}"
