"""Media files: measured, made ready for the server, decoded for viewing and checking. Heavy parts load on use."""

from studio.media import sentences as _sentences  # noqa: F401  (registers what this room says)
