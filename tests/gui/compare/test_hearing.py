"""What is heard follows the playhead; the output records what it is given and how far it was played."""

from collections.abc import AsyncIterator
from pathlib import Path

import numpy as np
import pytest
import pytest_asyncio

from studio.core.tasks import TaskScope
from studio.media.sound import RATE
from studio.media.workers import Workers
from tests.helpers import barcode
from tests.helpers.waiting import until
from ui.compare.hearing import Hearing, Output
from ui.compare.pair import ClipPair
from ui.compare.playback import Playback


class Recorder:
    """An output that keeps what it was given."""

    def __init__(self) -> None:
        self.given: list[np.ndarray] = []
        self.at = 0.0
        self.playing = False

    def start(self, samples: np.ndarray) -> None:
        self.given.append(samples)
        self.playing, self.at = True, 0.0

    def played(self) -> float:
        return self.at

    def stop(self) -> None:
        self.playing = False


@pytest.fixture
def recorder() -> Recorder:
    return Recorder()


@pytest_asyncio.fixture
async def hearing(
    no_children_left: None, workers: Workers, recorder: Recorder, tmp_path: Path
) -> AsyncIterator[Hearing]:
    errors: list[BaseException] = []
    scope = TaskScope("hearing", lambda error, _name: errors.append(error))
    playback = Playback(monotonic=lambda: 0.0)

    async def find() -> Output:
        return recorder

    a = barcode.write(tmp_path / "a.mp4", frames=48, sound=True)
    pair = await ClipPair.open(a, barcode.write(tmp_path / "b.mp4", frames=48, sound=True))
    made = Hearing(scope, workers, playback, likely=lambda: True, find=find)
    playback.reset(pair.positions, pair.fps)
    made.open(pair)
    await until(lambda: made.can_play)
    made.pair, made.playback = pair, playback
    yield made
    await made.close()
    await scope.aclose()
    await pair.aclose()
    assert not errors


async def chosen(hearing: Hearing, recorder: Recorder, side: str) -> None:
    hearing.choose(side)
    await until(lambda: recorder.playing)


async def test_a_starts_where_the_picture_is(hearing: Hearing, recorder: Recorder) -> None:
    hearing.playback.seek(12)
    hearing.playback.play()
    assert not recorder.playing, "nothing is heard until asked for"
    await chosen(hearing, recorder, "A")
    assert (recorder.given[-1] == hearing.tracks[0].samples[round(0.5 * RATE) :]).all()
    hearing.playback.pause()
    assert not recorder.playing


async def test_equal_sounds_differ_by_silence(hearing: Hearing, recorder: Recorder) -> None:
    hearing.playback.play()
    await chosen(hearing, recorder, "A−B")
    assert len(recorder.given[-1]) == len(hearing.tracks[0].samples)
    assert not recorder.given[-1].any()


async def test_b_is_moved_by_the_offset(hearing: Hearing, recorder: Recorder) -> None:
    hearing.playback.play()
    hearing.pair.offset = 12
    await chosen(hearing, recorder, "B")
    assert not recorder.given[-1][: RATE // 2].any()
    assert (recorder.given[-1][RATE // 2 :] == hearing.tracks[1].samples).all()


async def test_it_is_silent_but_at_real_time(hearing: Hearing, recorder: Recorder) -> None:
    hearing.playback.play()
    await chosen(hearing, recorder, "A")
    hearing.playback.shuttle(1)
    assert hearing.playback.speed == 2
    assert not recorder.playing


async def test_a_jump_takes_the_sound_along_and_a_step_of_the_clock_does_not(
    hearing: Hearing, recorder: Recorder
) -> None:
    hearing.playback.play()
    await chosen(hearing, recorder, "A")
    recorder.at = 1 / 24
    hearing.playback.seek(1)
    assert len(recorder.given) == 1
    hearing.playback.seek(36)
    assert len(recorder.given) == 2
    assert len(recorder.given[-1]) == len(hearing.tracks[0].samples) - round(1.5 * RATE)
