"""The library without a screen: what finished renders, other programs, full disks and impatient people do to it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from studio.core.notices import Notices
from studio.jobs import Job, JobState, Target
from studio.jobs.library import Entry, Library, LibraryError, Query
from studio.jobs.library import library as library_module
from studio.jobs.library.marks import marks_of, read_marks
from studio.media.workers import Workers
from tests.helpers.jobs import bench, small_shot
from tests.helpers.media_factory import clicks, write_clip
from tests.helpers.results import write_result


@asynccontextmanager
async def library(folder: Path, workers: Workers, notices: Notices | None = None) -> AsyncIterator[Library]:
    made = Library(workers, notices or Notices())
    made.start(folder)
    if folder.is_dir():
        await made.scan(folder)
    try:
        yield made
    finally:
        await made.aclose()


async def all_of(made: Library, **query: object) -> list[Entry]:
    return await made.entries(list(await made.find(Query(**query))))  # type: ignore[arg-type]


async def until_changed(made: Library, condition: object) -> None:
    changed = asyncio.Event()
    forget = made.entry_changed.subscribe(lambda _entry: changed.set())
    async with asyncio.timeout(90):
        while not await condition():  # type: ignore[operator]
            changed.clear()
            await changed.wait()
    forget()


async def test_a_render_comes_in_once_wherever_it_goes(tmp_path: Path, workers: Workers) -> None:
    async with bench() as b, library(tmp_path / "out", workers) as made:
        job = await b.service.submit(small_shot(), Target(), out_dir=tmp_path / "out")
        done: Job = await b.service.wait(job.id)
        assert done.state is JobState.DONE and done.video is not None
        await made.add(done)
        await made.add(done)
        [entry] = await all_of(made)
        assert (entry.video, entry.rehearsal, entry.frames, entry.seed) == (done.video, True, 107, 7)

        async def looked_over() -> bool:
            return (await all_of(made))[0].flaws is not None

        await until_changed(made, looked_over)
        assert (await all_of(made))[0].flaws == ()
        assert await made.trash([entry.id]) == [entry.id]
        await made.add(done)
        assert not done.video.exists() and await all_of(made) == []
        assert len(await all_of(made, trashed=True)) == 1
        assert await made.empty_trash() == 1
        await made.add(done)
        assert await all_of(made) == [] == await all_of(made, trashed=True)


async def test_the_thumbnail_is_made_once_and_follows_the_content(tmp_path: Path, workers: Workers) -> None:
    video = write_clip(tmp_path / "a.mp4", frames=30, size=(256, 256))
    write_result(video, sha256="ab" * 32)
    async with library(tmp_path, workers) as made:
        [entry] = await all_of(made)
        path = await made.thumbnails.get(entry)
        assert path is not None and path.read_bytes().startswith(b"\xff\xd8")
        await made.trash([entry.id])
        [trashed] = await all_of(made, trashed=True)
        assert await made.thumbnails.get(trashed) == path


async def test_what_is_wrong_with_a_result_is_kept(tmp_path: Path, workers: Workers) -> None:
    write_result(write_clip(tmp_path / "silent.mp4", frames=30, sound=clicks(1.2, level=0.0)), created=2.0)
    write_result(tmp_path / "broken.mp4", data=b"no video at all", created=1.0)
    async with library(tmp_path, workers) as made:
        for entry in await all_of(made):
            made.look_over_soon(entry.id)

        async def both() -> bool:
            return len(await all_of(made, faulty=True)) == 2

        await until_changed(made, both)
    async with library(tmp_path, workers) as again:
        silent, broken = await all_of(again, faulty=True)
        assert [flaw.code for flaw in silent.flaws or ()] == ["health.silent"]
        assert broken.flaws is not None and broken.flaws[0].text().startswith("broken.mp4")


async def test_marks_that_cannot_be_written_are_kept_in_the_index_and_said(
    tmp_path: Path, workers: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_video: Path, _marks: object) -> None:
        raise PermissionError(13, "Permission denied")  # root, who runs some test machines, may write anywhere

    monkeypatch.setattr(library_module, "write_marks", refuse)
    video, notices = write_result(tmp_path / "a.mp4"), Notices()
    async with library(tmp_path, workers, notices) as made:
        [entry] = await all_of(made)
        for star in (True, False, True):
            await made.mark([entry.id], lambda marks, star=star: marks.but(star=star))  # type: ignore[misc]
        assert (await all_of(made))[0].marks.star and not marks_of(video).exists()
    assert [notice.message.code for notice in notices.recent] == ["library.marks_unwritable"]


async def test_one_that_cannot_move_does_not_keep_the_others(tmp_path: Path, workers: Workers) -> None:
    for name in ("a", "b", "c"):
        write_result(tmp_path / f"{name}.mp4")
    async with library(tmp_path, workers) as made:
        (tmp_path / "b.mp4").unlink()
        with pytest.raises(LibraryError, match=r"b\.mp4 cannot be moved"):
            await made.trash([entry.id for entry in await all_of(made)])
        assert {entry.video.stem for entry in await all_of(made, trashed=True)} == {"a", "c"}
        [gone] = await all_of(made)
        assert await made.notice_missing(gone)
        assert await made.delete([gone.id]) == [gone.id] and await all_of(made) == []


async def test_only_the_trash_is_deleted_for_good(tmp_path: Path, workers: Workers) -> None:
    video = write_result(tmp_path / "a.mp4")
    async with library(tmp_path, workers) as made:
        [entry] = await all_of(made)
        assert await made.delete([entry.id]) == [] and video.exists()


async def test_the_index_is_filled_again_after_it_was_deleted(tmp_path: Path, workers: Workers, own_home: Path) -> None:
    video = write_result(tmp_path / "out" / "a.mp4")
    async with library(tmp_path / "out", workers) as made:
        [entry] = await all_of(made)
        await made.mark([entry.id], lambda marks: marks.but(star=True, tags=("x",)))
        await made.trash([entry.id])
    (own_home / ".local/share/h3studio/library.sqlite").unlink()
    async with library(tmp_path / "out", workers) as again:
        changed = asyncio.Event()
        again.changed.subscribe(lambda _none: changed.set())
        async with asyncio.timeout(30):
            while not (found := await all_of(again, trashed=True)):
                await changed.wait()
                changed.clear()
        assert found[0].marks.star and found[0].marks.tags == ("x",)
        await again.restore([found[0].id])
    assert video.exists() and read_marks(video).star


async def test_reading_a_folder_can_be_given_up(tmp_path: Path, workers: Workers) -> None:
    for n in range(600):
        write_result(tmp_path / "many" / f"{n}.mp4")
    async with library(tmp_path / "nothing", workers) as made:
        told: list[int] = []
        task = asyncio.ensure_future(made.scan(tmp_path / "many", told.append))
        async with asyncio.timeout(60):
            while not told:
                await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert 0 < len(await all_of(made)) <= 600


async def test_how_much_room_everything_takes(tmp_path: Path, workers: Workers, own_home: Path) -> None:
    write_result(tmp_path / "a.mp4", data=b"x" * 1000)
    write_result(tmp_path / "b.mp4", data=b"x" * 500)
    (own_home / ".cache/h3studio/frames").mkdir(parents=True)
    (own_home / ".cache/h3studio/frames/one").write_bytes(b"x" * 70)
    async with library(tmp_path, workers) as made:
        await made.trash([e.id for e in await all_of(made) if e.video.stem == "b"])
        usage = await made.usage(tmp_path)
    assert (usage.results, usage.trash, usage.cache) == (1000, 500, 70) and usage.free > 0


async def test_a_video_is_marked_whether_the_index_knows_it_or_not(tmp_path: Path, workers: Workers) -> None:
    known = write_result(tmp_path / "results" / "a.mp4")
    async with library(tmp_path / "results", workers) as made:
        elsewhere = write_result(tmp_path / "elsewhere" / "b.mp4")
        for video in (known, elsewhere):
            marks = await made.mark_video(video, lambda marks: marks.but(star=True))
            assert marks.star and read_marks(video) == marks
        [entry] = await all_of(made)
        assert entry.marks.star


async def test_marks_made_at_once_are_all_kept(tmp_path: Path, workers: Workers) -> None:
    video = write_result(tmp_path / "a.mp4")
    async with library(tmp_path, workers) as made:
        [entry] = await all_of(made)
        await asyncio.gather(
            made.mark([entry.id], lambda marks: marks.but(star=True)),
            made.mark([entry.id], lambda marks: marks.but(tags=("x",))),
            made.mark([entry.id], lambda marks: marks.but(notes="n")),
        )
        assert (await all_of(made))[0].marks == read_marks(video)
    kept = read_marks(video)
    assert kept.star and kept.tags == ("x",) and kept.notes == "n"
