"""One picture as it is measured: G, B and R as they are shown, each a plane of its own, and luma as it was coded."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from av.filter import Graph
from av.video.frame import VideoFrame

from studio.media._cv import cv2
from studio.media.colour import Colour, pixels

Bytes = npt.NDArray[np.uint8]

_WHOLE = 32
"""swscale's fast way to planes leaves the last columns unwritten at widths that its vectors do not divide."""


@dataclass(frozen=True, slots=True)
class Planes:
    """Not interleaved, a picture is a quarter less memory to go through."""

    gbr: tuple[Bytes, ...]
    """(H, W) each: G, B and R, full range."""
    luma: Bytes
    """(H, W) 8 bit, limited range: what ffmpeg's psnr and ssim filters call Y."""


class PlaneConverter:
    """`Colour.bgra` of many pictures, for one thread, as planes in buffers that are used again.

    Memory that is taken anew for each picture is a page fault for every 4 KB of it, which can cost as much as the
    conversion; FFmpeg's filters have a pool.
    """

    def __init__(self) -> None:
        self._graphs: dict[tuple[Colour, int, int, int, int], Graph] = {}

    def __call__(self, colour: Colour, frame: VideoFrame, width: int, height: int) -> tuple[Bytes, ...]:
        """G, B and R of the picture at that size, (height, width) uint8 each, full range."""
        same = (frame.width, frame.height) == (width, height)
        if not same or frame.format.name != "yuv420p" or width % _WHOLE or height % 2:
            b, g, r, _ = cv2.split(colour.bgra(frame, width, height))
            return tuple(np.asarray(plane, np.uint8) for plane in (g, b, r))
        form = (colour, width, height, int(frame.colorspace), int(frame.color_range))
        graph = self._graphs.get(form) or self._graphs.setdefault(form, _graph(*form))
        graph.vpush(frame)
        return tuple(pixels(plane) for plane in graph.vpull().planes)


def _graph(colour: Colour, width: int, height: int, space: int, color_range: int) -> Graph:
    """What `Colour.bgra` does where swscale goes pixel by pixel: from 8-bit 4:2:0, at the same size."""
    graph = Graph()
    graph.threads = 1
    source = f"video_size={width}x{height}:pix_fmt=yuv420p:time_base=1/24:colorspace={space}:range={color_range}"
    matrix = f"in_color_matrix={colour.matrix}:out_color_matrix={colour.matrix}"
    ranges = f"in_range={'pc' if colour.full_range else 'tv'}:out_range=pc"
    graph.link_nodes(
        graph.add("buffer", source),
        graph.add("scale", f"flags=bilinear:{matrix}:{ranges}"),
        graph.add("format", "pix_fmts=gbrp"),
        graph.add("buffersink"),
    )
    graph.configure()
    return graph
