"""From stored pictures to shown ones: display matrix and pixel aspect."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, cast

import numpy as np
from av.buffer import Buffer
from av.video.frame import VideoFrame
from av.video.stream import VideoStream

from studio.media.colour import Picture


@dataclass(frozen=True, slots=True)
class Turn:
    """A display matrix as array operations: transpose first, then flip."""

    transposed: bool = False
    flip_x: bool = False
    flip_y: bool = False

    @property
    def mirrored(self) -> bool:
        """Whether the stored picture is mirrored left to right before it is turned."""
        return self.transposed ^ self.flip_x ^ self.flip_y

    @property
    def degrees(self) -> int:
        """By how much the stored picture is turned clockwise, after mirroring: 0, 90, 180 or 270."""
        if self.transposed:
            return 90 if self.flip_x else 270
        return 180 if self.flip_y else 0

    def apply(self, picture: Picture) -> Picture:
        """(height, width, …) as stored → a view of it as shown."""
        if self.transposed:
            picture = picture.swapaxes(0, 1)
        return picture[:: -1 if self.flip_y else 1, :: -1 if self.flip_x else 1]


UPRIGHT: Final = Turn()


def display_turn(frame: VideoFrame) -> Turn:
    """How the stored picture is turned and mirrored to be shown."""
    data = cast(Mapping[str, Buffer], frame.side_data).get("DISPLAYMATRIX")
    return UPRIGHT if data is None else turn_of(np.frombuffer(bytes(data), np.int32).tolist())


def turn_of(matrix: Sequence[int]) -> Turn:
    """What a display matrix does. Only quarter turns and mirrors occur in pictures."""
    # x' = a·x + c·y, y' = b·x + d·y (ISO/IEC 14496-12, 6.2.2)
    a, b, _, c, d = matrix[:5]
    if abs(b) > abs(a):
        return Turn(True, c < 0, b < 0)
    return Turn(False, a < 0, d < 0)


def square_size(stream: VideoStream, frame: VideoFrame) -> tuple[int, int]:
    """(width, height) of the stored picture with square pixels: the height stays, the width follows (even)."""
    aspect = stream.sample_aspect_ratio
    if not aspect or aspect == 1:
        return frame.width, frame.height
    return max(2, 2 * round(frame.width * float(aspect) / 2)), frame.height
