"""REQ-1 … REQ-10, the rules of a request, from real files to what would be sent.

Each faulty shot is stopped with the measured number, and *Mend all* makes it pass or leaves one clear question.
"""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from studio.contract import (
    ContractError,
    Finding,
    Kind,
    MediaFacts,
    Planned,
    Reference,
    Request,
    Shot,
    check,
    edits,
    frames_for,
    load_limits,
    mend_all,
    mends,
    parse_shot,
    planned,
    resolve,
    wire_form,
)
from studio.media.prepare import prepare
from studio.media.probe import probe_file
from studio.media.workers import Workers
from tests.helpers.media_factory import clicks, write_clip, write_sound
from tests.helpers.shots import Item, clip, picture, request, sound

LIMITS = load_limits()


def of_file(path: Path, **more: Any) -> Request:
    facts = probe_file(path)
    shot = Shot(prompt="x", references=(Reference(id="r", path=path, kind=facts.kind),), **more)
    return Request(shot, LIMITS, {"r": facts})


def errors(of: Request) -> list[Finding]:
    return [f for f in check(of) if f.is_error]


def after(of: Request, shot: Shot) -> Request:
    return Request(shot, of.limits, of.facts)


def mended(of: Request) -> Request:
    return after(of, mend_all(of))


def plan(of: Request) -> Planned:
    (reference,) = of.shot.references
    facts = of.facts_of(reference)
    assert facts is not None
    return planned(reference, facts)


# REQ-1: a "15 s" clip that is longer


@pytest.mark.parametrize(
    ("frames", "fps"), [(904, Fraction(60_000, 1001)), (361, Fraction(24)), (362, Fraction(24))], ids=str
)
def test_a_clip_of_a_little_over_15_s(tmp_path: Path, frames: int, fps: Fraction) -> None:
    of = of_file(write_clip(tmp_path / "a.mp4", frames=frames, fps=fps, sound=clicks(float(frames / fps), 32_000)))
    (found,) = errors(of)
    assert (found.code, found.params["limit"]) == ("ref.video.too_long", 15)
    assert found.params["is"] == pytest.approx(float(frames / fps), abs=1 / 48)
    assert "15.00 s" in found.message.text()
    rung, longest, _ = found.mends
    for mend, sent in ((rung, 345), (longest, 360)):
        trimmed = after(of, mends.apply(of.shot, mend, of))
        assert plan(trimmed).frames == sent and plan(trimmed).sound_seconds <= sent / 24 <= 15
        assert not errors(trimmed)
    assert not errors(mended(of))


@pytest.mark.parametrize(
    ("frames", "fps"), [(360, Fraction(24)), (360, Fraction(24_000, 1001)), (450, Fraction(30_000, 1001))], ids=str
)
def test_a_clip_of_15_s_needs_no_cut(tmp_path: Path, frames: int, fps: Fraction) -> None:
    of = of_file(write_clip(tmp_path / "a.mp4", frames=frames, fps=fps))
    assert not errors(of)
    assert plan(of).frames == 360


# REQ-2: the rate is always 24


@pytest.mark.parametrize(("fps", "told"), [(30, True), ("24.0", True), (None, False), (24, False)])
def test_another_rate_never_leaves_the_program(fps: object, told: bool) -> None:
    shot = parse_shot(json.dumps({"task": "t2va", "prompt": "x", "fps": fps, "extra": {"fps": 30}}).encode(), None)
    of = Request(shot, LIMITS)
    assert "fps" not in dict(wire_form(of).fields)
    assert ("fps.fixed" in {f.code for f in check(of)}) == told
    assert "extra.ignored" in {f.code for f in check(of)}  # the server does not read it there
    assert not errors(of)


# REQ-3: lengths are rungs


@pytest.mark.parametrize(("seconds", "frames"), [(4, 107), (4.5, 124), (7.3, 175), (15, 362)])
def test_the_length_that_comes_out(seconds: float, frames: int) -> None:
    assert frames_for(seconds, LIMITS) == frames
    of = request(task="t2va", frames=frames)
    assert (resolve(of).frames, resolve(of).seconds) == (frames, frames / 24)
    assert not errors(of)


