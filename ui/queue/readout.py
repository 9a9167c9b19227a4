"""What was so at one moment, in words: for the pointer, for the keyboard's cursor, for a screen reader."""

from __future__ import annotations

from studio.core.words import tr
from studio.jobs import telling
from studio.telemetry import Track
from ui.queue.axis import elapsed
from ui.queue.quantities import gb, name_of
from ui.queue.timeline import Timeline


def readout(timeline: Timeline, at: float) -> list[str]:
    """Lines for a wall time: the moment with its stage, the step, each card, the main memory."""
    lines = [_moment(timeline, at)]
    step = next((point for point in reversed(timeline.steps) if point.at <= at), None)
    if step is not None and step.step:
        said = tr("step {step}/{steps}", step=step.step, steps=step.steps) if step.steps else str(step.step)
        lines.append(said if step.seconds is None else f"{said} · {telling.pace(step.seconds)}")
    recording = timeline.recording
    if recording is None:
        return lines
    t = at - recording.began
    lines += [line for track in recording.tracks.values() if (line := _card(track, t))]
    if (used := recording.host.used.at(t)) is not None and recording.host.total:
        lines.append(tr("main memory {used} of {total} GB", used=gb(used), total=gb(recording.host.total)))
    alerts = [message for when, message in recording.alerts if abs(when - t) <= max(2.0, 0.01 * recording.end)]
    return lines + [message.text() for message in alerts]


def summary(timeline: Timeline) -> str:
    """The whole render in one sentence."""
    parts = [f"{stage.text()} {telling.duration(stage.seconds)}" for stage in timeline.stages]
    peak = timeline.recording.peak if timeline.recording else None
    if peak is not None:
        track, _, used = peak
        parts.append(tr("{gpu}: peak {used} GB of {total}", gpu=name_of(track), used=gb(used), total=_total(track)))
    return ", ".join(parts)


def _moment(timeline: Timeline, at: float) -> str:
    stage = next((one for one in timeline.stages if one.start <= at <= one.end), None)
    when = f"{elapsed(float(int(max(0.0, at - timeline.start))))} · {telling.clock(at, timeline.now)}"
    return f"{when} · {stage.text()}" if stage else when


def _card(track: Track, t: float) -> str:
    used = track.used.at(t)
    values = [] if used is None else [f"{gb(used)} GB"]
    for series, unit in ((track.load, "%"), (track.power, "W"), (track.heat, "°C")):
        if (value := series.at(t)) is not None:
            values.append(f"{value:.0f} {unit}")
    return f"{name_of(track)}  {' · '.join(values)}" if values else ""


def _total(track: Track) -> str:
    return gb(track.total) if track.total else "?"
