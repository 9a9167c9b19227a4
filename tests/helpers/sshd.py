"""A real `sshd` on loopback for this user, and `ssh` with a configuration that knows it as `box`."""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.helpers.standins.programs import free_port
from tests.helpers.waiting import until_now

SSHD = shutil.which("sshd", path=f"{os.environ['PATH']}:/usr/sbin:/usr/local/sbin")


def why_not() -> str:
    """What keeps a real server from being used here; "" when nothing does."""
    if SSHD is None or shutil.which("ssh-keygen") is None:
        return "no sshd is installed"
    if os.getuid() == 0:
        with contextlib.suppress(KeyError):
            pwd.getpwnam("sshd")
            return "" if Path("/run/sshd").is_dir() else "sshd's folder /run/sshd is missing"
        return "sshd's own user is missing"
    return ""


@contextlib.contextmanager
def sshd(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Run it; gives the known_hosts file. Its sessions have this process's PATH."""
    folder.mkdir(mode=0o700)
    for name in ("host", "user"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / name)], check=True)
    shutil.copy(folder / "user.pub", folder / "authorized")
    port, me = free_port(), pwd.getpwuid(os.getuid()).pw_name
    (folder / "sshd_config").write_text(
        f"Port {port}\nListenAddress 127.0.0.1\nHostKey {folder}/host\nAuthorizedKeysFile {folder}/authorized\n"
        f"StrictModes no\nUsePAM no\nPidFile none\nPermitRootLogin yes\nSetEnv PATH={os.environ['PATH']}"
        f" STANDIN_STATE={os.environ.get('STANDIN_STATE', '.')} XDG_DATA_HOME={folder}/there\n"
    )
    known = folder / "known_hosts"
    known.write_text(f"[127.0.0.1]:{port} {(folder / 'host.pub').read_text()}")
    (folder / "config").write_text(
        f"Host box\n  HostName 127.0.0.1\n  Port {port}\n  User {me}\n  IdentityFile {folder}/user\n"
        f"  IdentitiesOnly yes\n  UserKnownHostsFile {known}\n"
    )
    wrapper = folder / "bin" / "ssh"
    wrapper.parent.mkdir()
    wrapper.write_text(f'#!/bin/sh\nexec {shutil.which("ssh")} -F {folder}/config "$@"\n')
    wrapper.chmod(0o755)
    monkeypatch.setenv("PATH", f"{wrapper.parent}:{os.environ['PATH']}")
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen([str(SSHD), "-D", "-e", "-f", str(folder / "sshd_config")], stderr=log)
    try:
        until_now(lambda: _answers(port) or server.poll() is not None, "sshd")
        assert server.poll() is None, (folder / "log").read_text()
        yield known
    finally:
        server.terminate()
        server.wait()


def _answers(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
