"""Keeping and changing parts of a clip: what is sent, and the rules."""

from __future__ import annotations

from pathlib import Path

import pytest

from studio.contract import (
    Canvas,
    Finding,
    KeepChange,
    PictureMarks,
    Request,
    Shot,
    SoundMarks,
    Span,
    check,
    edits,
    follow_main,
    limits_of_server,
    load_limits,
    mend_all,
    mends,
    resolve,
    rows,
    tags,
    wire_form,
)
from studio.core.words import known_codes
from tests.helpers.kept import edited, kept, rectangle
from tests.helpers.shots import clip, picture, request, sound


def found(made: Request, code: str) -> Finding:
    return next(f for f in check(made) if f.code == code)


def codes(made: Request) -> set[str]:
    return {f.code for f in check(made)}


# What is sent.


@pytest.mark.parametrize(
    ("edit", "fields"),
    [
        (KeepChange(), []),
        (kept(rest=0), ["source_video", "video_noise_mask"]),
        (KeepChange(sound=SoundMarks(rest=0)), ["source_audio", "audio_noise_mask"]),
        (
            KeepChange(picture=PictureMarks(rest=0), sound=SoundMarks(rest=0.5)),
            ["source_video", "video_noise_mask", "source_audio", "audio_noise_mask"],
        ),
    ],
)
def test_only_a_lane_that_keeps_something_is_sent(edit: KeepChange, fields: list[str]) -> None:
    assert [part.field for part in wire_form(edited(edit)).parts] == fields


def test_in_reference_mode_the_clip_is_looked_at_too_unless_it_is_not_to_be() -> None:
    both = edited(kept(rest=0), picture("p"), task="ref2va")
    assert [part.field for part in wire_form(both).parts][:2] == ["input_references"] * 2
    assert tags(both) == {"p": ("<Picture 1>",), "a": ("<Audio 1>", "<Video 1>")}
    alone = edited(kept(rest=0).but(also_reference=False), picture("p"), task="ref2va")
    fields = ["input_references", "source_video", "video_noise_mask"]
    assert [part.field for part in wire_form(alone).parts] == fields
    assert tags(alone) == {"p": ("<Picture 1>",)}
    assert rows(alone).total < rows(both).total
    nothing = edited(kept(rest=0).but(also_reference=False), task="ref2va")
    mended = Request(mend_all(nothing), nothing.limits, nothing.facts)
    assert "refs.none" in codes(nothing) and "refs.none" not in codes(mended)
    assert mended.shot.task == "ref2va"


def test_length_and_canvas_follow_the_clip_that_is_edited() -> None:
    plain = {"canvas": Canvas(aspect="16:9"), "follow": frozenset({"frames", "canvas"})}
    made = edited(kept(rest=0), source={"seconds": 8, "size": (540, 960)}, **plain)
    shot = follow_main(made)
    assert (shot.frames, shot.canvas.aspect) == (192, "9:16")
    assert resolve(Request(shot, made.limits, made.facts)).seconds == 8
    assert follow_main(Request(made.shot, made.limits)) == made.shot, "nothing moves before the file is known"


def test_a_picture_goes_on_as_the_first_frame() -> None:
    made = edited(kept(rest=0), picture("p"), task="ref2va", long_video={}).shot
    shot = edits.continue_from(made, Path("/clips/last.png"))
    assert (shot.task, shot.long_video, [r.role for r in shot.sent()]) == ("fl2va", None, ["first"])
    assert shot.sent()[0].path == Path("/clips/last.png") and "canvas" in shot.follow


# Rules.


def test_an_edit_that_the_server_takes_has_no_error_and_says_that_it_is_an_experiment() -> None:
    made = edited(kept(Span(start=0, end=2, change=0)))
    assert not [f for f in check(made) if f.is_error]
    assert found(made, "edit.experimental").subject == "a"


