"""Getting the model's files from the hub."""

from studio.server.model import sentences
from studio.server.model.download import Download, FileState, Progress, ask
from studio.server.model.wanted import PATTERNS, REPOSITORY, SIZES_GIB, Partition, page_of

__all__ = [
    "PATTERNS",
    "REPOSITORY",
    "SIZES_GIB",
    "Download",
    "FileState",
    "Partition",
    "Progress",
    "ask",
    "page_of",
    "sentences",
]
