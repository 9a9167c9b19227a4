"""What `check` finds, the sentences that it gives, and that mends make it pass."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.contract import (
    Canvas,
    ContractError,
    Request,
    Severity,
    Shot,
    Unreadable,
    budgets,
    check,
    load_limits,
    mend_all,
    mends,
    planned,
)
from studio.contract.labels import tags
from studio.core.words import known_codes
from tests.helpers.findings import codes, errors, finding, mended
from tests.helpers.shots import clip, picture, request, sound

LIMITS = load_limits()
LONG = 362 / 24


REFUSED: dict[str, tuple[Request, str, float, float, str]] = {
    # name: request, code, measured, limit, the server's sentence
    "four clips": (
        request(*(clip(f"v{i}", 56 / 24) for i in range(4)), frames=107),
        "refs.videos.too_many",
        4,
        3,
        "ref2va accepts at most 3 video references",
    ),
    "sound alone": (
        request(sound("a", 5.0)),
        "refs.audio_only",
        0,
        1,
        "ref2va requires at least one image or video reference",
    ),
    "15.083 s": (
        request(clip("v", LONG), frames=362),
        "ref.video.too_long",
        LONG,
        15,
        "reference video 0 duration must be in [2, 15] seconds, got 15.083",
    ),
    "1 s": (
        request(clip("v", 1.0), picture("p")),
        "ref.video.too_short",
        1.0,
        2,
        "reference video 0 duration must be in [2, 15] seconds, got 1.000",
    ),
    "clips together": (
        request(clip("v", 10.0), clip("w", 6.0), frames=243),
        "refs.videos.total",
        16.0,
        15,
        "reference videos must be at most 15 seconds in total",
    ),
    "soundtracks together": (
        request(clip("v", 10.0, sound=10.0), clip("w", 6.0, sound=6.0), frames=243),
        "refs.soundtracks.total",
        16.0,
        15,
        "reference audio must be at most 15 seconds in total",
    ),
    "sounds together": (
        request(picture("p"), sound("a", 10.0), sound("b", 6.0), frames=243),
        "refs.audios.total",
        16.0,
        15,
        "reference audio must be at most 15 seconds in total",
    ),
    "long sound": (
        request(picture("p"), sound("a", 15.047), frames=362),
        "ref.audio.too_long",
        15.047,
        15,
        "reference audio 0 duration must be in [2, 15] seconds, got 15.047",
    ),
    "thirteen": (
        request(
            *(picture(f"p{i}") for i in range(9)), *(clip(f"v{i}", 2.0) for i in range(2)), sound("a", 2), sound("b", 2)
        ),
        "refs.too_many",
        13,
        12,
        "ref2va accepts at most 12 total references",
    ),
    "steps": (
        request(task="t2va", steps=201),
        "steps.range",
        201,
        200,
        "num_inference_steps: Input should be less than or equal to 200",
    ),
    "seed": (
        request(task="t2va", seed=2**63),
        "seed.range",
        2**63,
        2**63 - 1,
        "seed: Input should be less than or equal to 9223372036854775807",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_by_number_and_mended(name: str) -> None:
    of, code, measured, limit, says = REFUSED[name]
    found = finding(of, code)
    assert found.is_error
    assert (found.params["is"], found.params["limit"]) == (pytest.approx(measured), limit)
    assert found.server_says == says
    assert found.mends
    for mend in found.mends:
        after = mended(of, mends.apply(of.shot, mend, of))
        assert code not in codes(after), f"{mend.code} does not help"
    assert errors(mended(of, mend_all(of))) == []


SHORT_SOUND = request(clip("v", 5.0, sound=1.5))


def test_a_soundtrack_under_2_s_is_left_out_with_a_note() -> None:
    found = finding(SHORT_SOUND, "ref.video.sound_too_short")
    assert found.severity == Severity.NOTE and not errors(SHORT_SOUND)
    assert "1.50 s and is left out" in found.message.text()
    plan = planned(SHORT_SOUND.shot.references[0], SHORT_SOUND.facts["v"])  # type: ignore[arg-type]
    assert (plan.sound_seconds, plan.sound_left_out) == (0, 1.5)
    assert tags(SHORT_SOUND) == {"v": ("<Video 1>",)}
    two = request(clip("v", 5.0, sound=2.0))
    assert "ref.video.sound_too_short" not in codes(two) and len(tags(two)["v"]) == 2


WORDED = [
    *(r[0] for r in REFUSED.values()),
    SHORT_SOUND,
    request(),
    request(task="fl2va"),
    request(*(picture(f"p{i}", role=role) for i, role in enumerate(("first", "last", "last"))), task="fl2va"),
    request(picture("p", role="first"), picture("q", role="first"), task="fl2va"),
    request(picture("p", (1600, 900), role="first"), picture("q", role="last"), task="fl2va"),
    request(picture("p", (1600, 900), role="first"), task="fl2va", canvas=Canvas(aspect="1:1"), follow=frozenset()),
    request(picture("p", role="first"), task="fl2va", extra={"frame_indices": [5]}),
    request(
        clip("v", 5.0, (1200, 300)), clip("w", 5.0, (128, 128)), picture("p", (3000, 1000)), picture("q", (9000, 200))
    ),
    request(picture("p", (8064, 6048))),
    request(clip("v", 10.0, (1080, 1920)), frames=124, canvas=Canvas(aspect="16:9")),
    request(clip("v", 5.0), frames=362, canvas=Canvas(width=1280, height=720)),
    request(clip("v", 5.0), frames=123),
    request(clip("v", 5.0), frames=90),
    request(sound("a", 20.0, role="driving"), task="t2va", audio_mode="lock_source"),
    request(sound("a", 1.0, role="driving"), task="t2va", audio_mode="lock_source"),
    request(task="t2va", audio_mode="lock_source"),
    request(task="t2va", canvas=Canvas(aspect="16:10")),
    request(task="t2va", canvas=Canvas(width=16, height=64)),
    request(task="t2va", canvas=Canvas(width=1024, height=128)),
    request(task="t2va", quality="ultra", flow_shift=0, audio_flow_shift=-1, lora={"name": "x"}, fps=30),
    request(picture("p"), quality="high", long_video={}),
    request(task="t2va", long_video={"long_video_mode": "x"}),
    request(task="t2va", long_video={"long_video_mode": "continuation"}),
    request(task="t2va", extra={"long_video": "yes", "fps": 30, "duration": 99, "target": "x"}),
    request(task="t2va", extra={"duration": 99}),
    request(task="t2va", extra={"short_edge": 1440}),
    request(task="t2va", prompt=""),
    request(task="t2va", prompt=" "),
    request(task="t2va", prompt="x" * (1 << 20) + "x"),
    request(task="t2va", extra={"note": "x" * (1 << 20)}),
    request(picture("p"), clip("w", 5, set_aside=True), prompt="@{gone} and @{w} and <Video 3>"),
]


@pytest.mark.parametrize("of", WORDED)
def test_every_finding_is_a_whole_sentence_and_every_mend_has_a_label(of: Request) -> None:
    found = check(of)
    assert found
    for each in found:
        for message in (each.message, *(m.message for m in each.mends)):
            assert message.code in known_codes()
            assert "{" not in message.text(), message
    assert [f.severity for f in found] == sorted((f.severity for f in found), key=list(Severity).index)


@pytest.mark.parametrize("of", WORDED)
def test_mend_all_leaves_only_what_no_mend_can_help(of: Request) -> None:
    after = mended(of, mend_all(of))
    assert mend_all(after) == after.shot
    assert {f.code for f in check(after) if f.is_error} <= {"prompt.empty", "prompt.too_large", "extra.too_large"}


@pytest.mark.parametrize("of", WORDED)
def test_every_mend_changes_the_shot(of: Request) -> None:
    for each in check(of):
        for mend in each.mends:
            assert mends.apply(of.shot, mend, of) != of.shot, mend


def test_a_driving_sound_may_have_any_length_but_must_be_one() -> None:
    for seconds in (1.0, 20.0, 60.0):
        assert not errors(request(sound("a", seconds, role="driving"), task="t2va", audio_mode="lock_source"))
    two = request(*(sound(n, 3.0, role="driving") for n in "ab"), task="t2va", audio_mode="lock_source")
    assert finding(two, "driving.count").params["is"] == 2
    assert errors(mended(two, mend_all(two))) == []


def test_another_modes_reference_neither_counts_nor_blocks() -> None:
    of = request(sound("a", 1.0), clip("v", 40.0), task="t2va")
    assert errors(of) == []
    assert {f.subject for f in check(of) if f.code == "ref.other_task"} == {"a", "v"}


def test_an_unreadable_file_stops_the_render_with_its_own_reason() -> None:
    here = clip("v", 5.0)
    facts = {"v": Unreadable(path=here.reference.path, code="media.gone", params={"why": "x"})}
    of = Request(Shot(prompt="x", references=(here.reference,)), LIMITS, facts)
    found = finding(of, "media.gone")
    assert found.is_error and found.params == {"name": "v.mp4", "why": "x"}
    assert finding(Request(of.shot, LIMITS), "ref.not_read").severity is Severity.NOTE


@given(seconds=st.floats(0.05, 40))
def test_a_clip_passes_exactly_between_2_and_15_s(seconds: float) -> None:
    of = request(clip("v", seconds), frames=362)
    sent = planned(of.shot.references[0], of.facts["v"]).seconds  # type: ignore[arg-type]
    assert bool(errors(of)) == (not 2 <= sent <= 15)
    # A clip that is too short is the only thing to look at: what to do without it, only the user knows.
    assert errors(mended(of, mend_all(of))) == (["ref.video.too_short"] if sent < 2 else [])


def test_warnings_beside_the_clip() -> None:
    short = request(clip("v", 10.0), frames=124)
    assert (
        finding(short, "output.shorter_than_clip").message.text().startswith("Only the first 5.16 s of v.mp4 (10.00 s)")
    )
    assert mends.apply(short.shot, finding(short, "output.shorter_than_clip").mends[0], short).frames == 243
    long = request(clip("v", 5.0), frames=362)
    assert mends.apply(long.shot, finding(long, "output.longer_than_clip").mends[0], long).frames == 124
    turned = request(clip("v", 5.0, (1080, 1920)), canvas=Canvas(aspect="16:9"))
    assert (
        mends.apply(turned.shot, finding(turned, "canvas.other_orientation").mends[0], turned).canvas.aspect == "9:16"
    )
    assert not {f.code for f in check(request(clip("v", 5.0), frames=124)) if f.severity is Severity.WARNING}


def test_the_three_budgets() -> None:
    used = budgets(request(clip("v", 10.0, sound=8.0), clip("w", 3.0), sound("a", 4.5)))
    assert (used.clips, used.soundtracks, used.sounds) == (13.0, 8.0, 4.5)


def test_a_limit_that_is_only_assumed_never_stops_the_render() -> None:
    of = request(*(clip(f"v{i}", 2.0) for i in range(4)), frames=107, limits=load_limits("0.99.0"))
    assert of.limits.assumed
    assert errors(of) == []
    assert finding(of, "refs.videos.too_many").severity is Severity.WARNING
    assert "prompt.empty" in codes(request(task="t2va", prompt="", limits=load_limits("0.99.0")))


def test_limits_of_a_version() -> None:
    assert load_limits("v0.30.4.dev1").id == load_limits().id == "0.30.0"
    assert not load_limits("0.30.9").assumed
    with pytest.raises(ContractError, match="banana"):
        load_limits("banana")


def test_the_parsers_limit_counts_escapes_when_no_file_goes_along() -> None:
    most = LIMITS.text_part_bytes_max
    for of, fits in (
        (request(task="t2va", prompt="x" * (most - len("prompt"))), True),
        (request(task="t2va", prompt="x" * (most - len("prompt") + 1)), False),
        (request(task="t2va", prompt="风" * (most // 9)), False),
        (request(picture("p"), prompt="风" * (most // 9)), True),
        (request(picture("p"), prompt="x" * most), True),
        (request(picture("p"), prompt="x" * (most + 1)), False),
    ):
        assert ("prompt.too_large" not in codes(of)) == fits


@pytest.mark.parametrize(
    ("prompt", "marked"),
    [
        ('A man says: "come here"', False),
        ("她说“你好世界”", False),
        ('A man says <d>[English] "come here"</d>', True),
        ('A sign reads "open". A man says nothing.', True),
        ("A man says hello", True),
    ],
)
def test_speech_without_its_marker_is_hinted_at(prompt: str, marked: bool) -> None:
    assert ("prompt.speech" not in codes(request(task="t2va", prompt=prompt))) == marked


def test_a_very_long_prompt_is_a_hint() -> None:
    of = request(task="t2va", prompt="x" * 7001)
    assert finding(of, "prompt.long").severity is Severity.NOTE
    assert "7,001 characters" in finding(of, "prompt.long").message.text()
    assert "prompt.long" not in codes(request(task="t2va", prompt="x" * 7000))


def test_a_broken_file_is_not_asked_to_be_mentioned() -> None:
    good, bad = clip("v", 5.0), clip("w", 5.0)
    facts = {"v": good.facts, "w": Unreadable(path=bad.reference.path, code="media.gone")}
    of = Request(Shot(prompt="x", references=(good.reference, bad.reference)), LIMITS, facts)
    assert [f.subject for f in check(of) if f.code == "ref.unmentioned"] == ["v"]
    assert [r.set_aside for r in mend_all(of).references] == [False, True]
    alone = Request(Shot(prompt="x", references=(bad.reference,)), LIMITS, facts)
    assert mend_all(alone) == alone.shot  # text mode instead would be another video


@pytest.mark.parametrize(
    ("seconds", "frames"),
    [(15.015, 360), (5.005, 120), (4.004, 96), (48.5 / 24, 48), (49.5 / 24, 50), (0.0, 1), (15.03, 361)],
)
def test_frames_are_rounded_as_the_server_rounds_them(seconds: float, frames: int) -> None:
    of = request(clip("v", seconds))
    assert planned(of.shot.references[0], of.facts["v"]).frames == frames  # type: ignore[arg-type]
