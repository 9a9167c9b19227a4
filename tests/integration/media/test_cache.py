"""Prepared files are kept, found again, given up when their source changes, and never half there."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from studio.contract.facts import MediaFacts
from studio.contract.shot import Reference
from studio.core import paths
from studio.media.cache import Cache, prepared
from studio.media.errors import MediaError
from studio.media.prepare import prepare
from studio.media.probe import probe_file
from studio.media.workers import Workers
from tests.helpers.dead_mount import OnDeadMount
from tests.helpers.media_factory import write_clip
from tests.helpers.waiting import until


def clip(path: Path, frames: int = 48) -> tuple[MediaFacts, Reference]:
    write_clip(path, frames=frames, fps=30)
    return probe_file(path), Reference(id="v1", path=path, kind="video")


def everything(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


async def test_the_same_wish_is_prepared_once(workers: Workers, tmp_path: Path) -> None:
    facts, reference = clip(tmp_path / "a.mp4")
    first = await prepared(workers, facts, reference)
    assert first.output.is_relative_to(paths.cache_dir() / "prepared")
    made_at = first.output.stat().st_mtime_ns
    again = await prepared(workers, facts, reference.model_copy(update={"id": "other"}))
    assert again == first and again.output.stat().st_mtime_ns == made_at
    trimmed = await prepared(workers, facts, reference.model_copy(update={"end": 1.0}))
    assert trimmed.output != first.output and trimmed.sha256 != first.sha256


async def test_a_changed_source_is_noticed_and_prepared_anew(workers: Workers, tmp_path: Path) -> None:
    facts, reference = clip(tmp_path / "a.mp4")
    first = await prepared(workers, facts, reference)
    fresh, _ = clip(tmp_path / "a.mp4", frames=60)
    with pytest.raises(MediaError) as caught:
        await prepared(workers, facts, reference)
    assert caught.value.code == "media.changed" and "a.mp4" in caught.value.text()
    assert (await prepared(workers, fresh, reference)).sha256 != first.sha256
    (tmp_path / "a.mp4").unlink()
    with pytest.raises(MediaError) as caught:
        await prepared(workers, fresh, reference)
    assert caught.value.code == "media.missing"


async def test_two_studios_make_one_entry(workers: Workers, tmp_path: Path) -> None:
    facts, reference = clip(tmp_path / "a.mp4")
    folder = tmp_path / "cache"
    one, two = await asyncio.gather(*(Cache(folder).get(workers, facts, reference) for _ in range(2)))
    assert one.output == two.output and one.output.exists()
    assert len(list(folder.iterdir())) == 1


async def test_a_torn_entry_and_a_dead_studio_s_leftovers_are_replaced(workers: Workers, tmp_path: Path) -> None:
    facts, reference = clip(tmp_path / "a.mp4")
    cache = Cache(tmp_path / "cache")
    first = await cache.get(workers, facts, reference)
    first.output.write_bytes(b"half")
    dead = await asyncio.create_subprocess_exec("true")
    await dead.wait()
    leftover = cache.folder / f".{dead.pid}.abc"
    leftover.mkdir()
    again = await cache.get(workers, facts, reference)
    assert again.output.stat().st_size == again.facts.size_bytes
    assert not leftover.exists()


async def test_the_longest_unused_go_first(workers: Workers, tmp_path: Path) -> None:
    facts, reference = clip(tmp_path / "a.mp4")
    cache = Cache(tmp_path / "cache")
    made = [await cache.get(workers, facts, reference.model_copy(update={"end": end})) for end in (0.5, 1.0, 1.5)]
    for age, entry in ((300, made[0]), (200, made[1]), (100, made[2])):
        os.utime(entry.output.parent, (entry.output.stat().st_mtime - age,) * 2)
    await cache.get(workers, facts, reference.model_copy(update={"end": 0.5}))
    tight = Cache(cache.folder, limit=sum(m.facts.size_bytes for m in made) + 6_000)
    await tight.get(workers, facts, reference)
    assert made[0].output.exists() and not made[1].output.exists()


async def test_a_mount_that_died_since_the_file_was_added_is_said(
    workers: Workers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("studio.media.disk.ANSWER_S", 0.5)
    facts, reference = clip(tmp_path / "a.mp4")
    gone = facts.model_copy(update={"path": OnDeadMount(facts.path)})
    with pytest.raises(MediaError) as caught:
        await Cache(tmp_path / "cache").get(workers, gone, reference)
    assert caught.value.code == "media.io" and "a.mp4" in caught.value.text()


async def test_cancelling_leaves_nothing(workers: Workers, tmp_path: Path) -> None:
    facts, reference = clip(tmp_path / "a.mp4", frames=600)
    reached: list[float] = []
    task = asyncio.create_task(prepare(workers, facts, reference, tmp_path / "out", progress=reached.append))
    await until(lambda: reached and everything(tmp_path / "out"))
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert everything(tmp_path / "out") == []


async def test_a_name_that_is_not_utf_8_is_kept_too(workers: Workers, tmp_path: Path) -> None:
    path = tmp_path / os.fsdecode(b"caf\xff.mp4")
    facts, reference = clip(path)
    first = await prepared(workers, facts, reference)
    assert await prepared(workers, facts, reference) == first


async def test_a_folder_that_cannot_be_written_is_said(workers: Workers, tmp_path: Path) -> None:
    facts, reference = clip(tmp_path / "a.mp4")
    (tmp_path / "file").touch()
    with pytest.raises(MediaError) as caught:
        await prepare(workers, facts, reference, tmp_path / "file" / "out")
    assert caught.value.code == "media.read_only" and str(tmp_path) in caught.value.text()
