"""Rows of a step against the counts that the real packer gives, and the pace made from them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from studio.rehearsal.clips import Segment
from studio.rehearsal.rows import Pace, count
from studio.rehearsal.rules import Plan
from studio.rehearsal.uploads import References
from tests.helpers.vectors import cases


def _plan(**changes: Any) -> Plan:
    fields: dict[str, Any] = {
        "task": "t2va",
        "prompt": "x" * 400,
        "width": 1344,
        "height": 768,
        "frames": 362,
        "steps": 1,
        "seed": 1,
        "rate": 24.0,
        "images": (),
        "keyframes": (),
        "clips": (),
        "references": References(),
        "lock_sound": False,
    }
    return Plan(**(fields | changes))


@pytest.mark.parametrize("case", cases("tokens", "output"))
def test_output_rows_are_the_packers(case: dict[str, Any]) -> None:
    assert count(_plan(**{key: case[key] for key in ("width", "height", "frames")})) == case["padded_rows"]


@pytest.mark.parametrize("case", cases("tokens", "reference_video"))
def test_a_reference_clip_adds_its_rows(case: dict[str, Any]) -> None:
    segment = Segment(Path(), 0.0, case["seconds"], True, case["width"], case["height"])
    plain = _plan(task="ref2va", frames=case["output_frames"])
    added = count(_plan(task="ref2va", frames=case["output_frames"], clips=(segment,))) - count(plain)
    assert added == pytest.approx(case["total_added_rows_excl_text"], rel=0.02, abs=64)


@pytest.mark.parametrize("case", cases("tokens", "reference_image"))
def test_a_reference_picture_adds_its_rows(case: dict[str, Any]) -> None:
    image = Image.new("L", (case["width"], case["height"]))
    added = count(_plan(task="ref2va", images=(image,))) - count(_plan(task="ref2va"))
    assert added == pytest.approx(case["total_added_rows_excl_label"], abs=64)


def test_the_pace_is_told_or_follows_the_rows() -> None:
    assert Pace(0.2).of(100_000) == 0.2
    pace = Pace(0.2, row_seconds=63e-6)
    # Two RTX PRO 6000, 1344×768, 5 s, BF16: 5.571 s a step was measured.
    assert pace.of(count(_plan(frames=124))) == pytest.approx(5.571, rel=0.05)
