"""Stand-ins for `vllm`, `systemctl`, `journalctl` and `podman`, run as programs named so on PATH.

They behave as the real ones do where a launcher can tell: exit codes, output, delays, ways to fail. `STANDIN_STATE` is
the folder where units and containers are kept.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

STATE = Path(os.environ.get("STANDIN_STATE", "."))
BOOT = (
    "Detected diffusion model: /m",
    "[OmniEngine] Initializing with model /m",
    "[stage_init] Set VLLM_WORKER_MULTIPROC_METHOD=spawn",
    "Multi-thread loading shards:  50% Completed | 13/26 [00:01<00:01, 9.0it/s]",
    "Multi-thread loading shards: 100% Completed | 26/26 [00:02<00:00, 9.0it/s]",
    "Loading weights took 61.23 seconds",
    "Model runner: Initialization complete.",
    "[OmniEngine] Orchestrator ready with 1 stages",
    "Starting vLLM API server (pure diffusion mode) on http://127.0.0.1:1",
)


def say(text: str, level: str = "INFO") -> None:
    sys.stderr.write(f"(APIServer pid={os.getpid()}) {level} 11-29 13:09:44 [x.py:1] {text}\n")
    sys.stderr.flush()


def vllm(args: list[str]) -> int:
    """`STANDIN_VLLM` names what goes wrong, several by commas."""
    ways = os.environ.get("STANDIN_VLLM", "").split(",")
    if "usage" in ways:
        sys.stderr.write("vllm: error: unrecognized arguments: --stage-configs-path x\n")
        return 2
    if "worker" in args:
        return _worker(ways)
    if "deaf" in ways:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if "workers" in ways or "daemon" in ways:
        for _ in range(2):
            subprocess.Popen([sys.executable, __file__, "vllm", "worker"], start_new_session="daemon" in ways)
    line = os.environ.get("STANDIN_LINE")
    for text in BOOT:
        say(text)
        if "crash" in ways and "Loading weights" in text:
            sys.stderr.write(f"{line or 'torch.OutOfMemoryError: CUDA out of memory.'}\n")
            sys.stderr.write("RuntimeError: Orchestrator initialization failed: see above\n")
            return 1
        if "killed" in ways and "Loading weights" in text:
            os.kill(os.getpid(), signal.SIGKILL)
        if "hang" in ways and "Loading weights" in text:
            threading.Event().wait()
    return _serve(int(args[args.index("--port") + 1]), ways)


def _worker(ways: list[str]) -> int:
    if "daemon" in ways and os.fork():
        return 0
    if "deaf_workers" in ways:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    threading.Event().wait(120)
    return 0


def _serve(port: int, ways: list[str]) -> int:
    loading = [not (STATE / "go").exists() and "loading" in ways]

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            loading[0] = loading[0] and not (STATE / "go").exists()
            body: dict[str, Any] = {"object": "list", "data": [{"id": "standin/H3", "object": "model"}]}
            status = 503 if loading[0] else 200
            plain = json.dumps(body if "models" in self.path else {"status": "healthy"}).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(plain)))
            self.end_headers()
            self.wfile.write(plain)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", port), Answer)
    if "deaf" not in ways:
        signal.signal(signal.SIGTERM, lambda *_: threading.Thread(target=server.shutdown).start())
    if "dies" in ways:
        threading.Timer(
            0.5, lambda: (say("Diffusion worker(s) died unexpectedly: ['x']", "ERROR"), os._exit(1))
        ).start()
    server.serve_forever()
    say("[shutdown] API server: shutdown triggered")
    return 0


def systemctl(args: list[str]) -> int:
    words = [word for word in args if not word.startswith("--")]
    verb, unit = words[0], words[1] if len(words) > 1 else ""
    if verb == "daemon-reload":
        (STATE / "reloaded").touch()
        return 0
    file = STATE / f"{unit}.json"
    if verb == "show":
        return _show(file)
    if not file.exists():
        sys.stderr.write(f"Failed to {verb} {unit}: Unit {unit} not found.\n")
        return 5
    about = json.loads(file.read_text())
    if verb == "start":
        for other in about.get("conflicts", []):
            systemctl(["stop", other])
        about["pid"] = _spawn(about, unit)
    elif about.get("pid"):
        _end(about["pid"], signal.SIGKILL if verb == "kill" else signal.SIGTERM)
    file.write_text(json.dumps(about))
    return 0


def _show(file: Path) -> int:
    if not file.exists():
        print("LoadState=not-found\nActiveState=inactive\nMainPID=0\nResult=success")
        return 0
    about = json.loads(file.read_text())
    pid = about.get("pid") or 0
    active = "active" if pid and _alive(pid) else "failed" if pid and about.get("fails") else "inactive"
    print(f"LoadState=loaded\nActiveState={active}\nMainPID={pid if active == 'active' else 0}")
    print(f"Result={about.get('fails', 'success')}\nExecMainStatus=1")
    print(f"SourcePath={about.get('source', '')}")
    print(f"Conflicts=shutdown.target {' '.join(about.get('conflicts', []))}".rstrip())
    return 0


def _spawn(about: dict[str, Any], name: str) -> int:
    with (STATE / f"{name}.log").open("ab") as log:
        argv, env = about["argv"], {**os.environ, **about.get("env", {})}
        child = subprocess.Popen(
            argv, stdout=log, stderr=log, stdin=subprocess.DEVNULL, env=env, start_new_session=True
        )
    return child.pid


def _alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def _end(pid: int, number: int, within: float = 10) -> None:
    end = time.monotonic() + within
    if _alive(pid):
        os.kill(pid, number)
    while _alive(pid) and time.monotonic() < end:
        time.sleep(0.02)
    if _alive(pid):
        os.killpg(pid, signal.SIGKILL)


def journalctl(args: list[str]) -> int:
    return _follow(STATE / f"{args[args.index('-u') + 1]}.log")


def _follow(log: Path) -> int:
    at = 0
    while True:
        data = log.read_bytes()[at:] if log.exists() else b""
        at += len(data)
        sys.stdout.buffer.write(data)
        sys.stdout.flush()
        time.sleep(0.05)


def podman(args: list[str]) -> int:
    verb = args[0]
    name = next(word for word in args[1:] if (STATE / f"{word}.json").exists() or word == args[-1])
    file = STATE / f"{name}.json"
    if not file.exists():
        sys.stderr.write(f'Error: no such container "{name}"\n')
        return 125
    about = json.loads(file.read_text())
    if verb == "start":
        about["pid"] = _spawn(about, name)
        if about.get("fails"):
            _end(about["pid"], signal.SIGKILL)
    elif verb == "inspect":
        alive = bool(about.get("pid")) and _alive(about["pid"])
        state = {"Running": alive, "Pid": about["pid"] if alive else 0, "ExitCode": 137, "OOMKilled": not alive}
        print(json.dumps(state))
        return 0
    elif verb == "logs":
        return _follow(STATE / f"{name}.log")
    elif verb == "stop":
        _end(about["pid"], signal.SIGTERM, float(args[args.index("-t") + 1]))
    file.write_text(json.dumps(about))
    print(name)
    return 0


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


if __name__ == "__main__":
    program = {"vllm": vllm, "systemctl": systemctl, "journalctl": journalctl, "podman": podman}[sys.argv[1]]
    sys.exit(program(sys.argv[2:]))
