"""Starting, watching and stopping servers. Only what we started is ever ended."""

from studio.server import failure_sentences, sentences
from studio.server.fleet import Fleet
from studio.server.launch import Launch, Place
from studio.server.launchers import Launcher, ProcessLauncher, QuadletLauncher, RehearsalLauncher
from studio.server.lifecycle import ServerManager
from studio.server.profiles import Profile
from studio.server.records import ServerRecord
from studio.server.status import Readings, Seen, ServerState, ServerStatus
from studio.server.watch import LogWatch

__all__ = [
    "Fleet",
    "Launch",
    "Launcher",
    "LogWatch",
    "Place",
    "ProcessLauncher",
    "Profile",
    "QuadletLauncher",
    "Readings",
    "RehearsalLauncher",
    "Seen",
    "ServerManager",
    "ServerRecord",
    "ServerState",
    "ServerStatus",
    "failure_sentences",
    "sentences",
]
