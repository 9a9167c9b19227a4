"""The pictures in the list of jobs."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image
from PySide6.QtGui import QColor, QImage
from pytestqt.qtbot import QtBot

from studio.contract import Reference
from studio.core.tasks import TaskScope
from studio.jobs import Job, JobState
from studio.media.workers import Workers
from tests.helpers import barcode
from tests.helpers.jobs import bench, small_shot
from tests.helpers.media_factory import clicks, write_clip, write_sound
from tests.helpers.waiting import until
from ui.queue import QueueModel, QueueWorkspace
from ui.queue.model import PictureRole
from ui.queue.pictures import JobPictures

S = JobState
SIZE = (160, 96)


def reference(path: Path, kind: Any, number: int = 1, **fields: Any) -> Reference:
    return Reference(id=f"r{number}", path=path, kind=kind, **fields)


def a_job(*references: Reference, **fields: object) -> Job:
    shot = small_shot(task="ref2va" if references else "t2va").but(references=references)
    return Job.model_validate({"id": "j1", "created": 1.0, "shot": shot, **fields})


def still(path: Path, colour: str) -> Path:
    Image.new("RGB", SIZE, colour).save(path)
    return path


def frame_in(image: QImage) -> int:
    """The number that a clip's frame carries."""
    plain = image.convertToFormat(QImage.Format.Format_RGB32)
    rows = np.frombuffer(plain.constBits(), np.uint8).reshape(plain.height(), plain.bytesPerLine() // 4, 4)
    return barcode.read(np.ascontiguousarray(rows[:, : plain.width()]))


@asynccontextmanager
async def pictures() -> AsyncIterator[JobPictures]:
    workers, wrong = Workers(), list[Exception]()
    scope = TaskScope("pictures", lambda error, _task: wrong.append(error))
    try:
        yield JobPictures(workers, scope)
    finally:
        await scope.aclose()
        await workers.aclose()
    assert not wrong


async def shown(of: JobPictures, job: Job) -> QImage:
    await until(lambda: of.of(job) is not None, "a picture")
    image = of.of(job)
    assert image is not None
    return image


async def test_it_is_the_moment_where_the_first_clip_begins_whatever_stands_before_it(
    qtbot: QtBot, tmp_path: Path
) -> None:
    clip = write_clip(tmp_path / "boat.mp4", size=SIZE)
    red = reference(still(tmp_path / "red.png", "red"), "image", 2)
    async with pictures() as of:
        both = await shown(of, a_job(red, reference(clip, "video", start=1.5)))
        assert (both.width(), both.height(), frame_in(both)) == (*SIZE, 36)
        alone = await shown(of, a_job(red))
        assert alone.pixelColor(5, 5) == QColor("red")
        aside = await shown(of, a_job(red, reference(clip, "video", set_aside=True)))
        assert aside.pixelColor(5, 5) == QColor("red")


async def test_once_the_video_is_there_it_is_shown_and_until_it_is_read_what_it_was_made_from(
    qtbot: QtBot, tmp_path: Path
) -> None:
    red = reference(still(tmp_path / "red.png", "red"), "image")
    video = write_clip(tmp_path / "made.mp4", size=SIZE, fps=12)
    async with pictures() as of:
        under_way = a_job(red, state=S.DOWNLOADING, video=video)
        assert (await shown(of, under_way)).pixelColor(5, 5) == QColor("red")
        done = a_job(red, state=S.DONE, video=video)
        first = of.of(done)
        assert first is not None and first.pixelColor(5, 5) == QColor("red")
        await until(lambda: (image := of.of(done)) is not None and image.pixelColor(5, 5) != QColor("red"), "its own")
        assert frame_in(await shown(of, done)) == 12
        gone = a_job(red, state=S.DONE, video=tmp_path / "gone.mp4")
        assert (await shown(of, gone)).pixelColor(5, 5) == QColor("red")


async def test_where_nothing_can_be_seen_there_is_none_and_no_file_stops_the_others(
    qtbot: QtBot, tmp_path: Path
) -> None:
    sound = write_sound(tmp_path / "hum.wav", clicks(2), 48_000, "pcm_s16le")
    (tmp_path / "torn.mp4").write_bytes(b"\0\0\0\x18ftypisom" + bytes(200))
    async with pictures() as of:
        assert (await shown(of, a_job())).isNull()
        assert (await shown(of, a_job(reference(sound, "audio")))).isNull()
        assert (await shown(of, a_job(reference(tmp_path / "torn.mp4", "video")))).isNull()
        assert (await shown(of, a_job(reference(tmp_path / "gone.png", "image")))).isNull()
        blue = await shown(of, a_job(reference(still(tmp_path / "blue.png", "blue"), "image")))
        assert blue.pixelColor(5, 5) == QColor("blue")


async def test_the_list_draws_it_beside_the_prompt_with_the_strip_of_a_rehearsal(qtbot: QtBot, tmp_path: Path) -> None:
    red = reference(still(tmp_path / "red.png", "#ff0000"), "image")
    async with bench() as b:
        model = QueueModel(b.service, b.notices)
        view = QueueWorkspace(model)
        qtbot.addWidget(view)
        view.resize(1200, 680)
        view.show()

        def in_row(colour: str) -> int:
            """How many pixels of the first row have the colour."""
            drawn = view.list.viewport().grab(view.list.visualRect(model.jobs.index(0))).toImage()
            wanted = QColor(colour).rgb()
            return sum(drawn.pixel(x, y) == wanted for x in range(drawn.width()) for y in range(drawn.height()))

        b.service.changed.emit(a_job(red))
        await until(lambda: model.jobs.rowCount() and in_row("#ff0000") > 500, "the picture")
        assert isinstance(model.jobs.index(0).data(PictureRole), QImage)
        whole = in_row("#ff0000")
        b.service.changed.emit(a_job(red, state=S.DONE, verified={"rehearsal": True}))
        await until(lambda: in_row("#ff0000") < whole, "the strip")
        assert in_row("#ff0000") > whole // 2
        view.hide()
        await model.aclose()
