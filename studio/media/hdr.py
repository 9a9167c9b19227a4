"""HDR and wide-gamut colours → SDR BT.709, as a 3-D table that FFmpeg's `lut3d` filter applies.

Curves: ITU-R BT.2100 (HLG, PQ), BT.2087 (primaries), BT.1886 (SDR display); reference white is 203 nits (BT.2408).
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt
from av.video.frame import VideoFrame

if TYPE_CHECKING:  # the viewer's decoder starts without pydantic
    from studio.contract.facts import Transfer

Rgb = npt.NDArray[np.float64]

SIZE: Final = 33
_TRANSFERS: Final[dict[int, Transfer]] = {16: "pq", 18: "hlg"}  # ISO/IEC 23091-2 TransferCharacteristics
_WHITE_NITS: Final = 203.0
_KNEE: Final = 0.7
_BT2020_TO_BT709: Final = np.array(
    [[1.660491, -0.587641, -0.072850], [-0.124550, 1.132900, -0.008349], [-0.018151, -0.100579, 1.118730]]
)
_BT2020_LUMA: Final = np.array([0.2627, 0.6780, 0.0593])


def transfer_of(frame: VideoFrame) -> Transfer:
    """The transfer curve by the picture's tag."""
    return transfer_by_tag(frame.color_trc)


def transfer_by_tag(tag: int) -> Transfer:
    """The transfer curve by its number in a header."""
    return _TRANSFERS.get(tag, "sdr")


def is_wide(transfer: Transfer, matrix: str | None) -> bool:
    """Whether colours of that kind need the table to be seen on an SDR screen."""
    return transfer != "sdr" or matrix == "bt2020"


@functools.cache
def cube(transfer: Transfer) -> str:
    """The table for BT.2020 pictures of that transfer as the text of an Adobe `.cube` file."""
    axis = np.linspace(0.0, 1.0, SIZE)
    blue, green, red = np.meshgrid(axis, axis, axis, indexing="ij")
    table = to_sdr(np.stack([red, green, blue], axis=-1).reshape(-1, 3), transfer)
    lines = [f"{r:.5f} {g:.5f} {b:.5f}" for r, g, b in table]
    return "\n".join([f"LUT_3D_SIZE {SIZE}", *lines, ""])


def to_sdr(rgb: Rgb, transfer: Transfer) -> Rgb:
    """(n, 3) coded BT.2020 values 0…1 → (n, 3) coded BT.709 values 0…1."""
    match transfer:
        case "hlg":
            light = _soft(_hlg(rgb))
        case "pq":
            light = _soft(_pq(rgb))
        case "sdr":
            light = rgb**2.4
    return np.asarray(np.clip(light @ _BT2020_TO_BT709.T, 0.0, 1.0) ** (1 / 2.4))


def _hlg(rgb: Rgb) -> Rgb:
    """Display light of a 1000-nit HLG screen, 1 = reference white."""
    a, b, c = 0.17883277, 0.28466892, 0.55991073
    scene = np.where(rgb <= 0.5, rgb**2 / 3, (np.exp((rgb - c) / a) + b) / 12)
    luma = np.maximum(scene @ _BT2020_LUMA, 1e-6)
    return np.asarray(scene * luma[:, None] ** 0.2 * 1000 / _WHITE_NITS)


def _pq(rgb: Rgb) -> Rgb:
    """Display light, 1 = reference white."""
    m1, m2, c1, c2, c3 = 0.1593017578125, 78.84375, 0.8359375, 18.8515625, 18.6875
    root = rgb ** (1 / m2)
    return np.asarray((np.maximum(root - c1, 0) / (c2 - c3 * root)) ** (1 / m1) * 10_000 / _WHITE_NITS)


def _soft(light: Rgb) -> Rgb:
    """Light up to the knee unchanged, all above it gently pressed under 1; by the largest channel, so hues stay."""
    top = light.max(axis=1, keepdims=True)
    over = np.maximum(top - _KNEE, 0) / (1 - _KNEE)
    pressed = np.where(top <= _KNEE, top, _KNEE + (1 - _KNEE) * (1 - np.exp(-over)))
    return np.asarray(light * np.divide(pressed, top, out=np.ones_like(top), where=top > 0))
