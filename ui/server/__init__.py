"""The Server workspace: which server renders, where it stands, what it says."""

from ui.server import sentences
from ui.server.view import ServerWorkspace
from ui.server.viewmodel import ServerModel

__all__ = ["ServerModel", "ServerWorkspace", "sentences"]
