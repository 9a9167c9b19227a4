"""What of a card's memory a render can have."""

from __future__ import annotations

import pytest

from studio.contract import PastRun, cost
from studio.jobs.room import Room, room, shortage
from studio.telemetry import Card, GpuReading, Holder, Sample
from tests.helpers.shots import clip, request

GIB = 1 << 30


def _sample(*holders: Holder, serving: bool | None = None) -> Sample:
    used = sum(h.used or 0 for h in holders)
    return Sample(0.0, (Card(0, "H200", total=96 * GIB, serving=serving),), (GpuReading(used=used, holders=holders),))


def test_what_the_server_holds_itself_is_its_own() -> None:
    holders = Holder(10, "python3", 70 * GIB), Holder(11, "vLLM-Omni::DiffusionWorker_1", 5 * GIB)
    assert room(_sample(*holders), {10}) == Room(96 * GIB)


def test_what_others_hold_is_not_to_be_had() -> None:
    browser, blender = Holder(20, "firefox", GIB), Holder(21, "blender", 30 * GIB)
    found = room(_sample(browser, blender, Holder(10, "python3", 40 * GIB)), {10})
    assert found == Room(96 * GIB, 31 * GIB, blender) and found.free == 65 * GIB


def test_a_card_that_does_not_tell_who_holds_it_counts_as_a_whole() -> None:
    assert room(_sample(Holder(20, "firefox", None))) == Room(96 * GIB)
    sample = Sample(0.0, (Card(0, "GB10"),), (GpuReading(),))
    assert room(sample) is None and room(Sample(0.0)) is None


def test_the_card_with_least_to_give_counts_among_those_of_the_server() -> None:
    cards = tuple(Card(n, "H200", total=96 * GIB, serving=n != 2) for n in range(3))
    held = (4 * GIB, 9 * GIB, 90 * GIB)
    gpus = tuple(GpuReading(used=n, holders=(Holder(30, "other", n),)) for n in held)
    assert room(Sample(0.0, cards, gpus)) == Room(96 * GIB, 9 * GIB, Holder(30, "other", 9 * GIB))


@pytest.mark.parametrize(("free", "code"), [(90, None), (50, "room.short.held")])
def test_a_render_that_does_not_fit_is_a_warning(free: int, code: str | None) -> None:
    runs = PastRun(100, 1.0, 59 * GIB), PastRun(1_000_000, 9.0, 60 * GIB)
    found = cost(request(clip("v", 5.0), prompt="rain"), runs)
    finding = shortage(found, Room(96 * GIB, (96 - free) * GIB, Holder(21, "blender", 30 * GIB)))
    assert (finding.code if finding else None) == code
    if finding is not None:
        assert not finding.is_error and "blender" in finding.message.text()
