"""Another machine behind the system's own `ssh`: the user's keys, configuration and known hosts, as they are.

No password is ever asked for (BatchMode), and no host key accepted: an unknown or changed one is shown instead. What is
run there goes to `sh` as its input, so that neither the remote shell's dialect nor `ps` matters.
"""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import tempfile
from pathlib import Path
from typing import Final

from studio.core.errors import StudioError
from studio.server.launchers.commands import run

_HOST: Final = re.compile(r"(ssh://)?[A-Za-z0-9_][A-Za-z0-9_.@:%\[\]-]*")
_LONGEST_FOLDER: Final = 73
"""Bytes: a socket's path has 107 at most; ours takes 17 after the folder, and ssh 17 more while it makes it."""
_OPTIONS: Final = (
    "BatchMode=yes",
    "StrictHostKeyChecking=yes",
    "ConnectTimeout=20",
    "ServerAliveInterval=15",
    "ServerAliveCountMax=4",
)
# $1: a port. The kernel's own table: a connection to try would be an answer by time, and slow machines are slow.
_LISTENS: Final = """
cat /proc/net/tcp /proc/net/tcp6 2>/dev/null |
    awk -v port="$(printf ':%04X' "$1")" '$4 == "0A" && $2 ~ port "$" {found = 1} END {print found + 0}'
"""
LOST: Final = 255
"""ssh's own failures; a command's are passed on."""


class SshHost:
    """`label` names one connection: what is run with the same label goes over it while it stands."""

    def __init__(self, host: str, label: str = "") -> None:
        if not host:
            raise StudioError("ssh.no_host")
        if not _HOST.fullmatch(host):
            raise StudioError("ssh.bad_host", host=repr(host))
        self.host, self.label = host, label

    def argv(self, *command: str, master: bool = False, forward: tuple[int, int] | None = None) -> tuple[str, ...]:
        """`ssh …`; without a command it only stands. `master` holds the connection for the others.

        `forward`: (port here, port there), loopback both.
        """
        words = ["ssh"]
        for option in (*_OPTIONS, f"ControlPath={self.socket}", f"ControlMaster={'yes' if master else 'no'}"):
            words += ["-o", option]
        if forward is not None:
            words += ["-o", "ExitOnForwardFailure=yes", "-L", f"127.0.0.1:{forward[0]}:127.0.0.1:{forward[1]}"]
        if not command:
            return (*words, "-N", self.host)
        # The other side joins the words and gives them to a shell.
        return (*words, self.host, "--", *map(shlex.quote, command))

    @property
    def prefix(self) -> tuple[str, ...]:
        """What is put before a program's own words to run it there."""
        return (*self.argv("x")[:-1],)

    async def run(self, script: str, *arguments: str, limit: float = 90.0) -> str:
        """What a script for `sh` prints there. Raises StudioError (`ssh.*`)."""
        try:
            return await run(*self.argv("sh", "-s", "--", *arguments), given=script.encode(), limit=limit)
        except StudioError as error:
            if error.code != "tool.failed":
                raise
            if error.params["status"] == LOST:
                raise explained(self.host, error.detail) from error
            said = str(error.params["said"])
            raise StudioError("ssh.command", host=self.host, status=error.params["status"], said=said) from error

    async def listens(self, port: int) -> bool:
        """Whether something of the other machine listens at a port. Raises StudioError (`ssh.*`)."""
        return (await self.run(_LISTENS, str(port))).strip() == "1"

    @property
    def socket(self) -> Path:
        """Where the connection is shared: short, as a socket's path may have 107 bytes, and only the user's."""
        folder = Path(os.environ.get("XDG_RUNTIME_DIR") or tempfile.gettempdir()) / f"h3studio-{os.getuid()}"
        if len(os.fsencode(folder)) > _LONGEST_FOLDER:
            folder = Path("/tmp") / folder.name
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if folder.stat().st_uid != os.getuid():
            raise StudioError("ssh.folder_taken", path=str(folder))
        return folder / hashlib.sha256(f"{self.host}\n{self.label}".encode()).hexdigest()[:16]


def explained(host: str, said: str) -> StudioError:
    """What ssh's words mean."""
    if "REMOTE HOST IDENTIFICATION HAS CHANGED" in said:
        key = re.search(r"SHA256:\S+", said)
        at = re.search(r"Offending .* key in (\S+)", said)
        params = {"host": host, "key": key[0].rstrip(".") if key else "–", "file": at[1] if at else "known_hosts"}
        return StudioError("ssh.key_changed", mend="ssh.key_changed.mend", detail=said, **params)
    if "Host key verification failed" in said:
        return StudioError("ssh.key_unknown", mend="ssh.key_unknown.mend", detail=said, host=host)
    if "Permission denied" in said:
        return StudioError("ssh.denied", mend="ssh.denied.mend", detail=said, host=host)
    if "Could not resolve" in said:
        return StudioError("ssh.no_such_host", mend="ssh.no_such_host.mend", detail=said, host=host)
    lines = [line for line in said.splitlines() if line.strip()]
    return StudioError(
        "ssh.unreachable", mend="ssh.unreachable.mend", detail=said, host=host, why=lines[-1] if lines else "–"
    )
