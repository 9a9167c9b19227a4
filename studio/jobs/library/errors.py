"""The error of this room."""

from __future__ import annotations

from studio.core.errors import StudioError


class LibraryError(StudioError):
    """Something that cannot be done to a result or to the index."""
