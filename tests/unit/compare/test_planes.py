"""What is measured is what is seen: planes and B, G, R, A of one picture hold the same numbers."""

from __future__ import annotations

import numpy as np
import pytest
from av.video.frame import VideoFrame
from av.video.reformatter import ColorRange, Colorspace

from studio.compare.planes import PlaneConverter
from studio.media.colour import Colour, Matrix


def _frame(width: int, height: int, layout: str = "yuv420p", seed: int = 1) -> VideoFrame:
    noise = np.random.default_rng(seed).integers(0, 256, (height, width, 3), np.uint8)
    return VideoFrame.from_ndarray(noise, format="rgb24").reformat(format=layout)


def _apart(colour: Colour, frame: VideoFrame, convert: PlaneConverter) -> list[int]:
    """The largest difference of each of G, B and R."""
    seen = colour.bgra(frame).astype(int)
    planes = convert(colour, frame, frame.width, frame.height)
    return [int(np.abs(plane - seen[..., channel]).max()) for plane, channel in zip(planes, (1, 0, 2), strict=True)]


@pytest.mark.parametrize("matrix", ["bt601", "bt709", "bt2020", "smpte240m"])
@pytest.mark.parametrize("full_range", [False, True])
def test_planes_are_the_colours_that_are_shown(matrix: Matrix, full_range: bool) -> None:
    colour, convert = Colour(matrix, full_range, "tag"), PlaneConverter()
    for size in ((64, 48), (136, 34), (256, 144), (1344, 768)):
        assert _apart(colour, _frame(*size), convert) == [0, 0, 0]


@pytest.mark.parametrize("size", [(66, 48), (64, 47), (33, 17), (2, 2)])
def test_sizes_for_which_swscale_has_no_fast_way(size: tuple[int, int]) -> None:
    assert _apart(Colour("bt709", False, "size"), _frame(*size), PlaneConverter()) == [0, 0, 0]


@pytest.mark.parametrize("layout", ["yuv444p", "yuv422p", "yuv420p10le", "gbrp", "rgb24"])
def test_other_layouts(layout: str) -> None:
    colour = Colour("rgb", True, "tag") if layout in ("gbrp", "rgb24") else Colour("bt601", False, "tag")
    assert _apart(colour, _frame(64, 48, layout), PlaneConverter()) == [0, 0, 0]


def test_tags_of_a_frame_do_not_change_the_rule_of_its_clip() -> None:
    convert, colour = PlaneConverter(), Colour("bt601", False, "server")
    plain, tagged = _frame(64, 48), _frame(64, 48)
    tagged.colorspace, tagged.color_range = Colorspace.ITU709, ColorRange.JPEG
    for plane, other in zip(convert(colour, plain, 64, 48), convert(colour, tagged, 64, 48), strict=True):
        assert np.array_equal(plane, other)


def test_a_picture_stays_while_others_are_converted() -> None:
    convert, colour = PlaneConverter(), Colour("bt709", False, "size")
    first = convert(colour, _frame(64, 48), 64, 48)
    kept = [plane.copy() for plane in first]
    for seed in range(2, 10):
        convert(colour, _frame(64, 48, seed=seed), 64, 48)
    assert all(np.array_equal(plane, before) for plane, before in zip(first, kept, strict=True))
