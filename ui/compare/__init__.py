"""The workspace that compares two clips on one clock."""

from ui.compare import sentences as _sentences  # noqa: F401  (registers the texts of the codes)
