"""What Compose is told of its studio."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from studio.settings import SettingsStore
from ui.compose.surroundings import Past, Surroundings

_LATEST: Final = 1000
"""Jobs whose prompts are remembered."""

if TYPE_CHECKING:
    from studio.jobs import JobService
    from studio.server import Seen


def surroundings(settings: SettingsStore, jobs: Callable[[], JobService], manager: Callable[[], Seen]) -> Surroundings:
    """`jobs` and `manager` are asked when there is something to tell, and not before."""

    def server_url() -> str:
        chosen = settings.present.server
        if chosen.kind == "url" and chosen.url:
            return chosen.url
        return manager().status.url or chosen.unit_url

    async def past() -> Past:
        return [(job.created, job.shot) for job in await jobs().all(_LATEST)]

    return Surroundings(settings, server_url, past)
