"""Failures on order: how they are written and when they strike."""

from __future__ import annotations

import pytest

from studio.rehearsal.faults import Faults, parse


def test_value_and_when_are_both_optional() -> None:
    whole, bare = parse("error=no luck@7"), parse("oom")
    assert (whole.name, whole.value, whole.when) == ("error", "no luck", 7)
    assert (bare.name, bare.value, bare.when) == ("oom", None, None)


@pytest.mark.parametrize("text", ["nonsense", "oom@soon", "slow=fast", "@3"])
def test_a_wrong_order_is_refused_and_changes_nothing(text: str) -> None:
    faults = Faults(["oom@2"])
    with pytest.raises(ValueError):
        faults.replace(["hang", text])
    assert faults.words() == ["oom@2"]


def test_in_the_render_it_strikes_at_its_step_or_half_way() -> None:
    faults = Faults(["oom@3", "hang"])
    assert [step for step in range(1, 11) if faults.at_step("oom", step, 10)] == [3]
    assert [step for step in range(1, 11) if faults.at_step("hang", step, 10)] == [6]
    assert faults.at_step("oom", 2, 2) is not None
    assert faults.at_step("error", 3, 10) is None


def test_on_the_wire_it_counts_down() -> None:
    faults = Faults(["http=503@2", "unauthorized"])
    assert [faults.take("http") is not None for _ in range(3)] == [True, True, False]
    assert all(faults.take("unauthorized") for _ in range(3))
