"""What Compose is told of the studio around it: settings, the chosen server, earlier renders."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from studio.contract import Shot
from studio.settings import SettingsStore

Past = Sequence[tuple[float, Shot]]
"""When a shot was rendered (seconds since the epoch), and the shot; newest first."""


async def _nothing_yet() -> Past:
    return ()


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Without `settings` nothing is kept that outlives the window, and no assistant can be set up."""

    settings: SettingsStore | None = None
    server_url: Callable[[], str] = lambda: "http://127.0.0.1:8091"
    """Address of the server that renders go to."""
    past: Callable[[], Awaitable[Past]] = _nothing_yet
    """The shots of earlier renders."""
