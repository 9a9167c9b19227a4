"""Comparing two clips: alignment, measures, verdict, faults, sound, exports."""

from studio.compare import sentences as _sentences  # noqa: F401  (registers the texts of the codes)