@pytest.mark.parametrize("seconds", [3.9, 15.1])
def test_a_length_outside_is_refused(seconds: float) -> None:
    with pytest.raises(ContractError, match=str(seconds)):
        frames_for(seconds, LIMITS)
    of = request(task="t2va", extra={"duration": seconds})
    (found,) = errors(of)
    assert found.params["is"] == seconds
    assert not errors(mended(of))


# REQ-4: what another mode has is neither counted nor sent


def test_a_sound_waits_while_text_mode_renders() -> None:
    shot = edits.add_references(Shot(prompt="x"), [(Path("/m/a.wav"), "audio")], LIMITS)
    text = edits.set_task(shot, "t2va")
    of = Request(text, LIMITS, {text.references[0].id: sound("a", 1.0).facts})
    assert not errors(of)
    assert wire_form(of).parts == ()
    reopened = parse_shot(json.dumps(text.model_dump(mode="json")).encode(), None)
    assert edits.set_task(reopened, "ref2va").sent() == shot.references
    assert all(f.subject in {r.id for r in text.references} | set(Shot.model_fields) for f in check(of))


# REQ-5: sound alone


def test_sound_alone_and_driving_sounds() -> None:
    (found,) = errors(request(sound("a", 5.0)))
    assert found.code == "refs.audio_only"
    assert "picture or clip" in found.message.text()
    for seconds in (1.0, 5.0, 40.0):
        assert not errors(request(sound("a", seconds, role="driving"), task="t2va", audio_mode="lock_source"))
    two = request(*(sound(n, 5.0, role="driving") for n in "ab"), task="t2va", audio_mode="lock_source")
    assert [f.code for f in errors(two)] == ["driving.count"]
    assert not errors(mended(two))


# REQ-6: surplus


@pytest.mark.parametrize(
    ("kinds", "kept"),
    [
        (["image"] * 10, 9),
        (["video"] * 4, 3),
        (["image", *["audio"] * 4], 4),
        (["image", "audio", "video", "image", "image", "video", "audio", *["image"] * 6], 12),
    ],
)
def test_surplus_is_named_and_left_out_in_order(kinds: list[Kind], kept: int) -> None:
    makers = {"image": picture, "video": lambda ref_id: clip(ref_id, 2.0), "audio": lambda ref_id: sound(ref_id, 2.0)}
    items: list[Item] = [makers[kind](f"r{i}") for i, kind in enumerate(kinds)]
    of = request(*items, frames=107)
    (found,) = errors(of)
    mended_request = mended(of)
    left_out = [r for r in mended_request.shot.references if r.set_aside]
    assert str(found.params["names"]) == ", ".join(r.path.name for r in left_out)
    assert len(mended_request.shot.sent()) == len(wire_form(mended_request).parts) == kept
    assert [r.id for r in mended_request.shot.sent()] == [r.id for r in of.shot.references if r not in left_out][:kept]
    assert not errors(mended_request)
    added = edits.add_references(Shot(), [(i.reference.path, i.reference.kind) for i in items], LIMITS)
    assert [r.set_aside for r in added.references] == [r.set_aside for r in mended_request.shot.references]


# REQ-7: sounds of any rate and form


@pytest.mark.parametrize(
    ("name", "codec", "rate", "channels"),
    [
        ("mono_8k.wav", "pcm_s16le", 8_000, 1),
        ("stereo_96k.wav", "pcm_s24le", 96_000, 2),
        ("float32.wav", "pcm_f32le", 44_100, 2),
        ("flac.flac", "flac", 22_050, 2),
        ("opus.opus", "libopus", 48_000, 2),
        ("alac.m4a", "alac", 44_100, 2),
        ("aac.m4a", "aac", 44_100, 2),
        ("adpcm.wav", "adpcm_ima_wav", 44_100, 2),
    ],
)
async def test_every_sound_becomes_a_plain_wav(
    workers: Workers, tmp_path: Path, name: str, codec: str, rate: int, channels: int
) -> None:
    facts = probe_file(write_sound(tmp_path / name, clicks(3.0, rate, channels), rate, codec))
    heard = Reference(id="a", path=facts.path, kind="audio")
    shown = picture("p")
    shot = Shot(prompt="x", references=(shown.reference, heard))
    assert not errors(Request(shot, LIMITS, {"p": shown.facts, "a": facts}))
    made = (await prepare(workers, facts, heard, tmp_path / "out")).facts
    assert made.audio is not None
    assert (made.container, made.audio.codec[:4], made.audio.duration) == ("wav", "pcm_", pytest.approx(3.0, abs=0.03))


