"""Which of several servers a new job goes to: the one that has its task, and of two that have it the idler one.

Nothing is distributed beyond that: one render runs on one server. A router in front of many is an address like any
other (vllm-omni 0.30.0 has its own).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from studio.jobs.job import Target
from studio.server.answering import tasks_of_choice
from studio.settings.model import ServerSettings


def route(
    task: str,
    chosen: ServerSettings,
    others: Sequence[ServerSettings],
    *,
    runs: Callable[[str], bool],
    load: Mapping[str, int],
) -> Target:
    """The server for a job of `task`; the chosen one where no other is better.

    `runs(place)`: whether a server can take a job now or soon. `load`: unfinished jobs by lane. A rehearsal server
    never takes a real server's jobs, nor the other way round. Another server is preferred only for what it surely can.
    """

    def can(server: ServerSettings) -> bool:
        tasks = tasks_of_choice(server)
        return task in tasks or (not tasks and server is chosen)

    def rank(server: ServerSettings) -> tuple[bool, int, bool]:
        return not runs(server.place), load.get(Target.of(server).lane, 0), server is not chosen

    alike = [one for one in others if (one.kind == "rehearsal") == (chosen.kind == "rehearsal")]
    able = [server for server in (chosen, *alike) if can(server)]
    return Target.of(min(able, key=rank, default=chosen))
