"""Whether a server answers, whether it is the one that was started, and what it can render."""

from __future__ import annotations

from urllib.parse import urlsplit

from studio.client import Client, ClientError
from studio.core.errors import StudioError
from studio.server import family, ports, profiles
from studio.server.profiles import PARTITION_TASKS, TASKS
from studio.server.records import ServerRecord
from studio.settings.model import ServerSettings


def answers_itself(record: ServerRecord) -> bool:
    """Whether it is this server that has its port, as far as can be seen: a stranger may have been there before."""
    port = urlsplit(record.url or "").port
    if record.kind not in ("process", "rehearsal", "ssh") or port is None:
        return True  # behind a container's port there is another process
    who = ports.holder(port).pid
    return who is None or who in {process.pid for process in family.members(record)}


def tasks_of(record: ServerRecord) -> tuple[str, ...]:
    """What a server of ours can render: the API does not tell, its profile does."""
    if record.kind == "rehearsal":
        return record.tasks or TASKS
    return _of_profile(record.profile)


def tasks_of_choice(server: ServerSettings) -> tuple[str, ...]:
    """What a server of the settings can render, running or not; empty when that cannot be known. Reads profiles."""
    match server.kind:
        case "rehearsal":
            return PARTITION_TASKS[server.rehearsal_task]
        case "profile":
            return _of_profile(server.profile)
        case _:
            return ()


def _of_profile(profile_id: str | None) -> tuple[str, ...]:
    try:
        return profiles.find(profile_id).tasks if profile_id else ()
    except StudioError:
        return ()


async def health(client: Client) -> bool | None:
    """`/health` 200, another answer, or none at all."""
    try:
        return await client.healthy()
    except ClientError:
        return None
