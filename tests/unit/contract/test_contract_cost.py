"""Step times fitted to past runs, and what a request costs: seconds, memory, what would save most."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.contract import PastRun, check, cost, edits, fit, mends, rows, work
from studio.contract.pace import GUESS
from tests.helpers.shots import clip, picture, request, sound

GIB = 1 << 30


def test_without_history_there_are_rows_and_no_seconds() -> None:
    found = cost(request(picture("p")))
    assert (found.step, found.seconds, found.memory) == (None, None, None)
    assert found.guess and found.rows.total > 0


def test_one_run_gives_its_own_time_back_and_a_guess_elsewhere() -> None:
    pace = fit([PastRun(40_000, 10.0)])
    assert pace is not None
    own = pace.step(40_000)
    assert own.least < 10 < own.most < 11 and not pace.is_guess(40_000)
    far = pace.step(120_000)
    likely = 10 * work(120_000) / work(40_000)
    assert pace.is_guess(120_000)
    assert (far.least, far.most) == (pytest.approx(likely * (1 - GUESS)), pytest.approx(likely * (1 + GUESS)))


@given(
    a=st.floats(1e-6, 1e-3),
    crossover=st.floats(5_000, 200_000),
    sizes=st.lists(st.integers(5_000, 250_000), min_size=2, max_size=6).filter(lambda s: max(s) >= 1.3 * min(s)),
)
def test_two_sizes_give_both_constants(a: float, crossover: float, sizes: list[int]) -> None:
    def seconds(n: int) -> float:
        return a * work(n, crossover)

    pace = fit([PastRun(n, seconds(n)) for n in sizes])
    assert pace is not None
    for n in (min(sizes), 90_000, 300_000):
        found = pace.step(n)
        assert not pace.is_guess(n)
        assert found.least <= seconds(n) * 1.001 and seconds(n) <= found.most * 1.001


def test_a_cold_run_and_other_peoples_runs_do_not_count_beside_our_own() -> None:
    own, cold = PastRun(40_000, 10.0), PastRun(40_000, 13.0, cold=True)
    published = PastRun(40_000, 99.0, published=True)
    assert fit([own, cold, published]) == fit([own])
    assert fit([cold]) is None
    guessed = fit([published])
    assert guessed is not None and guessed.is_guess(40_000)


def test_the_range_holds_every_run_that_was_seen() -> None:
    runs = [PastRun(40_000, t) for t in (9.0, 10.0, 12.5)]
    pace = fit(runs)
    assert pace is not None
    found = pace.step(40_000)
    assert found.least <= 9.0 and found.most >= 12.5


def test_published_measurements_of_one_machine_agree_within_a_tenth() -> None:
    # 2 × GB10, 1344 × 768: 124 frames in 31.40 s a step, 243 in 88.96; rows with a prompt of 100 tokens.
    small, large = (rows(request(task="t2va", frames=f, prompt="x" * 400)).padded for f in (124, 243))
    pace = fit([PastRun(small, 31.40)])
    assert pace is not None
    likely = pace.step(large)
    assert (likely.least + likely.most) / 2 == pytest.approx(88.96, rel=0.1)


def test_the_whole_render_is_all_updates_and_what_follows() -> None:
    of = request(task="t2va", steps=20)
    padded = rows(of).padded
    found = cost(of, [PastRun(padded, 6.0)])
    assert found.updates == 20 and found.step is not None and found.seconds is not None
    assert found.seconds.least < 20 * 6.0 * 1.01 < found.seconds.most
    continued = request(clip("v", 5.0), steps=20, frames=600, long_video={})
    assert cost(continued).updates == 20 * 3


@pytest.mark.parametrize(
    ("known", "least", "most"),
    [
        ([(1.0, 70)], 70, 70),
        ([(0.5, 60)], 60, 120),
        ([(2.0, 80)], 40, 80),
        ([(0.5, 60), (2.0, 80)], 60, 80),
    ],
)
def test_memory_is_bounded_by_smaller_and_larger_runs(known: list[tuple[float, int]], least: int, most: int) -> None:
    of = request(task="t2va")
    padded = rows(of).padded
    history = [PastRun(round(padded * share), 1.0, peak * GIB) for share, peak in known]
    found = cost(of, history).memory
    assert found is not None
    assert (found[0] / GIB, found[1] / GIB) == (pytest.approx(least, rel=1e-3), pytest.approx(most, rel=1e-3))


def test_savings_are_true_and_the_best_comes_first() -> None:
    of = request(
        clip("v", 14.0, (1920, 1080), sound=14.0), picture("p", (1600, 900)), sound("a", 10.0), picture("q"), frames=362
    )
    found = cost(of)
    assert [s.share for s in found.savings] == sorted((s.share for s in found.savings), reverse=True)
    for saving in found.savings:
        after = replace(of, shot=mends.apply(of.shot, saving.mend, of))
        assert rows(of).total - rows(after).total == pytest.approx(saving.rows, abs=12)
        assert work(rows(after).padded) / work(rows(of).padded) == pytest.approx(1 - saving.share, abs=0.001)
        assert not any(f.is_error for f in check(after))
    assert {"mend.trim_to_rung", "mend.crop", "mend.frames"} <= {s.mend.code for s in found.savings}


def test_a_smaller_file_saves_nothing_and_is_not_offered() -> None:
    of = request(clip("v", 5.0))
    small = replace(of, shot=edits.set_short_edge(of.shot, "v", 256))
    assert rows(small).total == rows(of).total
    assert "mend.short_edge" not in {s.mend.code for s in cost(of).savings}
