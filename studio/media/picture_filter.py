"""The way of one picture from how it is stored to how it is sent: upright, cropped, scaled, 8-bit BT.709 limited."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import av
from av.filter import Graph
from av.video.reformatter import ColorRange, Colorspace

from studio.contract.facts import VideoFacts
from studio.contract.shot import Crop
from studio.media.colour import Colour

_SPACES: Final = {
    "bt601": (Colorspace.SMPTE170M, "smpte170m"),
    "bt709": (Colorspace.ITU709, "bt709"),
    "bt2020": (Colorspace.BT2020, "bt2020nc"),
    "smpte240m": (Colorspace.SMPTE240M, "smpte240m"),
    "rgb": (Colorspace.ITU709, "gbr"),
}


class PictureFilter:
    """FFmpeg filters for the pictures of one clip. Built at the first picture, and anew when their form changes.

    `table` is the `.cube` file for HDR or BT.2020 sources, else None. Output: `width` × `height`, yuv420p.
    """

    def __init__(
        self, video: VideoFacts, crop: Crop | None, width: int, height: int, colour: Colour, table: Path | None
    ) -> None:
        self._video = video
        self._crop = crop
        self._size = (width, height)
        self._colour = colour
        self._table = table
        self._form: tuple[int, int, str] | None = None
        self._graph = Graph()

    def __call__(self, frame: av.VideoFrame) -> av.VideoFrame:
        """The picture as it is sent. `frame` gets the colour tags that the clip's rule gives it."""
        space, _ = _SPACES[self._colour.matrix]
        if self._colour.matrix != "rgb":
            frame.colorspace = space
        frame.color_range = ColorRange.JPEG if self._colour.full_range else ColorRange.MPEG
        frame.pts = 0
        form = (frame.width, frame.height, frame.format.name)
        if form != self._form:
            self._form = form
            self._graph = self._built(frame)
        self._graph.vpush(frame)
        made = self._graph.vpull()
        made.colorspace, made.color_range = Colorspace.ITU709, ColorRange.MPEG
        return made

    def _built(self, frame: av.VideoFrame) -> Graph:
        graph = Graph()
        layout = frame.format.name
        source = f"video_size={frame.width}x{frame.height}:pix_fmt={layout}:time_base=1/24:pixel_aspect=1/1"
        _, space = _SPACES[self._colour.matrix]
        source += f":colorspace={space}:range={'pc' if self._colour.full_range else 'tv'}"
        last = graph.add("buffer", source)
        for name, args in self._steps(frame):
            node = graph.add(name, args)
            last.link_to(node)
            last = node
        last.link_to(graph.add("buffersink"))
        graph.configure()
        return graph

    def _steps(self, frame: av.VideoFrame) -> list[tuple[str, str]]:
        steps = self._upright()
        if self._crop is not None:
            turned = self._video.rotation in (90, 270)
            size = (frame.height, frame.width) if turned else (frame.width, frame.height)
            steps.append(("crop", _crop_args(self._crop, *size)))
        if self._video.alpha:
            steps += [("format", "gbrap"), ("premultiply", "inplace=1")]
        width, height = self._size
        if self._table is None:
            steps.append(("scale", f"{width}:{height}:flags=bicubic:out_color_matrix=bt709:out_range=tv"))
        else:
            steps += [
                ("scale", f"{width}:{height}:flags=bicubic"),
                ("format", "gbrp12le"),
                ("lut3d", f"file={_escaped(self._table)}:interp=tetrahedral"),
                ("scale", "out_color_matrix=bt709:out_range=tv"),
            ]
        return [*steps, ("format", "yuv420p"), ("setsar", "1")]

    def _upright(self) -> list[tuple[str, str]]:
        steps = [("hflip", "")] if self._video.mirrored else []
        match self._video.rotation:
            case 90:
                steps.append(("transpose", "clock"))
            case 180:
                steps += [("hflip", ""), ("vflip", "")]
            case 270:
                steps.append(("transpose", "cclock"))
        return steps


def _crop_args(crop: Crop, width: int, height: int) -> str:
    w, h = max(2, round(width * crop.width)), max(2, round(height * crop.height))
    return f"{w}:{h}:{round(width * crop.x)}:{round(height * crop.y)}:exact=1"


def _escaped(path: Path) -> str:
    # Twice: once for the option, once for the filter's argument list.
    text = str(path)
    for mark in "\\':":
        text = text.replace(mark, "\\" + mark)
    return "".join("\\" + c if c in "\\'[],;" else c for c in text)
