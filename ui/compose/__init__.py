"""Compose: references, prompt, output, cost. A shot is put together here and rendered from here."""

from ui.compose import sentences as _sentences  # noqa: F401  (registers the texts of the codes)
from ui.compose.view import ComposeWorkspace
from ui.compose.viewmodel import ComposeModel

__all__ = ["ComposeModel", "ComposeWorkspace"]
