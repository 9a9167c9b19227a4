"""Values over time in a fixed amount of memory: nothing that stands out is lost, and gaps stay gaps."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from studio.telemetry import Card, GpuReading, Recording, Sample, Series

GIB = 1 << 30


def test_a_day_of_samples_takes_what_a_minute_takes_and_keeps_every_peak() -> None:
    series = Series(1024)
    size = series.nbytes
    for second in range(86_400):
        series.add(second, 900.0 if second == 50_001 else 100.0 + second % 7)
    assert series.nbytes == size and len(series) <= 1024
    assert series.peak == (50_001, 900.0)
    whole = series.view(0, 86_400, 300)
    assert len(whole) <= 301 and whole.high.max() == 900.0 and whole.low.min() == 100.0
    assert np.all(np.diff(whole.t) > 0) and whole.t[0] == 0


@settings(deadline=None)
@given(st.lists(st.floats(0, 1e6, width=32), min_size=1, max_size=300), st.integers(2, 40))
def test_a_view_spans_from_the_least_to_the_greatest(values: list[float], buckets: int) -> None:
    series = Series(64)
    for t, value in enumerate(values):
        series.add(float(t), value)
    seen = series.view(0, len(values), buckets)
    assert (float(np.min(seen.low)), float(np.max(seen.high))) == (min(values), max(values))


def test_gaps_are_gaps() -> None:
    series = Series()
    for t, value in enumerate((None, 5.0, math.nan, 7.0)):
        series.add(float(t), value)
    seen = series.view(0, 3, 100)
    assert np.isnan(seen.high).tolist() == [True, False, True, False]
    assert (series.at(0.5), series.at(1.2), series.at(2.5)) == (None, 5.0, None)
    assert series.last == 7.0


def test_a_closer_look_shows_what_lies_there_and_its_neighbours() -> None:
    series = Series()
    for t in range(1000):
        series.add(float(t), float(t))
    seen = series.view(100.5, 110.5, 50)
    assert (seen.t[0], seen.t[-1]) == (100, 111)
    assert series.at(400.4) == 400 and series.at(-1) is None and series.at(5000) is None


def test_an_absurd_value_is_a_gap_and_not_the_end_of_the_scale() -> None:
    recording = Recording(0.0)
    cards = (Card(0, "H200", total=100 * GIB),)
    for t, used in enumerate((GIB, 10**27, 3 * GIB)):
        recording.add_sample(Sample(float(t), cards, (GpuReading(used, 50, 1e9, 40),)))
    track = recording.tracks["0"]
    assert track.used.peak == (2, 3 * 1024) and math.isnan(track.used.view(0, 3, 10).high[1])
    assert track.power.peak is None and track.heat.last == 40


def test_a_clock_that_is_set_back_does_not_fold_the_axis() -> None:
    recording = Recording(1000.0)
    for at in (1000.0, 1001.0, 400.0, 1002.0):
        recording.add_sample(Sample(at, (Card(0, "x", total=GIB),), (GpuReading(1),)))
    assert np.all(np.diff(recording.tracks["0"].used.view(0, 10, 10).t) >= 0)
