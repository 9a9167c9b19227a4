"""CIEDE2000 against the authors' test data, and the direction of a shift."""

from __future__ import annotations

import numpy as np
import pytest

from studio.compare.colour import colour_shift, delta_e_2000, lab

# Sharma, Wu, Dalal 2005, table 1: pairs 1, 7, 10, 16, 17, 25, 33.
PAIRS = [
    ((50.0, 2.6772, -79.7751), (50.0, 0.0, -82.7485), 2.0425),
    ((50.0, 0.0, 0.0), (50.0, -1.0, 2.0), 2.3669),
    ((50.0, 2.49, -0.001), (50.0, -2.49, 0.0010), 7.1792),
    ((50.0, 2.5, 0.0), (50.0, 0.0, -2.5), 4.3065),
    ((50.0, 2.5, 0.0), (73.0, 25.0, -18.0), 27.1492),
    ((60.2574, -34.0099, 36.2677), (60.4626, -34.1751, 39.4387), 1.2644),
    ((6.7747, -0.2908, -2.4247), (5.8714, -0.0985, -2.2286), 0.6377),
]


@pytest.mark.parametrize(("first", "second", "distance"), PAIRS)
def test_ciede2000(first: tuple[float, ...], second: tuple[float, ...], distance: float) -> None:
    found = delta_e_2000(np.array([first]), np.array([second]))
    assert found[0] == pytest.approx(distance, abs=1e-4)


def test_lab_of_known_colours() -> None:
    found = lab(np.array([[255.0, 255, 255], [255, 0, 0], [0, 0, 0]]))
    assert found[0] == pytest.approx([100, 0, 0], abs=0.02)
    assert found[1] == pytest.approx([53.24, 80.09, 67.20], abs=0.05)
    assert found[2] == pytest.approx([0, 0, 0], abs=1e-6)


@pytest.mark.parametrize(
    ("step", "direction"),
    [((30, 30, 30), "brighter"), ((-30, -30, -30), "darker"), ((0, 0, 40), "bluer"), ((25, -12, 0), "redder")],
)
def test_the_strongest_direction_comes_first(step: tuple[int, int, int], direction: str) -> None:
    grey = np.full((5, 3), 120.0)
    shift = colour_shift(grey, grey + step)
    assert shift.directions[0] == direction
    assert shift.delta_e > 5


def test_no_shift_has_no_direction() -> None:
    grey = np.full((5, 3), 120.0)
    assert colour_shift(grey, grey + 0.5).directions == ()