# REQ-8: few frames


def test_length_is_measured_in_time(tmp_path: Path) -> None:
    of = of_file(write_clip(tmp_path / "slides.mp4", frames=5, fps=1))
    assert plan(of).frames == 120
    assert not errors(of)


# REQ-9: sizes and shapes


def write_picture(path: Path, size: tuple[int, int]) -> Path:
    Image.new("RGB", size, "red").save(path)
    return path


@pytest.mark.parametrize("size", [(64, 64), (960, 320), (320, 240), (120, 640)], ids=str)
def test_a_small_or_narrow_clip_is_refused_by_number_and_mended_by_one_click(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    of = of_file(write_clip(tmp_path / "a.mp4", frames=56, size=size))
    (found,) = errors(of)
    assert (found.params["width"], found.params["height"]) == size
    assert found.mends[0].code in ("mend.enlarge", "mend.crop")
    assert not errors(mended(of))
    assert min(plan(mended(of)).width, plan(mended(of)).height) >= 256


@pytest.mark.parametrize("size", [(255, 400), (4000, 300), (100, 1000)], ids=str)
def test_a_picture_likewise(tmp_path: Path, size: tuple[int, int]) -> None:
    of = of_file(write_picture(tmp_path / "a.png", size))
    (found,) = errors(of)
    assert (found.params["width"], found.params["height"]) == size
    assert not errors(mended(of))


def test_a_single_pixel_leaves_a_question(tmp_path: Path) -> None:
    of = of_file(write_picture(tmp_path / "a.png", (1, 1)))
    assert mend_all(of) == of.shot
    (found,) = errors(of)
    assert (found.code, [m.code for m in found.mends]) == ("ref.image.edge", ["mend.set_aside"])
    beside = request(picture("p"), picture("q", (1, 1)))
    assert [r.set_aside for r in mend_all(beside).references] == [False, True]


def test_sizes_are_measured_upright(tmp_path: Path) -> None:
    of = of_file(write_clip(tmp_path / "a.mp4", frames=56, size=(640, 256), rotation=90))
    assert (plan(of).width, plan(of).height) == (256, 640)
    assert not errors(of)


# REQ-10: codecs and containers


@pytest.mark.parametrize(
    ("name", "codec", "more"),
    [
        ("vp9.webm", "libvpx-vp9", {"options": {"deadline": "realtime", "cpu-used": "8"}}),
        ("av1.mp4", "libsvtav1", {"options": {"preset": "12"}}),
        ("prores.mov", "prores_ks", {"pix_fmt": "yuv422p10le"}),
        ("h264.mkv", "libx264", {}),
        ("pcm_sound.mov", "libx264", {"sound": clicks(2.5), "sound_codec": "pcm_s16le"}),
    ],
)
async def test_what_the_server_refuses_is_converted_and_said(
    workers: Workers, tmp_path: Path, name: str, codec: str, more: dict[str, Any]
) -> None:
    of = of_file(write_clip(tmp_path / name, frames=60, codec=codec, **more))
    assert not errors(of)
    (reference,) = of.shot.references
    facts = of.facts_of(reference)
    assert isinstance(facts, MediaFacts)
    made = await prepare(workers, facts, reference, tmp_path / "out")
    video = made.facts.video
    assert video is not None
    assert (made.facts.container, video.codec, video.server_fps, video.frames) == ("mp4", "h264", 24, 60)
    assert made.facts.audio is None or made.facts.audio.codec == "aac"
    assert made.receipt.changes and not made.receipt.untouched
