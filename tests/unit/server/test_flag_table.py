"""The flags of 0.30.0 as data, and argument vectors as flags."""

from __future__ import annotations

import pytest

from studio.contract import Canvas, Request, Shot, load_limits, rows
from studio.server import profiles
from studio.server.flag_table import Given, join, known, known_flags, nearest, split
from studio.server.profiles import Profile

LAUNCHABLE = [profile for profile in profiles.shipped() if profile.launchable]


def test_the_table_holds_the_parsers_flags() -> None:
    assert len(known_flags()) > 450
    assert known("--ulysses-degree") is known("--usp")
    offload = known("--diffusion-offload-config")
    assert offload is not None and offload.kind == "json"
    assert offload.takes('{"mode": "layer"}') and not offload.takes("{mode:layer}")
    assert known("--diffusion-attention-config.default.backend") is not None
    assert known("--stage-configs-path") is None and nearest("--stage-configs-path") == "--deploy-config"
    assert nearest("--tensor-paralel-size") == "--tensor-parallel-size" and nearest("--zzz") == ""


@pytest.mark.parametrize("profile", LAUNCHABLE, ids=lambda p: p.id)
def test_every_shipped_flag_is_known_and_survives(profile: Profile) -> None:
    assert join(split(profile.args)) == profile.args
    for given in split(profile.args):
        assert known(given.flag) is not None, given


def test_words_of_a_flag_stay_together() -> None:
    args = ("x", "--lora-path", "/a", "/b c", "--port=8000", "--omni")
    given = split(args)
    assert given == (
        Given("", ("x",)),
        Given("--lora-path", ("/a", "/b c")),
        Given("--port", ("8000",)),
        Given("--omni"),
    )
    assert join(given) == ("x", "--lora-path", "/a", "/b c", "--port", "8000", "--omni")


@pytest.mark.parametrize("profile", [p for p in LAUNCHABLE if p.published_runs], ids=lambda p: p.id)
def test_published_paces_are_of_the_rows_that_the_contract_counts(profile: Profile) -> None:
    for shape in profile.validated_shapes:
        if shape.task == "t2va" and shape.rows and shape.width and shape.height:
            frames = next(rung for rung in range(5, 400, 17) if rung >= round((shape.duration_s or 0) * 24))
            frames = max(frames, 107)
            canvas = Canvas(width=shape.width, height=shape.height)
            shot = Shot(task="t2va", prompt="x" * 400, frames=frames, canvas=canvas, follow=frozenset())
            assert rows(Request(shot, load_limits())).padded == pytest.approx(shape.rows, rel=0.03)


@pytest.mark.parametrize(
    ("profile", "tasks"),
    [
        ("rtxpro6000x2-combined-fp8-quadlet", ("t2va", "fl2va", "ref2va")),
        ("gb10-fl2va-fp8", ("t2va", "fl2va")),
        ("gb10-ref2va-fp8", ("ref2va",)),
        ("rtxpro6000x8-two-servers-ref2va", ("ref2va",)),
    ],
)
def test_what_a_profile_can_render(profile: str, tasks: tuple[str, ...]) -> None:
    assert profiles.find(profile).tasks == tasks


def test_profiles_of_ones_own_come_and_go() -> None:
    title = profiles.find("gb10-fl2va-fp8").title
    first = profiles.find("gb10-fl2va-fp8").model_copy(update={"id": profiles.free_id(title)})
    profiles.save(first)
    assert profiles.free_id(title) == f"{first.id}-2"
    profiles.remove(first.id)
    assert profiles.free_id(title) == first.id and first not in profiles.every()
    assert profiles.free_id("…") == "profile"
