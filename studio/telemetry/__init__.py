"""What can be watched while a render runs: denoise steps and phases from the server's log."""

from studio.telemetry.pace import past_run
from studio.telemetry.steps import Phase, ProgressReader, Reading, Step

__all__ = ["Phase", "ProgressReader", "Reading", "Step", "past_run"]
