"""The program: arguments, port, boot, signals, and the several ways it ends."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import socket
import sys
import tempfile
import time
from pathlib import Path
from types import FrameType
from typing import Any

import uvicorn
from starlette.middleware import Middleware

from studio.rehearsal.app import MODEL, build_app
from studio.rehearsal.engine import Engine
from studio.rehearsal.faults import KNOWN, Faults
from studio.rehearsal.gate import Clients, Gate
from studio.rehearsal.log import Log
from studio.rehearsal.records import Jobs

STEP_SECONDS = 0.15
IDLE_SECONDS = 600.0  # with no open job and no client the program ends by itself
GRACE_SECONDS = 1  # for open connections when it ends
KEEP_ALIVE_SECONDS = 5
_BOOT_PAUSE = 0.01  # s between lines of the boot log
_WATCH_SECONDS = 0.5

_UVICORN_LOG: dict[str, Any] = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "default": {
            "()": "uvicorn.logging.DefaultFormatter",
            "fmt": "%(levelprefix)s %(message)s",
            "use_colors": False,
        },
        "access": {
            "()": "uvicorn.logging.AccessFormatter",
            "fmt": '%(levelprefix)s %(client_addr)s - "%(request_line)s" %(status_code)s',
            "use_colors": False,
        },
    },
    "handlers": {
        "default": {"class": "logging.StreamHandler", "formatter": "default", "stream": "ext://sys.stderr"},
        "access": {"class": "logging.StreamHandler", "formatter": "access", "stream": "ext://sys.stdout"},
    },
    "loggers": {
        "uvicorn": {"handlers": ["default"], "level": "INFO", "propagate": False},
        "uvicorn.access": {"handlers": ["access"], "level": "INFO", "propagate": False},
    },
}


def _parser() -> argparse.ArgumentParser:
    faults = "\n".join(f"  {name:16}{text}" for name, text in KNOWN.items())
    parser = argparse.ArgumentParser(
        prog="h3studio rehearse",
        description="A server without a model that speaks the HTTP contract of vLLM-Omni for MiniMax-H3.",
        epilog=f"failures that --fail orders:\n{faults}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: this machine only)")
    parser.add_argument("--port", type=int, default=0, help="port (default 0: any free one)")
    parser.add_argument("--step-seconds", type=float, default=STEP_SECONDS, help="length of a denoise step")
    parser.add_argument("--fail", action="append", default=[], metavar="NAME[=VALUE][@WHEN]", help="order a failure")
    parser.add_argument("--exit-with-parent", action="store_true", help="end when the process that started it ends")
    parser.add_argument("--api-key-env", default="VLLM_API_KEY", metavar="NAME", help="variable that holds the API key")
    parser.add_argument("--storage", type=Path, default=None, help="folder for results (default: an own one, removed)")
    return parser


class _Server(uvicorn.Server):
    """uvicorn's server; a signal may be told to do nothing."""

    def __init__(self, config: uvicorn.Config, faults: Faults) -> None:
        super().__init__(config)
        self._faults = faults

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        if not self._faults.get("refuse_sigterm"):
            self.should_exit = True


def _bind(host: str, port: int) -> socket.socket:
    """Bound and not yet listening: connects are refused until the model is loaded, as on the real server."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    sock = socket.socket(family, socket.SOCK_STREAM)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        sock.bind((host, port))
    except OSError:
        sock.close()
        raise
    return sock


def _leave(number: int, frame: FrameType | None) -> None:
    """A signal while loading: end at once, own folder removed."""
    raise SystemExit(0)


def _boot(log: Log, url: str, faults: Faults) -> None:
    if fault := faults.get("slow_boot"):
        time.sleep(fault.number(10))
    for _ in log.boot(MODEL, url):
        time.sleep(_BOOT_PAUSE)
        if (fault := faults.get("boot_failure")) and log.name == "DiffusionWorker":
            log.error(
                "omni_engine_base.py:475", f"Orchestrator initialization failed: {fault.value or 'out of memory'}"
            )
            raise SystemExit(1)


async def _watch(server: _Server, engine: Engine, clients: Clients, parent: int | None) -> None:
    """End when the parent is gone (if asked to) or when nobody needs this server any more."""
    while not server.should_exit:
        await asyncio.sleep(_WATCH_SECONDS)
        if parent is not None and os.getppid() != parent:
            server.should_exit = True
        if engine.jobs.any_open():
            clients.last_seen = time.monotonic()
        if time.monotonic() - clients.last_seen > IDLE_SECONDS:
            server.should_exit = True


async def _serve(options: argparse.Namespace, faults: Faults, log: Log, sock: socket.socket, own: Path) -> None:
    storage = options.storage or own / "storage"
    storage.mkdir(parents=True, exist_ok=True, mode=0o700)
    server: _Server
    engine = Engine(Jobs(), storage, log, faults, options.step_seconds, lambda: server.should_exit)
    clients = Clients()
    gate = Middleware(Gate, faults=faults, clients=clients, key=os.environ.get(options.api_key_env) or None)
    config = uvicorn.Config(
        build_app(engine, own, gate),
        log_config=_UVICORN_LOG,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=GRACE_SECONDS,
        server_header=True,
    )
    server = _Server(config, faults)
    parent = os.getppid() if options.exit_with_parent else None
    watch = asyncio.create_task(_watch(server, engine, clients, parent))
    try:
        await server.serve(sockets=[sock])
    finally:
        watch.cancel()


def main(argv: list[str]) -> int:
    """Run the server until it is told to end. 0: ended as asked; 1: could not start; 2: bad arguments."""
    parser = _parser()
    options = parser.parse_args(argv)
    try:
        faults = Faults(options.fail)
    except ValueError as error:
        parser.error(str(error))
    try:
        sock = _bind(options.host, options.port)
    except OSError as error:
        sys.stderr.write(f"OSError: [Errno {error.errno}] {error.strerror}\n")
        return 1
    host, port = sock.getsockname()[:2]
    url = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
    sys.stdout.write(json.dumps({"url": url, "pid": os.getpid()}) + "\n")
    sys.stdout.flush()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _leave)
    with sock, tempfile.TemporaryDirectory(prefix="h3studio-rehearsal-") as own:
        log = Log()
        log.attach()
        _boot(log, url, faults)
        asyncio.run(_serve(options, faults, log, sock, Path(own)))
    return 0
