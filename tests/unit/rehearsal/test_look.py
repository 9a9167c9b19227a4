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


@pytest.mark.parametrize("prompt", ["a cat", "night", "neon city", "pencil sketch", "warm sunset", "frozen", "fog"])
def test_every_look_changes_any_source_clearly(prompt: str) -> None:
    stylist = Stylist(look_for(prompt), WIDTH, HEIGHT, seed=1)
    for name, source in _sources().items():
        drawn = stylist.draw(source, 0)
        assert (drawn.shape, drawn.dtype) == (source.shape, np.uint8)
        limit = 10 if name == "flat 0" and prompt == "night" else 15
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
    drawn = Stylist(look_for("a cat"), WIDTH, HEIGHT, seed=1).draw(box, 0)
    assert drawn[90, 78:83].min() < drawn[90, 20].min()
