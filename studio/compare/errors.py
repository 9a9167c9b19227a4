"""The error of this room."""

from __future__ import annotations

from studio.compare import sentences as _sentences  # noqa: F401  (registers the texts of the codes)
from studio.core.errors import StudioError


class CompareError(StudioError):
    """Two files that cannot be compared, or a comparison that cannot be exported."""
