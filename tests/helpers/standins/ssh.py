"""A stand-in of `ssh` for machines without a server of it: the same options, connections and failures, on this machine.

`STANDIN_SSH` names a refusal (key_changed, key_unknown, denied, resolve). A connection is a process that forwards a
port and has the control socket's file; commands that name the socket of a living one go over it and die with it.
"""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path

REFUSALS = {
    "key_changed": (
        "@@@@\n@    WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!     @\n@@@@\n"
        "The fingerprint for the ED25519 key sent by the remote host is\nSHA256:2Zr8nXdpVnKfQx.\n"
        "Offending ED25519 key in /home/u/.ssh/known_hosts:7\nHost key verification failed.\n"
    ),
    "key_unknown": "No ED25519 host key is known for box and you have requested strict checking.\n"
    "Host key verification failed.\n",
    "denied": "u@box: Permission denied (publickey,password).\n",
    "resolve": "ssh: Could not resolve hostname box: Name or service not known\n",
}


def main(args: list[str]) -> int:
    options, flags, at = {}, {}, 0
    while at < len(args) and args[at].startswith("-") and args[at] != "--":
        if args[at] == "-o":
            name, _, value = args[at + 1].partition("=")
            options[name] = value
        elif args[at] == "-L":
            flags[args[at]] = args[at + 1]
        else:
            flags[args[at]] = ""
            at -= 1
        at += 2
    assert options["BatchMode"] == options["StrictHostKeyChecking"] == "yes"
    if said := REFUSALS.get(os.environ.get("STANDIN_SSH", "")):
        sys.stderr.write(said)
        return 255
    path = Path(options["ControlPath"])
    if "-N" in flags:
        return _stand(path, flags["-L"])
    command = " ".join(args[at + 2 :])
    return _command(command, path)


def _stand(path: Path, forward: str) -> int:
    _, here, host, there = forward.split(":")
    listener = socket.create_server(("127.0.0.1", int(here)))
    path.write_text(str(os.getpid()))
    signal.signal(signal.SIGTERM, lambda *_: (path.unlink(missing_ok=True), os._exit(255)))
    while True:
        client, _ = listener.accept()
        threading.Thread(target=_join, args=(client, host, int(there)), daemon=True).start()


def _join(client: socket.socket, host: str, port: int) -> None:
    try:
        server = socket.create_connection((host, port))
    except OSError:
        client.close()
        return
    for a, b in ((client, server), (server, client)):
        threading.Thread(target=_pump, args=(a, b), daemon=True).start()


def _pump(a: socket.socket, b: socket.socket) -> None:
    try:
        while data := a.recv(1 << 16):
            b.sendall(data)
        b.shutdown(socket.SHUT_WR)
    except OSError:
        pass


def _command(command: str, path: Path) -> int:
    master = int(path.read_text()) if path.exists() else None
    child = subprocess.Popen(["/bin/sh", "-c", command], env=os.environ)
    while True:
        try:
            code = child.wait(0.05)
        except subprocess.TimeoutExpired:
            if master is not None and not _alive(master):
                child.kill()
                return 255
            continue
        return 255 if code < 0 else code


def _alive(pid: int) -> bool:
    try:
        return not re.search(r"\) Z", Path(f"/proc/{pid}/stat").read_text())
    except OSError:
        return False


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
