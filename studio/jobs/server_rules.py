"""What is known of each server's rules: its limits by its own word, and what it refused although they let it pass.

A server is named by its lane (`Target.lane`): its address, or the profile that it is started from.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping

from studio.client import Client
from studio.contract import (
    Limits,
    MediaFacts,
    Refusal,
    Request,
    Shot,
    Unreadable,
    check,
    limits_of_server,
    list_limits,
    load_limits,
    unforeseen,
    with_rules,
)
from studio.core.events import Event
from studio.jobs.refusals import Refusals


class ServerRules:
    """Limits and refusals by lane. `changed` tells the lane whose rules are other ones."""

    def __init__(
        self,
        limits: Limits | None = None,
        refusals: Refusals | None = None,
        *,
        picked: Callable[[str], str | None] = lambda _lane: None,
    ) -> None:
        """`limits` are those of a server that has not been asked; `picked` gives the id that the user chose for one."""
        self._picked = picked
        self.refusals = refusals or Refusals()
        self.changed: Event[str] = Event()
        self._unasked = limits or load_limits()
        self._told: dict[str, tuple[str | None, Limits]] = {}
        self._asking: dict[str, asyncio.Lock] = {}
        self.refusals.changed.subscribe(self.changed.emit)

    def limits(self, lane: str) -> Limits:
        """The limits of a server, with those that its refusals told where the user made them rules."""
        return with_rules(self._own(lane), self.refusals.of(lane))

    def request(self, lane: str, shot: Shot, facts: Mapping[str, MediaFacts | Unreadable]) -> Request:
        """A shot as that server's rules see it."""
        return Request(shot, self.limits(lane), facts, self.refusals.of(lane))

    def _own(self, lane: str) -> Limits:
        picked = self._picked(lane)
        if picked in list_limits():
            return load_limits(picked)
        return self._told.get(lane, (None, self._unasked))[1]

    async def learn(self, lane: str, client: Client, version: str | None) -> bool:
        """Ask a server of this version what its form takes, once; whether its limits are other ones than before.

        Raises ClientError when it cannot be reached.
        """
        async with self._asking.setdefault(lane, asyncio.Lock()):  # jobs that ask together go on in their order
            if lane in self._told and self._told[lane][0] == version:
                return False
            before = self.limits(lane)
            self._told[lane] = version, limits_of_server(version, await client.openapi())
            if self.limits(lane) == before:
                return False
            self.changed.emit(lane)
            return True

    def refused(self, lane: str, request: Request, said: str) -> Refusal | None:
        """Keep what a server refused; None when one of our own rules had said so."""
        refusal = unforeseen(request, said, check(request))
        if refusal is not None:
            self.refusals.record(lane, refusal)
        return refusal
