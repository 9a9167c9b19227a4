"""What deserves a word, once; and what does not."""

from __future__ import annotations

import pytest

from studio.telemetry import Alerts, Card, GpuReading, HostReading, Sample, StepMark

GIB = 1 << 30
CARD = Card(0, "H200", total=100 * GIB, hot=89)


def look(used: float = 50, heat: float = 60, throttled: bool = False, host_free: float = 30) -> Sample:
    host = HostReading(int((64 - host_free) * GIB), 64 * GIB)
    return Sample(0.0, (CARD,), (GpuReading(int(used * GIB), 99, 600, heat, 1900, throttled),), host)


@pytest.mark.parametrize(
    ("sample", "code"),
    [
        (look(), None),
        (look(used=96.9), None),
        (look(used=97.1), "alert.memory"),
        (look(heat=89), "alert.hot"),
        (look(throttled=True), "alert.hot"),
        (look(host_free=1.5), "alert.host"),
    ],
)
def test_readings(sample: Sample, code: str | None) -> None:
    alerts = Alerts()
    assert [message.code for message in alerts.on_sample(sample)] == ([code] if code else [])
    assert alerts.on_sample(sample) == [], "said once"


def test_a_card_that_reports_nothing_alarms_nobody() -> None:
    assert Alerts().on_sample(Sample(0.0, (Card(0, "x"),), (GpuReading(),))) == []


def steps(*seconds: float) -> list[str]:
    alerts, t, said = Alerts(), 0.0, []
    for step, took in enumerate(seconds):
        t += took
        said += [message.text() for message in alerts.on_step(StepMark(t, step, 50, took if step else None))]
    return said


def test_steps_that_take_twice_as_long() -> None:
    assert steps(0, 30, *[2] * 10, 9, *[2] * 5) == [], "the first compiles, and one hiccup is none"
    (said,) = steps(0, 30, *[2] * 10, *[4.2] * 6)
    assert "4.2 s instead of 2.0 s" in said
    assert steps(0, 1, *[0.1] * 10, *[0.4] * 6) == [], "nobody waits for such steps"


def test_a_silence_that_is_too_long() -> None:
    alerts = Alerts()
    for step in range(10):
        alerts.on_step(StepMark(step * 10.0, step, 50, 10.0 if step else None))
    assert alerts.on_time(130.0, denoising=True) == []
    assert alerts.on_time(141.0, denoising=False) == [], "decoding tells no steps"
    (message,) = alerts.on_time(141.0, denoising=True)
    assert "51 s" in message.text() and "10.0 s" in message.text()


def test_a_disk_that_fills_up() -> None:
    alerts = Alerts()
    assert alerts.on_disk(80 * GIB) == []
    assert [m.code for m in alerts.on_disk(GIB)] == ["alert.disk"] and alerts.on_disk(GIB) == []
