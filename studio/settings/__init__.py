"""What the user chose, kept in one file; secrets apart from it."""

from studio.settings import sentences
from studio.settings.model import Settings
from studio.settings.store import SettingsStore

__all__ = ["Settings", "SettingsStore", "sentences"]
