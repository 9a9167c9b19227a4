"""What servers refused although our rules had let it pass, kept from one start to the next.

One small file, by server. A recorded refusal warns when the same request is made again; the user may say that it is a
rule of that server, or forget it.
"""

from __future__ import annotations

import json
import logging
import threading
from pathlib import Path
from typing import Final

from pydantic import TypeAdapter, ValidationError

from studio.contract import Refusal
from studio.core import paths
from studio.core.events import Event
from studio.core.files import write_atomic

log = logging.getLogger(__name__)
KEPT: Final = 200
"""Refusals kept for each server; the oldest are forgotten first."""

_BY_SERVER: Final = TypeAdapter(dict[str, tuple[Refusal, ...]])


class Refusals:
    """The record. Thread-safe; `changed` tells the server's name, on the thread that changed it."""

    def __init__(self, path: Path | None = None) -> None:
        self.path = path or paths.data_dir() / "refusals.json"
        self.changed: Event[str] = Event()
        self._lock = threading.Lock()
        self._known = self._load()

    def of(self, server: str) -> tuple[Refusal, ...]:
        """What that server refused; `server` is its address or the id of its profile."""
        return self._known.get(server, ())

    def record(self, server: str, refusal: Refusal) -> None:
        """Keep a refusal. The same one again changes nothing, so that a user's rule stays one."""
        if not any(_same(known, refusal) for known in self.of(server)):
            self._keep(server, (*self.of(server), refusal)[-KEPT:])

    def treat_as_rule(self, server: str, refusal: Refusal) -> None:
        """From now on the rules stop what was refused."""
        self._keep(server, tuple(r.as_rule() if _same(r, refusal) else r for r in self.of(server)))

    def forget(self, server: str, refusal: Refusal) -> None:
        """Neither warn nor stop any more."""
        self._keep(server, tuple(r for r in self.of(server) if not _same(r, refusal)))

    def _keep(self, server: str, refusals: tuple[Refusal, ...]) -> None:
        with self._lock:
            self._known = {**self._known, server: refusals}
            data = _BY_SERVER.dump_json(self._known, indent=1)
        try:
            write_atomic(self.path, data, mode=0o600)
        except OSError as error:
            log.warning("the refusals could not be saved: %s", error)
        self.changed.emit(server)

    def _load(self) -> dict[str, tuple[Refusal, ...]]:
        try:
            return _BY_SERVER.validate_python(json.loads(self.path.read_bytes()))
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, ValidationError) as error:
            # What is lost here is learned again from the server's next refusal.
            log.warning("%s cannot be read: %s", self.path, error)
            return {}


def _same(one: Refusal, other: Refusal) -> bool:
    return one.signature == other.signature and one.said == other.said
