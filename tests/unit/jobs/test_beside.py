"""What the queue does beside rendering: keeping the machine awake, looking at folders, salvaging, naming faults."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from studio.client import VideoJob
from studio.core import paths
from studio.jobs import Awake, places, salvage
from studio.jobs.faults import failure


class Desktop:
    """Stands for the desktop that is asked not to sleep."""

    def __init__(self) -> None:
        self.said: list[str] = []
        self.threads: set[int] = set()

    @contextlib.contextmanager
    def hold(self) -> Iterator[None]:
        self._note("awake")
        yield
        self._note("may sleep")

    def _note(self, text: str) -> None:
        self.said.append(text)
        self.threads.add(threading.get_ident())


async def test_the_machine_is_kept_awake_once_and_let_go() -> None:
    desktop = Desktop()
    awake = Awake(desktop.hold)
    for wanted in (True, True, False, False, True):
        awake.want(wanted)
    await awake.aclose()
    assert desktop.said == ["awake", "may sleep", "awake", "may sleep"]
    assert len(desktop.threads) == 1 and threading.get_ident() not in desktop.threads


async def test_a_desktop_that_refuses_is_no_trouble(caplog: pytest.LogCaptureFixture) -> None:
    def refuse() -> contextlib.AbstractContextManager[None]:
        raise RuntimeError("no bus")

    awake = Awake(refuse)
    awake.want(True)
    await awake.aclose()
    assert "could not be kept awake" in caplog.text


RESOLVED = {"width": 1344, "height": 768, "frames": 362, "quality": None}


def test_folders_are_looked_at_before_a_render(tmp_path: Path) -> None:
    assert places.before_render(tmp_path / "not there yet" / "deep", RESOLVED) == []
    (tmp_path / "file").touch()
    blocked = places.trouble(tmp_path / "file" / "results", 1)
    assert blocked is not None and blocked.code == "place.no_folder"
    full = places.trouble(tmp_path, 1 << 60)
    assert full is not None and full.code == "place.full" and "MiB free" in full.text()
    assert not (tmp_path / "not there yet").exists()


def test_a_read_only_file_system_is_said() -> None:
    found = places.trouble(Path("/proc/h3"), 1)
    assert found is not None and found.code in ("place.read_only", "place.full")


def test_lossless_wants_more_room() -> None:
    assert places.expected_bytes(RESOLVED | {"quality": "lossless"}) > 5 * places.expected_bytes(RESOLVED)


def test_a_render_is_found_in_a_servers_folder_by_its_whole_id_only() -> None:
    folder = paths.data_dir() / "storage" / "minimax-h3"
    folder.mkdir(parents=True)
    (folder / "video_gen_0123456789abcdef").write_bytes(b"mp4")
    assert salvage.find("video_gen_0123456789abcdef") == folder / "video_gen_0123456789abcdef"
    assert salvage.find("video_gen_0123456789abcde") is None
    assert salvage.find("../../../etc/passwd") is None
    assert salvage.find(None) is None


@pytest.mark.parametrize(
    ("said", "code"),
    [
        ("CUDA out of memory. Tried to allocate 12.00 GiB", "job.out_of_memory"),
        ("Stage-0 has no live replica", "job.engine_dead"),
        ("AsyncOmni inline diffusion engine is dead", "job.engine_dead"),
        ("DiffusionExecutor is closed.", "job.engine_dead"),
        ("cuDNN error: no valid engine configs found", "job.too_many_rows"),
        ("MiniMax H3 output duration must be in [4, 15] seconds", "job.failed_there"),
    ],
)
def test_what_the_server_says_is_put_into_a_kind(said: str, code: str) -> None:
    job = VideoJob.model_validate({"id": "v", "status": "failed", "error": {"code": 500, "message": said}})
    error = failure(job)
    assert error.code == code and said in error.text()
