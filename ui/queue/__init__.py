"""The Queue workspace: every job, and one of them on its time axis."""

from ui.queue import sentences
from ui.queue.view import QueueWorkspace
from ui.queue.viewmodel import QueueModel

__all__ = ["QueueModel", "QueueWorkspace", "sentences"]
