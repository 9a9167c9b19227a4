"""What is to be rendered, held against a profile."""

from __future__ import annotations

from pathlib import Path

import pytest

from studio.contract import Canvas, Reference, Shot
from studio.server import profiles
from studio.server.doctor.check import Level
from studio.server.doctor.flags import check_flags
from studio.server.doctor.requests import check_requests

COMBINED, FL2VA = profiles.find("rtxpro6000x2-combined-fp8-quadlet"), profiles.find("rtxpro6000x2-bf16")
GB10, DLO = profiles.find("gb10-ref2va-fp8"), profiles.find("rtx5090x2-bf16-dlo")
CLIP = Reference(id="a", path=Path("/clip.mp4"), kind="video")
SMALL = Canvas(width=960, height=576)


def found(profile: profiles.Profile, *shots: Shot) -> list[tuple[str, Level]]:
    checks = list(check_requests(profile, shots))
    assert all("{" not in text.text() for c in checks for text in (c.message, c.mend) if text is not None)
    return [(check.message.code.removeprefix("doctor."), check.level) for check in checks]


def test_nothing_to_render_is_no_news_and_what_fits_is_one_line() -> None:
    assert found(FL2VA) == []
    assert found(FL2VA, Shot(task="t2va"), Shot(task="fl2va")) == [("request.well", Level.PASS)]


@pytest.mark.parametrize(
    ("profile", "shot", "wanted"),
    [
        (FL2VA, Shot(task="ref2va", references=(CLIP,)), ("request.task", Level.FAIL)),
        (GB10, Shot(task="t2va", canvas=SMALL), ("request.task", Level.FAIL)),
        (COMBINED, Shot(task="ref2va", lora={"local_path": "/l/H3-Turbo-ref2v"}), ("request.turbo", Level.FAIL)),
        (DLO, Shot(task="t2va", lora={"name": "FastH3"}), ("flags.lora_offload", Level.FAIL)),
        (GB10, Shot(task="ref2va"), ("request.unified_edge", Level.WARN)),
        (COMBINED, Shot(task="ref2va", references=(CLIP,), frames=362), ("request.cudnn_long", Level.WARN)),
    ],
    ids=lambda one: one[0] if isinstance(one, tuple) else "",
)
def test_a_want_that_a_server_could_not_meet(profile: profiles.Profile, shot: Shot, wanted: tuple[str, Level]) -> None:
    assert found(profile, shot, shot) == [wanted], "once, however many want it"


def test_a_folder_with_several_adapters_and_flash_attention_on_a_card_without(tmp_path: Path) -> None:
    def codes(*args: str) -> list[str]:
        own = FL2VA.model_copy(update={"args": (*FL2VA.args, *args)})
        return [check.message.code.removeprefix("doctor.flags.") for check in check_flags(own)]

    (tmp_path / "one.safetensors").touch()
    assert "lora_several" not in codes("--lora-path", str(tmp_path))
    (tmp_path / "two.safetensors").touch()
    assert "lora_several" in codes("--lora-path", str(tmp_path))
    assert "flash_attn" in codes("--diffusion-attention-backend", "FLASH_ATTN")
