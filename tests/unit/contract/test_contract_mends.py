"""What each mend makes of the shot."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.contract import (
    ContractError,
    Crop,
    Mend,
    Request,
    Shot,
    check,
    load_limits,
    mend_all,
    mends,
    planned,
    resolve,
    rungs,
)
from tests.helpers import shots
from tests.helpers.findings import codes, errors, finding, mended
from tests.helpers.shots import clip, picture, request, sound

LIMITS = load_limits()
LONG = 362 / 24


def test_the_mends_for_a_clip_over_15_s() -> None:
    of = request(clip("v", LONG), frames=362)
    rung, seconds, aside = finding(of, "ref.video.too_long").mends
    assert rung.message.text() == "Trim to 345 frames (14.37 s)"
    assert seconds.message.text() == "Keep 15.00 s"
    assert aside.message.text() == "Set aside v.mp4"
    trimmed = mends.apply(of.shot, rung, of)
    assert planned(trimmed.references[0], of.facts["v"]).frames == 345  # type: ignore[arg-type]
    kept = mends.apply(of.shot, seconds, of)
    assert planned(kept.references[0], of.facts["v"]).frames == 360  # type: ignore[arg-type]
    assert "ref.video.unused_frames" not in codes(mended(of, trimmed))


def test_surplus_is_set_aside_from_the_end_and_nothing_is_lost() -> None:
    of = request(*(clip(f"v{i}", 56 / 24) for i in range(4)), frames=107)
    after = mend_all(of)
    assert [r.set_aside for r in after.references] == [False, False, False, True]
    assert "ref.set_aside" in codes(mended(of, after))


def test_sound_alone_becomes_a_driving_sound_or_text() -> None:
    of = request(sound("a", 5.0))
    drive, text = finding(of, "refs.audio_only").mends
    driven = mends.apply(of.shot, drive, of)
    assert (driven.task, driven.audio_mode, driven.references[0].role) == ("t2va", "lock_source", "driving")
    switched = mends.apply(of.shot, text, of)
    assert (switched.task, switched.sent()) == ("t2va", ())
    assert errors(mended(of, driven)) == errors(mended(of, switched)) == []


def test_a_clip_without_a_picture_is_offered_as_sound() -> None:
    heard = sound("a", 5.0)
    of = Request(
        Shot(prompt="x", references=(heard.reference.but(kind="video"), picture("p").reference)),
        LIMITS,
        {"a": heard.facts, "p": picture("p").facts},
    )
    assert "holds only sound" in finding(of, "ref.kind.audio").message.text()
    assert errors(mended(of, mend_all(of))) == []


def test_unused_frames_are_a_note_with_a_trim() -> None:
    of = request(clip("v", 10.0), frames=243)
    found = finding(of, "ref.video.unused_frames")
    assert found.message.text() == "The last 14 of 240 frames of v.mp4 are not looked at. Sound is used in full."
    assert found.mends[0].message.text().startswith("Trim to 226 frames")
    after = mends.apply(of.shot, found.mends[0], of)
    assert "ref.video.unused_frames" not in codes(mended(of, after))


def test_a_trim_that_is_too_short_offers_the_whole_clip() -> None:
    of = request(clip("v", 8.0, start=3.0, end=4.0))
    assert [m.code for m in finding(of, "ref.video.too_short").mends] == ["mend.whole", "mend.set_aside"]


@pytest.mark.parametrize("size", [(4000, 300), (300, 4000), (960, 320), (2001, 789), (5761, 2300)])
def test_cropping_makes_any_strip_legal(size: tuple[int, int]) -> None:
    for item in (clip("r", 5.0, size), picture("r", size)):
        of = request(item)
        assert {f"ref.{item.reference.kind}.ratio"} <= codes(of)
        assert errors(mended(of, mend_all(of))) == []
        assert mend_all(of).references[0].crop is not None


@given(
    width=st.integers(256, 5760),
    height=st.integers(256, 5760),
    x=st.floats(0, 0.5),
    share=st.floats(0.5, 1.0),
)
def test_a_legal_crop_stays_inside_the_crop_that_was_there(width: int, height: int, x: float, share: float) -> None:
    start = Crop(x=x, y=0, width=min(share, 1 - x), height=1)
    of = request(picture("p", (width, height), crop=start))
    offered = [m for f in check(of) if f.code == "ref.image.ratio" for m in f.mends if m.code == "mend.crop"]
    if not offered:
        return
    crop = mends.apply(of.shot, offered[0], of).references[0].crop
    assert crop is not None
    assert crop.x >= start.x - 1e-9 and crop.x + crop.width <= start.x + start.width + 1e-9
    ratio = crop.width * width / (crop.height * height)
    assert LIMITS.ratio_min <= ratio <= LIMITS.ratio_max


@given(frames=st.integers(0, 10_000))
def test_any_length_is_on_the_ladder_or_mended_to_it(frames: int) -> None:
    of = request(task="t2va", frames=frames)
    assert resolve(mended(of, mend_all(of))).frames in rungs(LIMITS)
    off_grid = [f for f in check(of) if f.code == "output.frames.off_grid"]
    if off_grid or frames in rungs(LIMITS):
        assert mend_all(of) == of.shot
    for each in off_grid:
        assert mends.apply(of.shot, each.mends[0], of).frames == resolve(of).frames == each.params["to"]


@given(start=st.floats(0, 20), seconds=st.floats(15.001, 40))
def test_a_long_sound_is_cut_from_wherever_it_starts(start: float, seconds: float) -> None:
    of = request(picture("p"), sound("a", start + seconds, start=start), frames=362)
    assert "ref.audio.too_long" in codes(of)
    after = mended(of, mend_all(of))
    assert errors(after) == []
    assert planned(after.shot.references[1], of.facts["a"]).seconds == 15  # type: ignore[arg-type]


def test_an_unknown_mend_is_refused() -> None:
    of = shots.request()
    with pytest.raises(ContractError):
        mends.apply(of.shot, Mend("mend.magic"), of)


def test_what_was_set_aside_is_taken_back_before_the_mode_is_changed() -> None:
    of = request(clip("v", 5.0, set_aside=True), clip("w", 5.0, set_aside=True))
    assert [m.code for m in finding(of, "refs.none").mends] == ["mend.take_back", "mend.task.t2va"]
    after = mend_all(of)
    assert (after.task, [r.set_aside for r in after.references]) == ("ref2va", [False, True])
