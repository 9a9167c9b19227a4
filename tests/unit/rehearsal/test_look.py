"""What the words of a prompt do to pictures, and that the result is far from the source."""

from __future__ import annotations

import numpy as np
import pytest

from studio.rehearsal.paint.look import look_for
from studio.rehearsal.paint.stylist import Stylist

WIDTH, HEIGHT = 256, 192


def _sources() -> dict[str, np.ndarray]:
    ramp = np.linspace(0, 255, WIDTH)[None, :, None] * np.ones((HEIGHT, 1, 3))
    noise = np.random.default_rng(3).normal(128, 40, (HEIGHT, WIDTH, 3))
    flat = {f"flat {level}": np.full((HEIGHT, WIDTH, 3), level) for level in (0, 64, 128, 192, 255)}
    return {name: np.clip(a, 0, 255).astype(np.uint8) for name, a in {"ramp": ramp, "noise": noise, **flat}.items()}


PROMPTS = ("a cat", "night", "neon city", "pencil sketch", "warm sunset", "winter", "snow falls", "noir", "fog", "rain")


def _beyond_recolouring(source: np.ndarray, drawn: np.ndarray) -> float:
    """Mean absolute difference that is left after the best 3×4 matrix from the source's colours."""
    colours = np.hstack([source.reshape(-1, 3), np.ones((source[..., 0].size, 1))])
    wanted = drawn.reshape(-1, 3).astype(float)
    matrix, *_ = np.linalg.lstsq(colours, wanted, rcond=None)
    return float(np.abs(np.clip(colours @ matrix, 0, 255) - wanted).mean())


@pytest.mark.parametrize("prompt", PROMPTS)
def test_no_look_is_a_mere_recolouring(prompt: str) -> None:
    stylist = Stylist(look_for(prompt), WIDTH, HEIGHT, seed=1)
    for name, source in _sources().items():
        if not name.startswith("flat"):
            assert _beyond_recolouring(source, stylist.draw(source, 5)) >= 6, name


def test_fog_drifts_without_a_seam() -> None:
    grey = np.full((HEIGHT, WIDTH, 3), 90, np.uint8)
    fog = Stylist(look_for("fog"), WIDTH, HEIGHT, seed=1)
    begin, later = fog.draw(grey, 0).astype(int), fog.draw(grey, WIDTH // 4).astype(int)
    assert np.abs(begin - later).mean() > 6
    assert np.abs(np.diff(later.mean(axis=2), axis=1)).max() < 16


@pytest.mark.parametrize("prompt", PROMPTS)
def test_every_look_changes_any_source_clearly(prompt: str) -> None:
    stylist = Stylist(look_for(prompt), WIDTH, HEIGHT, seed=1)
    for name, source in _sources().items():
        drawn = stylist.draw(source, 0)
        assert (drawn.shape, drawn.dtype) == (source.shape, np.uint8)
        limit = 0 if name == "flat 0" and prompt in ("night", "noir") else 15  # dark looks leave black as it is
        assert np.abs(drawn.astype(int) - source).mean() >= limit, name


def test_words_pick_weather_and_grade_apart() -> None:
    assert look_for("heavy RAIN at night").weather == "rain"
    assert look_for("heavy rain at night").tint == look_for("midnight").tint
    assert look_for("snow falls").weather == "snow"
    assert look_for("a train passes").weather is None
    assert look_for("sketchy") == look_for("") == look_for("a cat")


def test_weather_moves_and_outlines_are_drawn() -> None:
    grey = np.full((HEIGHT, WIDTH, 3), 90, np.uint8)
    rain = Stylist(look_for("rain"), WIDTH, HEIGHT, seed=1)
    assert (rain.draw(grey, 0) != rain.draw(grey, 1)).mean() > 0.01
    box = grey.copy()
    box[60:120, 80:160] = 220
    stylist = Stylist(look_for("a cat"), WIDTH, HEIGHT, seed=1)
    outline, plain = stylist.draw(box, 0)[90, 78:83], stylist.draw(grey, 0)[90, 78:83]
    assert outline.sum(axis=1).min() < plain.sum(axis=1).min() - 60
