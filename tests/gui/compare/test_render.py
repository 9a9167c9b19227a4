"""Pictures made of two: the arithmetic, pixel by pixel."""

import numpy as np
import pytest

from ui.compare import render


def flat(value: int, width: int = 16, height: int = 8) -> np.ndarray:
    return np.full((height, width, 4), value, np.uint8)


def test_equal_pictures_differ_by_black() -> None:
    picture = np.random.default_rng(1).integers(0, 256, (8, 16, 4), np.uint8)
    assert not render.difference(picture, picture.copy(), 32).any()


@pytest.mark.parametrize(("gain", "shown"), [(1, 10), (4, 40), (32, 255)])
def test_gain_multiplies_and_is_cut(gain: int, shown: int) -> None:
    assert set(render.difference(flat(100), flat(90), gain)[..., :3].flat) == {shown}
    assert set(render.difference(flat(90), flat(100), gain)[..., :3].flat) == {shown}


def test_a_wipe_is_a_left_and_b_right_and_leaves_a_alone() -> None:
    a, b = flat(1), flat(2)
    made = render.wipe(a, b, 0.25)
    assert (made[:, :4] == 1).all()
    assert (made[:, 4:] == 2).all()
    assert (a == 1).all()
    assert (render.wipe(a, b, 0.0) == b).all()
    assert (render.wipe(a, b, 1.0) == a).all()


def test_an_overlay_is_the_mean() -> None:
    assert (render.overlay(flat(10), flat(30))[..., :3] == 20).all()


def test_b_is_brought_to_the_size_of_a_by_area() -> None:
    b = np.zeros((16, 32, 4), np.uint8)
    b[:, ::2] = 200
    fitted = render.fitted(b, flat(0))
    assert fitted.shape == (8, 16, 4)
    assert (fitted == 100).all()


@pytest.mark.parametrize("mode", ["side", "stacked", "flicker"])
def test_modes_that_show_both_make_nothing(mode: render.Mode) -> None:
    assert render.compose(flat(1), flat(2), mode, gain=4, wipe_at=0.5) is None


@pytest.mark.parametrize("mode", render.MODES)
def test_a_missing_side_makes_nothing(mode: render.Mode) -> None:
    assert render.compose(flat(1), None, mode, gain=4, wipe_at=0.5) is None
    assert render.compose(None, flat(1), mode, gain=4, wipe_at=0.5) is None


def test_a_signed_difference_is_grey_where_equal_and_lighter_where_b_is() -> None:
    assert (render.signed(flat(100), flat(100), 8)[..., :3] == 128).all()
    assert (render.signed(flat(100), flat(105), 4)[..., :3] == 148).all()
    assert (render.signed(flat(105), flat(100), 4)[..., :3] == 108).all()
    assert (render.signed(flat(0), flat(255), 32)[..., :3] == 255).all()


def test_a_heat_map_goes_by_the_most_different_colour() -> None:
    a, b = flat(100), flat(100)
    b[:, 8:, 1] = 160
    made = render.heat(a, b, 4)[..., :3].astype(int).sum(axis=2)
    assert made[:, :8].max() < 10
    assert made[:, 8:].min() > 400


@pytest.mark.parametrize("kind", render.KINDS)
def test_every_kind_of_difference_has_the_size_of_a(kind: render.Kind) -> None:
    made = render.compose(flat(9), flat(9, 32, 16), "difference", gain=4, wipe_at=0.5, kind=kind)
    assert made is not None
    assert made.shape == (8, 16, 4)
