"""Interlaced pictures → progressive ones, one for each, with the same times. One rule for viewing and sending."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Final

import av
from av.filter import Graph
from av.video.frame import VideoFrame

LOOK_AT: Final = 6
"""Pictures from which it is told whether a clip is interlaced."""


def is_interlaced(first: Iterable[VideoFrame]) -> bool:
    """Whether a clip that begins with these pictures has interlaced ones."""
    return any(frame.interlaced_frame for frame in first)


class Deinterlacer:
    """FFmpeg's bwdif over pictures in the order in which they are shown; what is progressive passes as it is.

    A picture comes out when the next one goes in.
    """

    def __init__(self) -> None:
        self._graph: Graph | None = None
        self._form: tuple[int, int, str] | None = None

    def __call__(self, frame: VideoFrame) -> list[VideoFrame]:
        """What comes out when `frame` goes in."""
        done: list[VideoFrame] = []
        form = (frame.width, frame.height, frame.format.name)
        if self._graph is None or form != self._form:
            done = self.rest()
            self._graph, self._form = _graph(frame), form
        self._graph.vpush(frame)
        return [*done, *_pulled(self._graph)]

    def rest(self) -> list[VideoFrame]:
        """What is still inside, after the last picture."""
        graph, self._graph = self._graph, None
        if graph is None:
            return []
        graph.vpush(None)
        return list(_pulled(graph))

    def all_of(self, frames: Iterable[VideoFrame]) -> Iterator[VideoFrame]:
        """All the pictures of a clip, progressive."""
        for frame in frames:
            yield from self(frame)
        yield from self.rest()


def _graph(frame: VideoFrame) -> Graph:
    graph = Graph()
    source = f"video_size={frame.width}x{frame.height}:pix_fmt={frame.format.name}:time_base={frame.time_base}"
    source += f":colorspace={int(frame.colorspace)}:range={int(frame.color_range)}"
    graph.link_nodes(
        graph.add("buffer", source), graph.add("bwdif", "mode=send_frame:deint=interlaced"), graph.add("buffersink")
    )
    graph.configure()
    return graph


def _pulled(graph: Graph) -> Iterator[VideoFrame]:
    while True:
        try:
            frame = graph.vpull()
        except (av.BlockingIOError, av.EOFError):
            return
        if frame.pts is not None and frame.time_base is not None:
            # The filter counts in half ticks.
            frame.pts, frame.time_base = frame.pts // 2, frame.time_base * Fraction(2)
        yield frame
