"""The playhead by a clock that the test sets: no drift, late frames dropped, loops, shuttle."""

import pytest
from pytestqt.qtbot import QtBot

from ui.compare.playback import Playback


class HandClock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def playback(qtbot: QtBot, clock: HandClock) -> Playback:
    made = Playback(monotonic=clock)
    made.reset(240, 24.0)
    return made


def after(playback: Playback, clock: HandClock, seconds: float) -> int:
    clock.now += seconds
    playback.advance()
    return playback.position


def test_late_ticks_drop_frames_and_never_drift(playback: Playback, clock: HandClock) -> None:
    playback.play()
    elapsed = 0.0
    for late in (0.041, 0.007, 0.250, 0.013, 1.0, 0.0418):
        elapsed += late
        assert after(playback, clock, late) == int(0.5 + elapsed * 24)


def test_it_stops_at_the_end_and_starts_again(playback: Playback, clock: HandClock, qtbot: QtBot) -> None:
    playback.seek(230)
    playback.play()
    with qtbot.waitSignal(playback.playing_changed) as heard:
        assert after(playback, clock, 5.0) == 239
    assert heard.args == [False]
    playback.play()
    assert (playback.playing, playback.position) == (True, 0)


def test_a_range_loops(playback: Playback, clock: HandClock) -> None:
    playback.set_range(34, 50)
    playback.seek(34)
    playback.play()
    seen = {after(playback, clock, 1 / 24) for _ in range(60)}
    assert seen == set(range(34, 51))


def test_a_range_loops_backward(playback: Playback, clock: HandClock) -> None:
    playback.set_range(10, 12)
    playback.seek(12)
    playback.shuttle(-1)
    assert [after(playback, clock, 1 / 24) for _ in range(5)] == [11, 10, 12, 11, 10]


def test_j_and_l_double_the_speed_and_turn_around(playback: Playback, clock: HandClock) -> None:
    playback.seek(100)
    speeds = []
    for direction in (1, 1, 1, 1, 1, -1, -1):
        playback.shuttle(direction)
        speeds.append(playback.speed)
    assert speeds == [1, 2, 4, 4, 4, -1, -2]
    assert after(playback, clock, 0.5) == 100 - 24
    playback.pause()
    playback.toggle()
    assert playback.speed == 1


def test_a_step_pauses(playback: Playback) -> None:
    playback.play()
    playback.step(17)
    assert (playback.playing, playback.position) == (False, 17)
    playback.step(-100)
    assert playback.position == 0


def test_in_and_out_make_a_range(playback: Playback) -> None:
    playback.seek(50)
    playback.loop_from_here()
    playback.seek(80)
    playback.loop_to_here()
    assert (playback.range_, playback.loops) == ((50, 80), True)
    playback.seek(90)
    playback.loop_from_here()
    assert playback.range_ == (90, 239)
    playback.toggle_loop()
    assert (playback.range_, playback.loops) == (None, False)


def test_seeking_while_it_plays_goes_on_from_there(playback: Playback, clock: HandClock) -> None:
    playback.play()
    after(playback, clock, 1.0)
    playback.seek(200)
    assert after(playback, clock, 0.5) == 212


def test_the_timer_moves_it_in_real_time(qtbot: QtBot) -> None:
    real = Playback()
    real.reset(1000, 100.0)
    real.play()
    qtbot.waitUntil(lambda: real.position >= 5, timeout=20_000)
    real.pause()


def test_a_still_does_not_play(qtbot: QtBot) -> None:
    still = Playback()
    still.reset(1, 24.0)
    still.toggle()
    assert not still.playing