def test_every_sentence_is_there() -> None:
    shown = [
        edited(KeepChange()),
        edited(KeepChange(picture=PictureMarks(rest=0), sound=SoundMarks(rest=0))),
        edited(KeepChange(sound=SoundMarks(rest=0)), source={"sound": None}),
        edited(KeepChange(sound=SoundMarks(rest=0)), sound("s", 5, role="driving"), audio_mode="lock_source"),
        edited(kept(rest=0), long_video={}, task="ref2va"),
        edited(kept(rest=0), clip("b", 5, edit=kept(rest=0))),
        edited(kept(rest=0), source={"seconds": 3, "size": (1024, 512)}),
        edited(kept(rest=0, areas=(rectangle((0, 0.5, 0.5, 0.01, 0.01)),))),
        edited(kept(Span(start=20, end=21), rest=0)),
        edited(KeepChange(sound=SoundMarks(rest=0)), source={"sound": 2.0}),
        edited(kept(rest=0), source={"seconds": 9}),
    ]
    said = {f.code: f for made in shown for f in check(made) if f.code.startswith("edit.")}
    assert said.keys() >= {
        *(
            "edit.all_changed",
            "edit.all_kept",
            "edit.no_sound",
            "edit.lock_source",
            "edit.continuation",
            "edit.several",
        ),
        *("edit.held", "edit.cut.width", "edit.lost_area", "edit.lost_span", "edit.sound_tail", "edit.experimental"),
    }
    for finding in said.values():
        assert "{" not in finding.message.text() and finding.code in known_codes()
        for mend in finding.mends:
            assert "{" not in mend.message.text()


@pytest.mark.parametrize(
    ("code", "made"),
    [
        ("edit.no_sound", edited(KeepChange(sound=SoundMarks(rest=0)), source={"sound": None})),
        (
            "edit.lock_source",
            edited(KeepChange(sound=SoundMarks(rest=0)), sound("s", 5, role="driving"), audio_mode="lock_source"),
        ),
        ("edit.continuation", edited(kept(rest=0), long_video={}, task="ref2va")),
        ("edit.several", edited(kept(rest=0), clip("b", 5, edit=kept(rest=0)))),
    ],
)
def test_each_mend_of_a_refusal_helps(code: str, made: Request) -> None:
    finding = found(made, code)
    assert finding.is_error and finding.mends
    for mend in finding.mends:
        after = Request(mends.apply(made.shot, mend, made), made.limits, made.facts)
        assert code not in codes(after), mend.code
    assert not [f for f in check(Request(mend_all(made), made.limits, made.facts)) if f.is_error]


def test_a_server_without_the_parts_stops_the_shot() -> None:
    made = edited(kept(rest=0))
    old = Request(made.shot, load_limits("0.26.0"), made.facts)
    assert found(old, "edit.unsupported").is_error
    names = ("prompt", "extra_params", "input_references", "source_video", "video_noise_mask")
    form = {"properties": {name: {} for name in names}}
    paths = {"/v1/videos": {"post": {"requestBody": {"content": {"multipart/form-data": {"schema": form}}}}}}
    told = Request(made.shot, limits_of_server("0.26.0", {"paths": paths}), made.facts)
    assert "edit.unsupported" not in codes(told), "what the server's own form says beats what is recorded"


def test_the_end_of_a_short_clip_is_told_only_where_it_is_seen() -> None:
    short = {"seconds": 100 / 24}
    assert found(edited(kept(rest=0), source=short), "edit.held").params["is"] == 7
    assert "edit.held" not in codes(edited(kept(Span(start=0, end=2, change=0)), source=short))


def test_a_clip_that_is_only_edited_has_no_limits_of_a_reference() -> None:
    long = {"seconds": 40, "size": (8000, 300)}
    assert not [f for f in check(edited(kept(rest=0), source=long)) if f.is_error]
    assert "ref.video.too_long" in codes(edited(kept(rest=0), source=long, task="ref2va"))
    unread = edited(kept(rest=0))
    assert "ref.not_read" in codes(Request(unread.shot, unread.limits))


def test_a_shot_without_marks_is_as_before() -> None:
    plain = request(clip("a", 5), task="t2va", canvas=Canvas(aspect="16:9"))
    assert plain.shot.sent() == () and "ref.other_task" in codes(plain)
    assert Shot().source() is None
