"""A request: a shot together with what is known of its files and of the server's limits. All rules read this."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from studio.contract.facts import MediaFacts, Unreadable
from studio.contract.limits import Limits
from studio.contract.refusal import Refusal
from studio.contract.shot import Reference, Shot


@dataclass(frozen=True, slots=True)
class Request:
    """`facts` by reference id; a reference without an entry has not been probed yet.

    `refusals` are what the server once refused although the rules had let it pass.
    """

    shot: Shot
    limits: Limits
    facts: Mapping[str, MediaFacts | Unreadable] = field(default_factory=dict)
    refusals: tuple[Refusal, ...] = ()

    def facts_of(self, reference: Reference) -> MediaFacts | None:
        """What is known of a reference's file, if it could be read."""
        known = self.facts.get(reference.id)
        return known if isinstance(known, MediaFacts) else None
