"""The picture of each job: a moment of its video once that is there, before that what it is made from."""

from __future__ import annotations

import logging
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

from PySide6.QtCore import QObject
from PySide6.QtGui import QImage

from studio.core.errors import StudioError
from studio.core.tasks import TaskScope
from studio.jobs import Job, JobState
from studio.media.thumbs import thumbnail
from studio.media.workers import Workers
from ui.widgets.small_pictures import SmallPictures

log = logging.getLogger(__name__)

_EDGE: Final = 192
"""Longest side in pixels: sharp in a row at twice the usual pixel density."""
_READERS: Final = 1
"""Of the few workers, the others are for what somebody waits for."""
_AT_S: Final = 1.0
"""As in the library: a render's first pictures may still be the reference's."""


class _Sight(NamedTuple):
    """What a picture is of."""

    path: Path
    seconds: float
    ground: str | None


class JobPictures(SmallPictures):
    """By what they show, so that jobs of one reference share its picture."""

    def __init__(self, workers: Workers, scope: TaskScope, parent: QObject | None = None) -> None:
        super().__init__(scope, _READERS, parent)
        self._workers = workers

    def of(self, job: Job) -> QImage | None:
        """A job's picture; a null image when it has none, None while that is not known."""
        shown: QImage | None = QImage()
        for sight in _sights(job):  # the second while the first is read, or when its file is gone
            image = self.get(sight, partial(self._read, sight))
            if image is not None and not image.isNull():
                return image
            shown = None if image is None else shown
        return shown

    async def _read(self, sight: _Sight) -> QImage:
        try:
            png = await thumbnail(self._workers, sight.path, edge=_EDGE, at=sight.seconds, ground=sight.ground)
        except StudioError as error:
            log.info("no picture of %s: %s", sight.path.name, error.code)
            return QImage()
        return QImage.fromData(png)


def _sights(job: Job) -> list[_Sight]:
    sights = []
    if job.state is JobState.DONE and job.video is not None:
        sights.append(_Sight(job.video, _AT_S, None))
    seen = sorted((r for r in job.shot.sent() if r.kind != "audio"), key=lambda r: r.kind != "video")
    if seen:
        sights.append(_Sight(seen[0].path, seen[0].start, seen[0].preparation.ground))
    return sights
