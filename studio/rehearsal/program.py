"""The program: arguments, port, boot, signals, and the several ways it ends."""

from __future__ import annotations

import argparse
import asyncio
import errno
import json
import logging
import os
import signal
import socket
import sys
import time
from pathlib import Path
from types import FrameType
from typing import Any

import uvicorn
from starlette.middleware import Middleware

from studio.rehearsal.app import build_app
from studio.rehearsal.boot import BootFailed, boot, failure_named
from studio.rehearsal.engine import Engine
from studio.rehearsal.faults import Faults
from studio.rehearsal.gate import Clients, Gate
from studio.rehearsal.log import Log
from studio.rehearsal.metrics import Metrics
from studio.rehearsal.options import Options, add_options, known_faults
from studio.rehearsal.own_folder import own_folder
from studio.rehearsal.storage import Storage
from studio.rehearsal.submission import MODEL

IDLE_SECONDS = 600.0  # with no open job, no client and nothing to fetch the program ends by itself
KEPT_SECONDS = 24 * 3600.0  # how long a file that nobody took keeps it running
GRACE_SECONDS = 1  # for open connections when it ends
KEEP_ALIVE_SECONDS = 5
_WATCH_SECONDS = 0.5


class _RealRoutes(logging.Filter):
    """Lets request lines through that the real server could print, too: our own routes are asked every second."""

    def filter(self, record: logging.LogRecord) -> bool:
        return "/_rehearsal" not in record.getMessage()


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
        "access": {
            "class": "logging.StreamHandler",
            "formatter": "access",
            "stream": "ext://sys.stdout",
            "filters": ["real routes"],
        },
    },
    "filters": {"real routes": {"()": _RealRoutes}},
    "loggers": {
        "uvicorn": {"handlers": ["default"], "level": "INFO", "propagate": False},
        "uvicorn.access": {"handlers": ["access"], "level": "INFO", "propagate": False},
    },
}


class _Server(uvicorn.Server):
    """uvicorn's server; a signal may be told to do nothing."""

    def __init__(self, config: uvicorn.Config, faults: Faults) -> None:
        super().__init__(config)
        self._faults = faults

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        if not self._faults.get("refuse_sigterm"):
            self.should_exit = True


def _bind(host: str, port: int, *, taken: bool) -> socket.socket:
    """Bound and not yet listening: connects are refused until the model is loaded, as on the real server."""
    if taken:
        raise OSError(errno.EADDRINUSE, os.strerror(errno.EADDRINUSE))
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


async def _watch(server: _Server, engine: Engine, clients: Clients, parent: int | None) -> None:
    """End when the parent is gone (if asked to) or when nobody needs this server any more."""
    while not server.should_exit:
        await asyncio.sleep(_WATCH_SECONDS)
        if parent is not None and os.getppid() != parent:
            server.should_exit = True
        if engine.jobs.any_open() or engine.jobs.any_to_fetch(KEPT_SECONDS):
            clients.last_seen = time.monotonic()
        if time.monotonic() - clients.last_seen > IDLE_SECONDS:
            server.should_exit = True


async def _serve(options: Options, faults: Faults, log: Log, sock: socket.socket, own: Path) -> None:
    server: _Server
    storage = Storage.from_environment(options.storage or own / "storage")
    engine = Engine(storage, log, faults, options, Metrics(MODEL), lambda: server.should_exit)
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


def _boot(log: Log, url: str, options: Options, faults: Faults) -> None:
    slow, broken = faults.get("slow_boot"), faults.get("boot_failure")
    seconds = slow.number(10) if slow else options.start_seconds
    boot(log, MODEL, url, seconds, failure_named(broken.value) if broken else None)


def run(options: Options) -> int:
    """Run the server until it is told to end. 0: ended as asked; 1 and 2: could not start."""
    faults = Faults(options.faults)
    try:
        sock = _bind(options.host, options.port, taken=faults.get("port_taken") is not None)
    except OSError as error:
        sys.stderr.write(f"OSError: [Errno {error.errno}] {error.strerror}\n")
        return 1
    host, port = sock.getsockname()[:2]
    url = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
    sys.stdout.write(json.dumps({"url": url, "pid": os.getpid()}) + "\n")
    sys.stdout.flush()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _leave)
    log = Log()
    log.attach()
    try:
        with sock, own_folder() as own:
            _boot(log, url, options, faults)
            asyncio.run(_serve(options, faults, log, sock, own))
    except BootFailed as failed:
        return failed.leave()
    return 0


def main(argv: list[str]) -> int:
    """`python -m studio.rehearsal`. Exits with 2 on bad arguments."""
    parser = argparse.ArgumentParser(
        prog="python -m studio.rehearsal",
        description="A server without a model that speaks the HTTP contract of vLLM-Omni for MiniMax-H3.",
        epilog=known_faults(),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_options(parser)
    return run(Options.read(parser.parse_args(argv)))
