"""What a log told before anybody listened: it gets the times at which it was true."""

from __future__ import annotations

import pytest

from studio.jobs.watching import _dated
from studio.telemetry import Phase, Reading, Step


def bar(*elapsed: float) -> list[Reading]:
    return [Step(n, len(elapsed) - 1, at, None) for n, at in enumerate(elapsed)]


def test_steps_heard_at_once_are_dated_by_their_bar() -> None:
    heard = [(20.0, one) for one in (Phase.PREPARE, Phase.DENOISE, *bar(0.0, 2.0, 4.5))]
    assert [at for at, _ in _dated(heard)] == [15.5, 15.5, 15.5, 17.5, 20.0]


def test_each_window_of_a_long_render_has_its_own_bar() -> None:
    heard = [(20.0, one) for one in (*bar(0.0, 3.0), Phase.DECODE, *bar(0.0, 1.0, 2.0))]
    assert [at for at, _ in _dated(heard)] == [15.0, 18.0, 18.0, 18.0, 19.0, 20.0]


def test_what_was_heard_in_time_keeps_its_time() -> None:
    heard = [(10.0, Phase.DENOISE), *zip((10.0, 12.1, 14.0), bar(0.0, 2.0, 4.0), strict=True)]
    assert [at for at, _ in _dated(heard)] == pytest.approx([10.0, 10.0, 12.0, 14.0])
