"""Starting, watching and stopping servers. Only what we started is ever ended."""

from studio.server import sentences
from studio.server.launchers.rehearsal import RehearsalLauncher
from studio.server.lifecycle import ServerManager, ServerState, ServerStatus
from studio.server.records import ServerRecord
from studio.server.watch import LogWatch

__all__ = [
    "LogWatch",
    "RehearsalLauncher",
    "ServerManager",
    "ServerRecord",
    "ServerState",
    "ServerStatus",
    "sentences",
]
