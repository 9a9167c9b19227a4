"""The durable queue: from a shot to a verified video, never lost on the way. Heavy parts load on use."""

from typing import TYPE_CHECKING

from studio.core.lazy import on_demand
from studio.jobs import sentences

if TYPE_CHECKING:
    from studio.jobs.awake import Awake
    from studio.jobs.job import Fault, Job, Progress, Target
    from studio.jobs.servers import DirectServers, ManagedServers
    from studio.jobs.service import JobService
    from studio.jobs.smoke import Verdict
    from studio.jobs.states import JobState
    from studio.jobs.store import JobStore
    from studio.jobs.tools import Tools

__all__ = [
    "Awake",
    "DirectServers",
    "Fault",
    "Job",
    "JobService",
    "JobState",
    "JobStore",
    "ManagedServers",
    "Progress",
    "Target",
    "Tools",
    "Verdict",
    "sentences",
]

__getattr__ = on_demand(
    __name__,
    {
        "Awake": "awake",
        "DirectServers": "servers",
        "Fault": "job",
        "Job": "job",
        "JobService": "service",
        "JobState": "states",
        "JobStore": "store",
        "ManagedServers": "servers",
        "Progress": "job",
        "Target": "job",
        "Tools": "tools",
        "Verdict": "smoke",
    },
)
