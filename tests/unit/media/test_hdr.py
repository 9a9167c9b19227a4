"""HDR → SDR: anchors of BT.2408 and the things that a tone curve must never do."""

from __future__ import annotations

import numpy as np
import pytest

from studio.contract.facts import Transfer
from studio.media.hdr import SIZE, cube, to_sdr

GREYS = np.linspace(0, 1, 101)[:, None].repeat(3, axis=1)
REFERENCE_WHITE: dict[Transfer, float] = {"hlg": 0.75, "pq": 0.58}
"""The code of 203 nits (ITU-R BT.2408, table 1)."""


@pytest.mark.parametrize("transfer", ["hlg", "pq", "sdr"])
def test_greys_stay_grey_and_in_order(transfer: Transfer) -> None:
    made = to_sdr(GREYS, transfer)
    assert np.abs(made - made[:, :1]).max() < 0.002
    assert (np.diff(made[:, 0]) >= 0).all()
    assert made[0].max() == 0 and made.min() >= 0 and made.max() <= 1


@pytest.mark.parametrize("transfer", ["hlg", "pq"])
def test_reference_white_is_bright_and_leaves_room_for_highlights(transfer: Transfer) -> None:
    white = to_sdr(np.full((1, 3), REFERENCE_WHITE[transfer]), transfer)[0, 0]
    top = to_sdr(np.ones((1, 3)), transfer)[0, 0]
    assert 0.90 < white < 0.97 < top


def test_sdr_in_bt2020_keeps_its_greys() -> None:
    assert np.abs(to_sdr(GREYS, "sdr") - GREYS).max() < 0.002


def test_the_table_lists_red_first() -> None:
    lines = cube("sdr").splitlines()
    assert lines[0] == f"LUT_3D_SIZE {SIZE}" and len(lines) == 1 + SIZE**3
    red, green, blue = (float(x) for x in lines[SIZE].split())
    assert red == 1 and green < 0.1 and blue < 0.1
