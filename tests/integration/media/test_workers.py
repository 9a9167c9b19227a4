"""Worker processes: what a job does to one, the program and the next job do not feel."""

from __future__ import annotations

import asyncio
import ctypes
import os
import sys
import threading
from pathlib import Path

import psutil
import pytest

from studio.media.errors import MediaError
from studio.media.workers import Progress, Workers
from tests.helpers.waiting import until


def add(a: int, b: int) -> int:
    return a + b


def leave() -> None:
    os._exit(3)


def touch_nowhere() -> None:
    ctypes.string_at(0)


def sleep_in_c(mark: Path) -> None:
    """Blocks outside Python, as a decoder that hangs does."""
    mark.write_text(str(os.getpid()))
    ctypes.CDLL(None).sleep(60)


def wait_once(mark: Path) -> str:
    if mark.exists():
        return "the second time"
    mark.with_suffix(".new").write_text(str(os.getpid()))
    mark.with_suffix(".new").rename(mark)
    threading.Event().wait(60)
    return "the first time"


def eat_memory() -> int:
    return len(bytearray(8 << 30))


def unpicklable() -> None:
    class Odd(Exception):
        def __init__(self, a: int, b: int) -> None:
            super().__init__("odd")

    raise Odd(1, 2)


def count(progress: Progress, steps: int) -> int:
    for step in range(steps):
        progress.set((step + 1) / steps)
        threading.Event().wait(0.15)
    return steps


def surroundings() -> tuple[list[str], list[str], int]:
    loaded = [name for name in sys.modules if name.split(".")[0] in ("PySide6", "ui")]
    return loaded, [name for name in os.environ if name == "QT_QPA_FONTDIR"], os.nice(0)


async def test_a_job_gives_its_result(workers: Workers) -> None:
    assert await workers.run(add, 2, 3, timeout=20) == 5


@pytest.mark.parametrize("job", [leave, touch_nowhere])
async def test_a_crash_is_an_error_and_the_next_job_works(workers: Workers, job: object) -> None:
    with pytest.raises(MediaError) as caught:
        await workers.run(job, timeout=20)  # type: ignore[arg-type]
    assert caught.value.code == "media.worker_died"
    assert await workers.run(add, 1, 1, timeout=20) == 2


async def test_a_hang_is_ended_and_the_next_job_works(workers: Workers, tmp_path: Path) -> None:
    with pytest.raises(MediaError) as caught:
        await workers.run(sleep_in_c, tmp_path / "pid", timeout=2)
    assert caught.value.code == "media.timeout" and "2 s" in caught.value.text()
    assert await workers.run(add, 1, 1, timeout=20) == 2
    assert not psutil.pid_exists(int((tmp_path / "pid").read_text()))


@pytest.mark.parametrize(("job", "code"), [(eat_memory, "media.memory"), (unpicklable, "media.broken")])
async def test_other_failures_are_told_in_our_words(workers: Workers, job: object, code: str) -> None:
    with pytest.raises(MediaError) as caught:
        await workers.run(job, timeout=20)  # type: ignore[arg-type]
    assert caught.value.code == code
    assert await workers.run(add, 1, 1, timeout=20) == 2


async def test_workers_that_were_killed_between_jobs_cost_none(workers: Workers) -> None:
    worker = psutil.Process(await workers.run(os.getpid, timeout=20))
    worker.kill()
    assert await workers.run(add, 1, 1, timeout=20) == 2


async def test_it_goes_on_without_the_process_that_workers_are_forked_from(tmp_path: Path) -> None:
    workers = Workers()
    try:
        task = asyncio.create_task(workers.run(wait_once, tmp_path / "mark", timeout=60))
        await until((tmp_path / "mark").exists)
        source = psutil.Process(int((tmp_path / "mark").read_text())).parent()
        assert source is not None and source.ppid() == os.getpid()
        source.kill()
        assert await task == "the second time"
    finally:
        await workers.aclose()


async def test_cancelling_kills_the_worker(workers: Workers, tmp_path: Path) -> None:
    mark = tmp_path / "pid"
    task = asyncio.create_task(workers.run(sleep_in_c, mark, timeout=60))
    await until(lambda: mark.exists() and mark.read_text() != "")
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not psutil.pid_exists(int(mark.read_text()))
    assert await workers.run(add, 1, 1, timeout=20) == 2


async def test_progress_rises_to_the_end(workers: Workers) -> None:
    heard: list[float] = []
    assert await workers.run(count, 4, timeout=20, progress=heard.append) == 4
    assert heard == sorted(heard) and heard[-1] == 1.0 and len(heard) > 2


async def test_workers_are_polite_and_know_no_screen(workers: Workers, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QT_QPA_FONTDIR", "/nowhere")
    loaded, variables, niceness = await workers.run(surroundings, timeout=20)
    assert loaded == []
    assert variables == []
    assert niceness >= 5


async def test_closing_cancels_and_leaves_no_process(no_children_left: None, tmp_path: Path) -> None:
    workers = Workers()
    jobs = [asyncio.create_task(workers.run(sleep_in_c, tmp_path / str(n), timeout=60)) for n in range(3)]
    await until(lambda: (tmp_path / "0").exists())
    await workers.aclose()
    results = await asyncio.gather(*jobs, return_exceptions=True)
    assert all(isinstance(result, asyncio.CancelledError) for result in results)
    with pytest.raises(RuntimeError):
        await workers.run(add, 1, 1, timeout=1)


HOLDER = """
import asyncio, os, time
from studio.media.workers import Workers

async def main():
    workers = Workers(max_workers=1)
    print(await workers.run(os.getpid, timeout=20), flush=True)
    await workers.run(time.sleep, 60, timeout=60)

if __name__ == "__main__":
    asyncio.run(main())
"""


async def test_workers_do_not_outlive_a_killed_program(tmp_path: Path) -> None:
    (tmp_path / "holder.py").write_text(HOLDER)
    program = await asyncio.create_subprocess_exec(
        sys.executable, str(tmp_path / "holder.py"), stdout=asyncio.subprocess.PIPE
    )
    assert program.stdout is not None
    worker = psutil.Process(int(await program.stdout.readline()))
    program.kill()
    await program.wait()
    await until(lambda: not worker.is_running() or worker.status() == psutil.STATUS_ZOMBIE, within=10)
