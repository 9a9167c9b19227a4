"""The way of one picture from how it is stored to how it is shown or sent: 8-bit SDR BT.709, limited range."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

import av
from av.filter import Graph
from av.video.reformatter import ColorRange, Colorspace

from studio.media.colour import Colour
from studio.media.hdr import cube

if TYPE_CHECKING:  # the viewer's decoder starts without pydantic
    from studio.contract.facts import Transfer

_SPACES: Final = {
    "bt601": (Colorspace.SMPTE170M, "smpte170m"),
    "bt709": (Colorspace.ITU709, "bt709"),
    "bt2020": (Colorspace.BT2020, "bt2020nc"),
    "smpte240m": (Colorspace.SMPTE240M, "smpte240m"),
    "rgb": (Colorspace.ITU709, "gbr"),
}


Step = tuple[str, str]
"""A filter's name and arguments."""


class PictureFilter:
    """FFmpeg filters for the pictures of one clip. Built at the first picture, and anew when their form changes.

    `before`: steps that come first. Then what is transparent is laid over `ground` ("#rrggbb"; None: nothing is), the
    picture is scaled to `size` (None: it keeps its own) and colours of a `wide` kind (HDR, or BT.2020) become SDR.
    Output: BT.709 limited, yuv420p.
    """

    def __init__(
        self,
        colour: Colour,
        wide: Transfer | None,
        *,
        ground: str | None = None,
        size: tuple[int, int] | None = None,
        before: Callable[[av.VideoFrame], list[Step]] = lambda _: [],
    ) -> None:
        self._colour = colour
        self._table = cube(wide) if wide is not None else None
        self._ground = ground
        self._size = size
        self._before = before
        self._form: tuple[int, int, str] | None = None
        self._graph = Graph()

    def __call__(self, frame: av.VideoFrame) -> av.VideoFrame:
        """The picture as it is shown or sent. `frame` gets the colour tags that the clip's rule gives it."""
        space, _ = _SPACES[self._colour.matrix]
        if self._colour.matrix != "rgb":
            frame.colorspace = space
        frame.color_range = ColorRange.JPEG if self._colour.full_range else ColorRange.MPEG
        frame.pts = 0
        form = (frame.width, frame.height, frame.format.name)
        if form != self._form:
            self._form = form
            with TemporaryDirectory(prefix="h3studio-") as folder:
                self._graph = self._built(frame, Path(folder))
        self._graph.vpush(frame)
        made = self._graph.vpull()
        made.colorspace, made.color_range = Colorspace.ITU709, ColorRange.MPEG
        return made

    def _built(self, frame: av.VideoFrame, folder: Path) -> Graph:
        graph = Graph()
        layout = frame.format.name
        source = f"video_size={frame.width}x{frame.height}:pix_fmt={layout}:time_base=1/24:pixel_aspect=1/1"
        _, space = _SPACES[self._colour.matrix]
        source += f":colorspace={space}:range={'pc' if self._colour.full_range else 'tv'}"
        last = graph.add("buffer", source)
        for name, args in [*self._before(frame), *self._steps(folder)]:
            node = graph.add(name, args)
            last.link_to(node)
            last = node
        last.link_to(graph.add("buffersink"))
        graph.configure()
        return graph

    def _steps(self, folder: Path) -> list[Step]:
        steps = _laid_over(self._ground) if self._ground is not None else []
        size = "flags=bicubic" if self._size is None else f"{self._size[0]}:{self._size[1]}:flags=bicubic"
        to_709 = "out_color_matrix=bt709:out_range=tv"
        if self._table is None:
            steps.append(("scale", f"{size}:{to_709}"))
        else:
            table = folder / "sdr.cube"
            table.write_text(self._table)
            steps += [
                ("scale", size),
                ("format", "gbrp12le"),
                ("lut3d", f"file={_escaped(table)}:interp=tetrahedral"),
                ("scale", to_709),
            ]
        return [*steps, ("format", "yuv420p"), ("setsar", "1")]


def _laid_over(ground: str) -> list[Step]:
    """Alpha over a colour: the picture times its opacity, then the colour times what is left to see through."""
    steps = [("format", "gbrap"), ("premultiply", "inplace=1")]
    if ground != "#000000":
        red, green, blue = (level / 255 for level in bytes.fromhex(ground[1:]))
        through = f"ra={red:.6f}:ga={green:.6f}:ba={blue:.6f}"
        steps += [("lutrgb", "r=val:g=val:b=val:a=negval"), ("colorchannelmixer", through)]
    return steps


def _escaped(path: Path) -> str:
    # Twice: once for the option, once for the filter's argument list.
    text = str(path)
    for mark in "\\':":
        text = text.replace(mark, "\\" + mark)
    return "".join("\\" + c if c in "\\'[],;" else c for c in text)
