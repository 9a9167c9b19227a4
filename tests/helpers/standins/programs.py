"""Stand-ins for `vllm`, `systemctl`, `journalctl`, `podman`, `docker`, `numactl` and `nvidia-smi`, run as programs of
these names on PATH.

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
    if "stray" in ways:
        _stray()
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


def _stray() -> None:
    """A worker that lost its server and shows no sign of it but its title."""
    if os.fork() == 0:
        os.setsid()
        child = subprocess.Popen(
            ["vLLM-Omni::DiffusionWorker_TP0", "-c", "import time; time.sleep(120)"], executable=sys.executable, env={}
        )
        (STATE / "stray").write_text(str(child.pid))
        os._exit(0)


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
    if verb == "start" and words[2:]:
        return max(systemctl([verb, one]) for one in words[1:])
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


def _follow(log: Path, pid: int = 0) -> int:
    """Until it is ended; with a pid until that process has ended."""
    at = 0
    while True:
        alive = not pid or _alive(pid)
        data = log.read_bytes()[at:] if log.exists() else b""
        at += len(data)
        sys.stdout.buffer.write(data)
        sys.stdout.flush()
        if not alive:
            return 0
        time.sleep(0.05)


WITH_VALUE = (
    "--name",
    "--label",
    "--publish",
    "--shm-size",
    "--stop-timeout",
    "--gpus",
    "--device",
    "--volume",
    "--env",
    "--cpuset-mems",
    "--cpuset-cpus",
)


def _make(args: list[str]) -> int:
    """`run --detach …`: refuses what the real parser does not know, and a name that is taken."""
    options: dict[str, list[str]] = {}
    at = 0
    while args[at].startswith("-"):
        if args[at] not in (*WITH_VALUE, "--detach"):
            sys.stderr.write(f"unknown flag: {args[at]}\n")
            return 125
        if args[at] in WITH_VALUE:
            options.setdefault(args[at], []).append(args[at + 1])
            at += 1
        at += 1
    name, image, argv = options["--name"][0], args[at], args[at + 1 :]
    file = STATE / f"{name}.json"
    if file.exists():
        sys.stderr.write(f'Conflict. The container name "{name}" is already in use\n')
        return 125
    env = dict(word.split("=", 1) if "=" in word else (word, os.environ[word]) for word in options["--env"])
    labels = dict(word.split("=", 1) for word in options.get("--label", []))
    about = {"argv": argv, "env": env, "labels": labels, "image": image, "options": options}
    about["pid"] = _spawn({"argv": argv, "env": env}, name)
    file.write_text(json.dumps(about))
    print("f00d" * 16)
    return 0


def numactl(args: list[str]) -> int:
    words = [word for word in args if not word.startswith("--")]
    (STATE / "numactl").write_text(" ".join(word for word in args[: len(args) - len(words)]))
    at = args.index(words[0])
    os.execvp(args[at], args[at:])


def nvidia_smi(args: list[str]) -> int:
    if args[:2] == ["topo", "-m"]:
        print((STATE / "topology").read_text())
        return 0
    if (STATE / "cards").exists():
        print((STATE / "cards").read_text())
        return 0
    sys.stderr.write("NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.\n")
    return 9


def engine(args: list[str]) -> int:
    verb = args[0]
    if verb == "run":
        return _make(args[1:])
    if verb == "info":
        print("28.3.2")
        return 0
    if verb == "version":
        print((STATE / "podman-version").read_text() if (STATE / "podman-version").exists() else "5.4.2")
        return 0
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
        if "HostConfig" in args[-1]:
            print(json.dumps({"ShmSize": about.get("shm", 64 << 20), "IpcMode": about.get("ipc", "private")}))
            return 0
        if "Config.Labels" in args[-1]:
            print(json.dumps(about.get("labels", {})))
            return 0
        if "Config.Env" in args[-1]:
            print(json.dumps([f"{name}={value}" for name, value in about.get("env", {}).items()]))
            return 0
        alive = bool(about.get("pid")) and _alive(about["pid"])
        state = {"Running": alive, "Pid": about["pid"] if alive else 0, "ExitCode": 0 if alive else 137}
        state["OOMKilled"] = not alive
        print(json.dumps(state))
        return 0
    elif verb == "rm":
        file.unlink()
        return 0
    elif verb == "logs":
        return _follow(STATE / f"{name}.log", about.get("pid") or 0)
    elif verb == "stop":
        _end(about["pid"], signal.SIGTERM, float(args[args.index("-t") + 1]))
    file.write_text(json.dumps(about))
    print(name)
    return 0


def closing_server(port: int) -> ThreadingHTTPServer:
    """Something that has a port, takes connections and says nothing."""
    return ThreadingHTTPServer(("127.0.0.1", port), BaseHTTPRequestHandler)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


if __name__ == "__main__":
    known = {"vllm": vllm, "systemctl": systemctl, "journalctl": journalctl, "podman": engine, "docker": engine}
    sys.exit((known | {"numactl": numactl, "nvidia-smi": nvidia_smi})[sys.argv[1]](sys.argv[2:]))
