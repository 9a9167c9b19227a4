"""The Library workspace: a grid of all results, and one of them looked at closely."""

from ui.library import sentences as _sentences  # noqa: F401  (registers the texts of the codes)
from ui.library.view import LibraryWorkspace
from ui.library.viewmodel import LibraryModel

__all__ = ["LibraryModel", "LibraryWorkspace"]
