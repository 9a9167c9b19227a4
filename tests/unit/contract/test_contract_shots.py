"""Shots as values: edits, mentions, defaults that follow, the wire form, shot files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from studio.contract import (
    SHOT_VERSION,
    Canvas,
    ContractError,
    Crop,
    Reference,
    Request,
    Shot,
    adopt_tags,
    dump_shot,
    edits,
    follow_main,
    frames_for,
    label_order,
    load_limits,
    main_clip,
    mentions,
    parse_shot,
    prompt_text,
    resolve,
    rungs,
    tags,
    wire_form,
)
from studio.contract.shot import Kind, Role
from tests.helpers.shots import clip, picture, request, sound

LIMITS = load_limits()
A, B = Path("/m/a"), Path("/m/b")


def ids(shot: Shot) -> list[str]:
    return [r.id for r in shot.references]


def roles(shot: Shot) -> list[Role]:
    return [r.role for r in shot.references]


# Edits


def test_added_files_get_fresh_ids_and_keep_their_order() -> None:
    shot = edits.add_references(Shot(), [(A, "image"), (B, "video"), (A, "audio")])
    assert [(r.path, r.kind, r.role) for r in shot.references] == [
        (A, "image", "reference"),
        (B, "video", "reference"),
        (A, "audio", "reference"),
    ]
    assert len(set(ids(shot))) == 3


def test_surplus_is_set_aside_when_it_is_added() -> None:
    kinds: list[Kind] = ["image"] * 10 + ["video"] * 2 + ["audio"] * 4
    shot = edits.add_references(Shot(), [(A, kind) for kind in kinds], LIMITS)
    assert [r.set_aside for r in shot.references] == [False] * 9 + [True] + [False] * 3 + [True] * 3
    assert len(shot.sent()) == LIMITS.references_max


def test_pictures_get_the_roles_that_frames_mode_has_left() -> None:
    shot = edits.add_references(Shot(task="fl2va"), [(A, "image")] * 3)
    assert roles(shot) == ["first", "last", "reference"]
    assert len(shot.sent()) == 2
    assert roles(edits.set_task(shot, "ref2va")) == ["reference"] * 3
    assert roles(edits.set_task(edits.set_task(shot, "ref2va"), "fl2va")) == ["first", "last", "reference"]


def test_roles_are_exchanged() -> None:
    shot = edits.add_references(Shot(task="fl2va"), [(A, "image"), (B, "image")])
    assert roles(edits.set_role(shot, ids(shot)[0], "last")) == ["last", "first"]


def test_a_driving_sound_is_chosen_and_given_back() -> None:
    shot = edits.add_references(Shot(), [(A, "audio"), (B, "audio")])
    driven = edits.set_audio_mode(shot, "lock_source")
    assert roles(driven) == ["driving", "reference"]
    assert [r.path for r in driven.sent()] == [A]
    assert edits.set_audio_mode(driven, "native") == shot


def test_removing_takes_the_mentions_along() -> None:
    shot = request(picture("p"), clip("v", 5), prompt="@{p} like @{v} and @{v:sound}").shot
    assert edits.remove(shot, "v").prompt == "@{p} like  and "
    assert edits.remove(shot, "gone") is shot


def test_moving() -> None:
    shot = request(picture("a"), picture("b"), picture("c")).shot
    assert ids(edits.move(shot, "a", 1)) == ["b", "a", "c"]
    assert ids(edits.move(shot, "c", 0)) == ["c", "a", "b"]
    assert ids(edits.move(shot, "a", 99)) == ["b", "c", "a"]


def test_what_a_user_sets_no_longer_follows() -> None:
    shot = edits.set_frames(Shot(), 243)
    assert (shot.frames, shot.follow) == (243, {"canvas"})
    shot = edits.set_canvas(shot, Canvas(width=960, height=576))
    assert shot.follow == frozenset()
    assert edits.set_follow(shot, "frames").follow == {"frames"}


def test_edits_of_one_reference() -> None:
    shot = request(clip("v", 5)).shot
    whole = Crop(x=0.25, y=0, width=0.5, height=1)
    shot = edits.crop(edits.trim(shot, "v", 1.0, 4.0), "v", whole)
    shot = edits.set_short_edge(edits.keep_sound(edits.set_aside(shot, "v"), "v", False), "v", None)
    shot = edits.replace_path(shot, "v", B)
    reference = shot.references[0]
    assert (reference.start, reference.end, reference.crop, reference.keep_sound) == (1.0, 4.0, whole, False)
    assert (reference.set_aside, reference.preparation.short_edge, reference.path) == (True, None, B)
    assert edits.trim(shot, "gone", 1, 2) == shot
    with pytest.raises(ValidationError):
        edits.set_short_edge(shot, "v", 8)


# Tags and mentions


def test_a_clips_soundtrack_is_numbered_before_the_sounds() -> None:
    of = request(
        sound("s", 4), clip("v", 5, sound=5), picture("p"), clip("w", 5), clip("x", 5, sound=5, keep_sound=False)
    )
    assert tags(of) == {
        "p": ("<Picture 1>",),
        "v": ("<Audio 1>", "<Video 1>"),
        "w": ("<Video 2>",),
        "x": ("<Video 3>",),
        "s": ("<Audio 2>",),
    }
    assert label_order(of) == ("<Picture 1>", "<Audio 1>", "<Video 1>", "<Video 2>", "<Video 3>", "<Audio 2>")


def test_mentions_follow_their_cards() -> None:
    of = request(
        picture("a"), picture("b"), clip("v", 5, sound=5), prompt="@{b} beside @{a}, @{v} to @{v:sound}@{gone}."
    )
    assert prompt_text(of) == "<Picture 2> beside <Picture 1>, <Video 1> to <Audio 1>."
    moved = Request(edits.move(of.shot, "b", 0), of.limits, of.facts)
    assert prompt_text(moved).startswith("<Picture 1> beside <Picture 2>")
    assert [(m.ref_id, m.sound) for m in mentions(of.shot.prompt)][2:4] == [("v", False), ("v", True)]


def test_pasted_tags_become_mentions_and_read_the_same() -> None:
    of = request(picture("a"), clip("v", 5, sound=5))
    pasted = "<Video 1> with <Audio 1> and <Picture 1>, not <Picture 2> or <Video 01>"
    stored = adopt_tags(of, pasted)
    assert stored.startswith("@{v} with @{v:sound} and @{a}, not <Picture 2>")
    assert prompt_text(Request(edits.set_prompt(of.shot, stored), of.limits, of.facts)) == pasted


@given(st.text())
def test_a_prompt_without_mentions_is_sent_as_it_is(text: str) -> None:
    shot = edits.set_prompt(Shot(), text)
    assert "@{" in text or prompt_text(Request(shot, LIMITS)) == text


# Defaults


def test_length_and_canvas_follow_the_first_clip() -> None:
    of = request(picture("p"), clip("v", 10.0, (1080, 1920)), clip("w", 3.0))
    shot = follow_main(of)
    assert (shot.frames, shot.canvas) == (243, Canvas(aspect="9:16"))
    clip_followed = main_clip(of)
    assert clip_followed is not None and clip_followed.reference.id == "v"


@pytest.mark.parametrize(("seconds", "frames"), [(2.0, 107), (5.0, 124), (124 / 24, 124), (8.0, 192), (15.0, 362)])
def test_a_clips_own_rung(seconds: float, frames: int) -> None:
    assert follow_main(request(clip("v", seconds))).frames == frames


def test_only_what_follows_is_changed() -> None:
    of = request(clip("v", 10.0, (1080, 1920)), frames=192, follow=frozenset())
    assert follow_main(of) is of.shot
    cropped = request(clip("v", 10.0, (1920, 1080), crop=Crop(x=0.3, y=0, width=0.5625, height=1)))
    assert follow_main(cropped).canvas.aspect == "1:1"


def test_defaults_without_a_clip() -> None:
    for of in (request(picture("p"), frames=362), request(task="t2va", frames=362, canvas=Canvas(aspect="1:1"))):
        shot = follow_main(of)
        assert (shot.frames, shot.canvas) == (124, Canvas(aspect="16:9"))


def test_frames_mode_takes_the_first_pictures_shape() -> None:
    of = request(picture("l", (800, 800), role="last"), picture("f", (1920, 1080), role="first"), task="fl2va")
    shot = follow_main(of)
    assert shot.canvas == Canvas(width=1344, height=768)
    resolved = resolve(Request(shot, of.limits, of.facts))
    assert (resolved.width, resolved.height) == (1344, 768)


def test_nothing_follows_a_file_that_is_not_read_yet() -> None:
    shot = Shot(references=(clip("v", 10.0).reference,), frames=192)
    assert follow_main(Request(shot, LIMITS)) is shot


# The wire


def fields(of: Request) -> dict[str, str]:
    return dict(wire_form(of).fields)


def extra(of: Request) -> dict[str, object]:
    return dict(json.loads(fields(of)["extra_params"]))


def test_the_wire_form_of_a_ref2va_shot() -> None:
    of = request(sound("s", 4), clip("v", 5, sound=5), picture("p"), prompt="@{p} in @{v}", frames=362, seed=-7)
    form = wire_form(of)
    assert [(part.ref_id, part.kind) for part in form.parts] == [("p", "image"), ("v", "video"), ("s", "audio")]
    assert fields(of) | {"extra_params": ""} == {
        "prompt": "<Picture 1> in <Video 1>",
        "aspect_ratio": "16:9",
        "num_inference_steps": "50",
        "flow_shift": "12",
        "seed": "-7",
        "extra_params": "",
    }
    assert extra(of) == {"task": "ref2va", "duration": 15.0, "audio_flow_shift": 3.0}


def test_a_named_ratio_is_always_sent_for_text_mode() -> None:
    sized = fields(request(task="t2va", canvas=Canvas(width=960, height=1728)))
    assert (sized["aspect_ratio"], sized["width"], sized["height"]) == ("9:16", "960", "1728")
    assert "aspect_ratio" not in fields(request(picture("p"), canvas=Canvas(width=960, height=576)))


def test_what_is_set_is_sent_and_what_is_not_is_absent() -> None:
    plain = fields(request(task="t2va"))
    assert not {"quality", "lora", "fps", "seconds", "num_frames", "model"} & set(plain)
    of = request(
        task="t2va", quality="high", lora={"name": "n", "path": "/p"}, flow_shift=6.5, extra={"preencode_mp4": True}
    )
    assert fields(of)["quality"] == "high"
    assert json.loads(fields(of)["lora"]) == {"name": "n", "path": "/p"}
    assert fields(of)["flow_shift"] == "6.5"
    assert extra(of)["preencode_mp4"] is True


def test_a_lone_last_picture_says_so_and_first_goes_before_last() -> None:
    last = request(picture("l", role="last"), task="fl2va")
    assert extra(last)["frame_indices"] == [-1]
    both = request(picture("l", role="last"), picture("f", role="first"), task="fl2va")
    assert [p.ref_id for p in wire_form(both).parts] == ["f", "l"]
    assert "frame_indices" not in extra(both)


def test_a_driving_sound_goes_along_in_text_mode() -> None:
    of = request(sound("s", 30.0, role="driving"), picture("p"), task="t2va", audio_mode="lock_source")
    assert [p.ref_id for p in wire_form(of).parts] == ["s"]
    assert extra(of)["audio_mode"] == "lock_source"


def test_long_video_lifts_the_cap() -> None:
    of = request(picture("p"), frames=1807, long_video={})
    assert extra(of)["duration"] == 1807 / 24
    assert len(resolve(of).windows) == 7
    assert extra(request(task="t2va", frames=736, long_video={}))["duration"] == 30.0


@given(st.sampled_from(rungs(LIMITS)))
def test_every_rung_survives_the_wire(frames: int) -> None:
    of = request(task="t2va", frames=frames)
    assert frames_for(extra(of)["duration"], LIMITS) == frames == resolve(of).frames


# Files


def test_a_shot_file_reads_back_and_is_stable(tmp_path: Path) -> None:
    of = request(clip("v", 5, start=1.5, crop=Crop(x=0, y=0, width=0.5, height=1)), picture("p"), prompt="雪 🦊 @{v}\n")
    shot = of.shot.but(extra={"a": [1, None, {"b": 0.1}]}, lora={"name": "n"}, notes="ʘ")
    data = dump_shot(shot, tmp_path)
    assert parse_shot(data, tmp_path) == shot
    assert dump_shot(parse_shot(data, tmp_path), tmp_path) == data
    assert "雪 🦊" in data.decode()


def test_paths_beside_the_file_move_with_it(tmp_path: Path) -> None:
    inside, outside = tmp_path / "clips" / "a.mp4", Path("/elsewhere/b.mp4")
    shot = Shot(
        references=(Reference(id="a", path=inside, kind="video"), Reference(id="b", path=outside, kind="video"))
    )
    data = dump_shot(shot, tmp_path)
    assert [r["path"] for r in json.loads(data)["references"]] == ["clips/a.mp4", "/elsewhere/b.mp4"]
    assert parse_shot(data, Path("/new")).references[0].path == Path("/new/clips/a.mp4")
    assert json.loads(dump_shot(shot, None))["references"][0]["path"] == str(inside)


@pytest.mark.parametrize("name", ['"quoted"\n%s$HOME', "\udcff\udc80.mp4", "名前.mp4", "x" * 255])
def test_any_file_name_survives(name: str) -> None:
    shot = Shot(references=(Reference(id="a", path=Path("/m") / name, kind="video"),))
    data = dump_shot(shot, Path("/m"))
    assert data.decode("utf-8")
    assert parse_shot(data, Path("/m")) == shot


def test_newer_fields_are_kept() -> None:
    document = json.loads(dump_shot(request(clip("v", 5)).shot, None))
    document |= {"weather": {"rain": True}}
    document["references"][0]["mask"] = "m.png"
    again = json.loads(dump_shot(edits.set_steps(parse_shot(json.dumps(document).encode(), None), 8), None))
    assert again["weather"] == {"rain": True} and again["references"][0]["mask"] == "m.png" and again["steps"] == 8


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x00\xff",
        b"[]",
        b"null",
        b'{"task": "dance"}',
        b'{"flow_shift": NaN}',
        b'{"references": 3}',
        b'{"references": ["x"]}',
        b'{"references": [{"id": "../x", "path": "a", "kind": "video"}]}',
        b'{"canvas": {"width": 3}}',
        b'{"frames": 1' + b"0" * 400 + b"}",
        b'{"version": "x"}',
        b"[" * 100_000,
    ],
)
def test_a_damaged_file_is_said_and_never_a_crash(data: bytes) -> None:
    with pytest.raises(ContractError) as caught:
        parse_shot(data, None)
    assert caught.value.code == "shot.damaged"
    assert "{" not in caught.value.text().replace("{'", "")


def test_a_file_of_a_newer_format_is_not_opened() -> None:
    with pytest.raises(ContractError) as caught:
        parse_shot(json.dumps({"version": SHOT_VERSION + 1, "task": "dance"}).encode(), None)
    assert caught.value.code == "shot.newer"


shots = st.builds(
    Shot,
    task=st.sampled_from(["t2va", "fl2va", "ref2va"]),
    prompt=st.text(st.characters(codec="utf-8")),
    frames=st.integers(0, 1_000_000),
    seed=st.integers(-(2**63), 2**63 - 1),
    flow_shift=st.floats(allow_nan=False, allow_infinity=False),
    canvas=st.one_of(
        st.just(Canvas(aspect="4:3")), st.builds(Canvas, width=st.integers(1, 9999), height=st.integers(1, 9999))
    ),
    notes=st.text(st.characters(codec="utf-8")),
)


@given(shots)
def test_any_shot_reads_back(shot: Shot) -> None:
    assert parse_shot(dump_shot(shot, None), None) == shot


@given(shots)
def test_the_wire_form_of_any_shot_exists(shot: Shot) -> None:
    form = wire_form(Request(shot, LIMITS))
    assert dict(form.fields)["seed"] == str(shot.seed)
