"""Settings: what the user chose once, for the whole studio."""

from ui.settings import sentences as _sentences  # noqa: F401  (registers the texts of the codes)
from ui.settings.view import SettingsWorkspace
from ui.settings.viewmodel import SettingsModel

__all__ = ["SettingsModel", "SettingsWorkspace"]
