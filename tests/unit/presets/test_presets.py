"""Presets: built-in ones are whole, applying is one pure edit, files survive newer and broken neighbours."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from studio.contract import Canvas, Shot, edits, mention_of
from studio.contract.shot import Kind, Reference
from studio.core.words import known_codes
from studio.presets import (
    PARTS,
    Preset,
    PresetError,
    PresetLibrary,
    apply,
    dump_preset,
    findings,
    generalised,
    parse_preset,
    places,
    preset_of,
    read_preset,
    templates,
    without_parts,
    write_preset,
)


def _shot(*kinds: Kind, **fields: object) -> Shot:
    references = tuple(Reference(id=f"{kind}{n}", path=Path(f"{n}.{kind}"), kind=kind) for n, kind in enumerate(kinds))
    return Shot(references=references, seed=7).but(**fields)


def test_there_is_a_template_for_each_purpose_and_mode() -> None:
    assert len(templates()) >= 16
    assert {preset.task for preset in templates()} == {"t2va", "fl2va", "ref2va"}
    assert len({preset.id for preset in templates()}) == len(templates())


@pytest.mark.parametrize("preset", templates(), ids=lambda preset: preset.id)
def test_a_template_fills_the_shot_that_it_needs(preset: Preset) -> None:
    shot = apply(preset, _shot(*preset.needs, prompt="what I wrote"))
    assert preset.purpose and preset.note and preset.pictogram
    assert shot.task == preset.task
    assert [r.kind for r in shot.sent()] == list(preset.needs), "what it needs is sent in its mode"
    assert places(shot.prompt) and findings(shot)[0].params["is"] == len(places(shot.prompt))
    assert "{" not in shot.prompt.replace("@{", ""), "every name of a reference became a mention"
    for reference in shot.sent():
        named = mention_of(reference.id) in shot.prompt
        assert named or preset.task != "ref2va", "a reference that nobody names"
    assert (shot.seed, shot.references[0].path if shot.references else None) == (
        7,
        Path(f"0.{preset.needs[0]}") if preset.needs else None,
    )
    assert apply(preset, shot) == shot, "twice is once"


def test_a_template_names_what_is_yet_to_come() -> None:
    preset = next(p for p in templates() if p.id == "edit-weather")
    assert apply(preset, Shot()).prompt.startswith("Take <Video 1> exactly")


def test_end_on_a_still_makes_the_picture_the_last_frame() -> None:
    preset = next(p for p in templates() if p.id == "end-on-still")
    assert [r.role for r in apply(preset, _shot("image")).sent()] == ["last"]


def test_a_place_is_an_error_until_it_is_filled() -> None:
    (found,) = findings(Shot(prompt="in [[rain]] and [[fog]]"))
    assert (found.code, found.is_error, found.subject) == ("prompt.place", True, "prompt")
    assert "rain" in found.message.text() and "2" in found.message.text()
    assert not findings(Shot(prompt="[Shot 1] <d>[English] hi</d> [[]] [[\n]]"))
    assert found.code in known_codes()


def test_what_is_on_the_screen_becomes_a_preset_and_back() -> None:
    shot = _shot("video", "image", prompt=f"{mention_of('video0')} beside {mention_of('image1')}, {mention_of('gone')}")
    shot = edits.set_canvas(shot, Canvas(aspect="1:1")).but(steps=20, quality="high")
    preset = preset_of(shot, "Square & quick", ["prompt", "canvas", "length", "steps", "mode"])
    assert preset.parts == {"prompt", "canvas", "length", "steps", "mode"}
    other = _shot("image", "video", steps=50)
    made = apply(parse_preset(dump_preset(preset)), other)
    assert made.prompt == f"{mention_of('video1')} beside {mention_of('image0')}, "
    assert (made.steps, made.canvas.aspect, made.quality) == (20, "1:1", None)
    assert made.follow == {"frames"}, "the length follows, as it did; the canvas does not"


def test_parts_can_be_left_out_later() -> None:
    preset = preset_of(_shot(), "All", PARTS)
    less = without_parts(preset, {"seed", "length", "prompt"})
    assert less.parts == set(PARTS) - {"seed", "length", "prompt"}
    assert apply(less, _shot(prompt="mine")).prompt == "mine"


def test_the_soundtrack_of_a_clip_is_named_as_such() -> None:
    shot = _shot("video", prompt=f"hear {mention_of('video0', sound=True)}")
    assert generalised(shot.prompt, shot) == "hear {sound 1}"


def test_fields_of_a_newer_version_are_kept() -> None:
    data = dump_preset(preset_of(_shot(), "Mine", ["steps"]))
    document = json.loads(data) | {"mood": "calm"}
    document["sets"]["shutter"] = 180
    kept = json.loads(dump_preset(parse_preset(json.dumps(document).encode()).but(title="Renamed")))
    assert (kept["mood"], kept["sets"]["shutter"], kept["title"]) == ("calm", 180, "Renamed")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "preset.damaged"),
        ("[]", "preset.damaged"),
        ('{"version": 2}', "preset.newer"),
        ('{"id": "../x", "title": "t", "task": "t2va"}', "preset.damaged"),
        ('{"id": "x", "title": "t", "task": "t2va", "sets": {"steps": "many"}}', "preset.damaged"),
        ('{"id": "x", "title": "t", "task": "t2va", "sets": {"prompt": 3}}', "preset.damaged"),
        ('{"id": "x", "title": "t", "task": "t2va", "sets": {"task": "i2v"}}', "preset.damaged"),
        ('{"id": "x", "title": "t", "task": "t2va", "sets": {"follow": 1}}', "preset.damaged"),
    ],
)
def test_what_is_no_preset_is_refused_in_words(text: str, code: str, tmp_path: Path) -> None:
    path = tmp_path / "x.h3preset"
    path.write_text(text)
    with pytest.raises(PresetError) as caught:
        read_preset(path)
    assert caught.value.code == code
    assert str(path) in caught.value.text()


def test_another_rate_in_a_preset_is_no_rate() -> None:
    text = '{"id": "x", "title": "t", "task": "t2va", "sets": {"fps": 30}}'
    shot = apply(parse_preset(text.encode()), Shot())
    assert shot.model_extra == {"fps": 30}, "kept, for the rules to say that it is not sent"


def test_the_library_keeps_each_preset_in_a_file_of_its_own(tmp_path: Path) -> None:
    library = PresetLibrary(tmp_path / "presets")
    first = library.add(preset_of(_shot(), "Night", ["steps"]))
    second = library.add(preset_of(_shot(), "Night", ["steps"]))
    assert first.id != second.id
    taken = library.add(templates()[0])
    assert taken.id != templates()[0].id
    (tmp_path / "presets" / "broken.h3preset").write_text("{")
    write_preset(first.but(title="A friend's"), tmp_path / "presets" / "Von Änne.h3preset")
    found, troubles = library.load()
    assert [p.title for p in found] == ["A friend's", templates()[0].title, "Night", "Night"]
    assert [t.code for t in troubles] == ["preset.damaged"]
    library.save(found[0].but(title="Renamed"))
    library.delete(second.id)
    library.delete(second.id)
    assert sorted(p.title for p in library.load()[0]) == sorted(["Renamed", templates()[0].title, "Night"])
    assert (tmp_path / "presets" / "broken.h3preset").read_text() == "{", "what cannot be read stays as it is"


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(PresetError) as caught:
        PresetLibrary(tmp_path / "file").add(preset_of(_shot(), "x", ["steps"]))
    assert caught.value.code == "preset.unwritable"


def test_titles_of_any_script_become_ids() -> None:
    assert preset_of(_shot(), "夜景", ["steps"]).id != preset_of(_shot(), "晨景", ["steps"]).id
