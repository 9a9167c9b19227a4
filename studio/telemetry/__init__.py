"""What can be watched while a render runs: denoise steps and phases from the server's log, cards and main memory."""

from studio.telemetry import sentences
from studio.telemetry.alerts import Alerts
from studio.telemetry.monitor import Monitor, Source
from studio.telemetry.pace import past_run
from studio.telemetry.readings import Card, GpuReading, Holder, HostReading, Sample
from studio.telemetry.recorder import Recorder, replay
from studio.telemetry.recording import Recording, StepMark, Track
from studio.telemetry.series import Curve, Series
from studio.telemetry.steps import Phase, ProgressReader, Reading, Step

__all__ = [
    "Alerts",
    "Card",
    "Curve",
    "GpuReading",
    "Holder",
    "HostReading",
    "Monitor",
    "Phase",
    "ProgressReader",
    "Reading",
    "Recorder",
    "Recording",
    "Sample",
    "Series",
    "Source",
    "Step",
    "StepMark",
    "Track",
    "past_run",
    "replay",
    "sentences",
]
