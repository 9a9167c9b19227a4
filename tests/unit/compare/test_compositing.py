"""Pictures made of two: the arithmetic, pixel by pixel."""

import numpy as np
import pytest

from studio.compare import compositing


def flat(value: int, width: int = 16, height: int = 8) -> np.ndarray:
    return np.full((height, width, 4), value, np.uint8)


def test_equal_pictures_differ_by_black() -> None:
    picture = np.random.default_rng(1).integers(0, 256, (8, 16, 4), np.uint8)
    assert not compositing.difference(picture, picture.copy(), 32).any()


@pytest.mark.parametrize(("gain", "shown"), [(1, 10), (4, 40), (32, 255)])
def test_gain_multiplies_and_is_cut(gain: int, shown: int) -> None:
    assert set(compositing.difference(flat(100), flat(90), gain)[..., :3].flat) == {shown}
    assert set(compositing.difference(flat(90), flat(100), gain)[..., :3].flat) == {shown}


def test_a_wipe_is_a_left_and_b_right_and_leaves_a_alone() -> None:
    a, b = flat(1), flat(2)
    made = compositing.wipe(a, b, 0.25)
    assert (made[:, :4] == 1).all()
    assert (made[:, 4:] == 2).all()
    assert (a == 1).all()
    assert (compositing.wipe(a, b, 0.0) == b).all()
    assert (compositing.wipe(a, b, 1.0) == a).all()


def test_an_overlay_is_the_mean() -> None:
    assert (compositing.overlay(flat(10), flat(30), 0.5)[..., :3] == 20).all()


def test_b_is_brought_to_the_size_of_a_by_area() -> None:
    b = np.zeros((16, 32, 4), np.uint8)
    b[:, ::2] = 200
    fitted = compositing.fitted(b, flat(0))
    assert fitted.shape == (8, 16, 4)
    assert (fitted == 100).all()


@pytest.mark.parametrize("mode", ["side", "stacked", "flicker"])
def test_modes_that_show_both_make_nothing(mode: compositing.Mode) -> None:
    assert compositing.compose(flat(1), flat(2), mode, compositing.Look()) is None


@pytest.mark.parametrize("mode", compositing.MODES)
def test_a_missing_side_makes_nothing(mode: compositing.Mode) -> None:
    assert compositing.compose(flat(1), None, mode, compositing.Look()) is None
    assert compositing.compose(None, flat(1), mode, compositing.Look()) is None


def test_a_signed_difference_is_grey_where_equal_and_lighter_where_b_is() -> None:
    assert (compositing.signed(flat(100), flat(100), 8)[..., :3] == 128).all()
    assert (compositing.signed(flat(100), flat(105), 4)[..., :3] == 148).all()
    assert (compositing.signed(flat(105), flat(100), 4)[..., :3] == 108).all()
    assert (compositing.signed(flat(0), flat(255), 32)[..., :3] == 255).all()


def test_a_heat_map_goes_by_the_most_different_colour() -> None:
    a, b = flat(100), flat(100)
    b[:, 8:, 1] = 160
    made = compositing.heat(a, b, 4)[..., :3].astype(int).sum(axis=2)
    assert made[:, :8].max() < 10
    assert made[:, 8:].min() > 400


def test_a_difference_of_brightness_leaves_out_colour() -> None:
    a, b, lighter = flat(100), flat(100), flat(110)
    b[..., :3] = 0, 90, 158  # orange, as bright as the grey
    assert compositing.luma(a, b, 8)[..., :3].max() <= 8
    assert (compositing.luma(a, lighter, 8)[..., :3] == 80).all()


@pytest.mark.parametrize("kind", compositing.KINDS)
def test_every_kind_of_difference_has_the_size_of_a(kind: compositing.Kind) -> None:
    made = compositing.compose(flat(9), flat(9, 32, 16), "difference", compositing.Look(kind=kind))
    assert made is not None
    assert made.shape == (8, 16, 4)


@pytest.mark.parametrize(("fit", "top", "bottom"), [("fit", 0, 70), ("fill", 20, 50), ("stretch", 0, 70)])
def test_a_b_of_another_shape_is_laid_as_asked(fit: compositing.Fit, top: int, bottom: int) -> None:
    """A square over a picture twice as wide: between bars, cut above and below, or pulled wide."""
    rows = np.repeat(np.arange(0, 80, 10, dtype=np.uint8)[:, None], 8, axis=1)
    made = compositing.laid(np.dstack([rows, rows, rows, np.full_like(rows, 255)]), flat(9), fit)
    assert made.shape == (8, 16, 4)
    assert made[[0, -1], 8, 0].astype(int).tolist() == pytest.approx([top, bottom], abs=5)
    assert bool(made[-1, :4, :3].any()) == (fit != "fit")


def test_shapes_that_differ_by_a_canvas_of_32s_are_laid_edge_on_edge() -> None:
    assert (compositing.laid(flat(7, 165, 80), flat(9, 160, 80), "fit") == 7).all()


@pytest.mark.parametrize(
    ("aspect_b", "fit", "at", "of_b"),
    [
        (1.0, "fit", (0.25, 0.5), (0.0, 0.5)),
        (1.0, "fit", (0.1, 0.5), None),
        (1.0, "fill", (0.5, 0.0), (0.5, 0.25)),
        (4.0, "fit", (0.5, 0.25), (0.5, 0.0)),
        (4.0, "fill", (0.0, 0.5), (0.25, 0.5)),
        (1.0, "stretch", (0.1, 0.2), (0.1, 0.2)),
    ],
)
def test_a_place_of_a_is_found_in_b(
    aspect_b: float, fit: compositing.Fit, at: tuple[float, float], of_b: tuple[float, float] | None
) -> None:
    """In a picture twice as wide as high."""
    assert compositing.place_in_b(*at, 2.0, aspect_b, fit) == of_b
