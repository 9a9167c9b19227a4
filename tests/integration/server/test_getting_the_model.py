"""The model's download against a local stand-in hub: what breaks off goes on, what is refused is explained."""

from __future__ import annotations

import asyncio
import json
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path

import psutil
import pytest

from studio.core.errors import StudioError
from studio.core.program import own_argv
from studio.server.doctor import Level
from studio.server.doctor.checkpoint import check_checkpoint
from studio.server.model import Download, Progress
from studio.server.model import download as download_module
from studio.server.profiles import Profile
from tests.helpers.standins.hub import LARGE, Hub, hub
from tests.helpers.waiting import until

pytestmark = pytest.mark.timeout(300)  # programs of their own start slowly on a busy machine

COMBINED = Profile(id="c", title="", partition="combined")


@pytest.fixture
async def there(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> AsyncIterator[Hub]:
    async with hub() as made:
        monkeypatch.setenv("HF_ENDPOINT", made.url)
        monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
        monkeypatch.setenv("HF_HUB_DOWNLOAD_TIMEOUT", "1")
        monkeypatch.setenv("NO_PROXY", "*")
        yield made


def whole(folder: Path, files: dict[str, bytes]) -> bool:
    return all((folder / name).read_bytes() == data for name, data in files.items() if (folder / name).exists())


async def test_every_interruption_goes_on_where_it_stopped(
    there: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(download_module, "STALLED_AFTER", 0.4)
    monkeypatch.setattr(download_module, "_LOOK_EVERY", 0.1)
    for fault, name in (
        ("truncate", LARGE),
        ("stall", LARGE),
        ("truncate", "FL2VA/transformer/model-00002-of-00002.safetensors"),
        ("damage", "Ref2VA/transformer/model-00001-of-00002.safetensors"),
        ("500", "FL2VA/text_encoder/model-00001-of-00002.safetensors"),
    ):
        there.faults[name].append(fault)
    seen: list[Progress] = []
    download = Download("combined", tmp_path / "H3")
    download.changed.subscribe(seen.append)
    await download.run()
    assert whole(tmp_path / "H3", there.files)
    assert [check.message.code for check in check_checkpoint(COMBINED, str(tmp_path / "H3"))] == ["doctor.model.whole"]
    starts = [first for name, first in there.asked if name == LARGE]
    assert (starts[0], len(starts)) == (0, 3)
    assert 0 < starts[1] <= starts[2]
    assert not list(tmp_path.rglob("*.part"))
    assert not (tmp_path / "H3" / "transformer").exists()  # other consumers' weights
    assert not list((tmp_path / "H3" / "Ref2VA").glob("text_encoder"))
    assert seen[-1].done == seen[-1].size == download.progress.size > 0
    assert seen[-1].ended
    assert any(progress.stalled for progress in seen)


def fetches(child: psutil.Process) -> bool:
    """Whether a process is a download that still works."""
    try:
        return child.is_running() and "fetch" in child.cmdline()
    except psutil.NoSuchProcess:  # gone, or ended and not yet asked for its exit code
        return False


async def test_ended_half_way_it_goes_on_in_the_next_run(there: Hub, tmp_path: Path) -> None:
    there.slow = 0.05
    download = Download("FL2VA", tmp_path)
    task = asyncio.ensure_future(download.run())
    await until(lambda: any(first == 0 and name == LARGE for name, first in there.asked), "the first shard")
    await until(lambda: any(path.stat().st_size for path in tmp_path.rglob("*.part")), "bytes of it")
    children = psutil.Process().children()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not [child for child in children if fetches(child)]
    there.slow = 0.0
    there.asked.clear()
    await Download("FL2VA", tmp_path).run()
    assert whole(tmp_path, there.files)
    assert any(first > 0 for _, first in there.asked)
    assert len(there.asked) < len([name for name in there.files if name.startswith("FL2VA/")])  # not all anew


async def test_a_missing_small_file_is_found_by_name(there: Hub, tmp_path: Path) -> None:
    await Download("combined", tmp_path).run()
    (tmp_path / "Ref2VA" / "model_index.json").unlink()
    found = [check for check in check_checkpoint(COMBINED, str(tmp_path)) if check.level is Level.FAIL]
    assert "Ref2VA/model_index.json" in found[0].message.text()
    there.asked.clear()
    await Download("combined", tmp_path).run()
    assert [name for name, _ in there.asked] == ["Ref2VA/model_index.json"]
    del there.files["model_index.json"]
    with pytest.raises(StudioError, match=r"model_index\.json"):
        await Download("combined", tmp_path / "other").run()


@pytest.mark.parametrize(
    ("status", "code", "sentence"),
    [(401, "GatedRepo", "model.gated"), (403, "GatedRepo", "model.refused"), (401, "RepoNotFound", "model.login")],
)
async def test_what_is_refused_is_explained(there: Hub, tmp_path: Path, status: int, code: str, sentence: str) -> None:
    there.refuses, there.code = status, code
    with pytest.raises(StudioError) as told:
        await Download("FL2VA", tmp_path).run()
    assert told.value.code == sentence
    assert told.value.mend == f"{sentence}.mend"


async def test_a_file_that_is_refused_half_way_ends_it_with_what_is_there(there: Hub, tmp_path: Path) -> None:
    there.faults[LARGE] += ["truncate", "403"]
    with pytest.raises(StudioError) as told:
        await Download("FL2VA", tmp_path).run()
    assert told.value.code == "model.refused"
    await Download("FL2VA", tmp_path).run()
    assert whole(tmp_path, there.files)


async def test_too_small_a_disk_is_said_first(there: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    there.files = {**there.files, "FL2VA/huge.bin": _Huge()}
    with pytest.raises(StudioError) as told:
        await Download("FL2VA", tmp_path).run()
    assert told.value.code == "model.no_room"
    assert told.value.params["wanted"] == pytest.approx(1 << 30, rel=0.01)
    assert not there.asked


async def test_the_command_line_fetches_and_checks(there: Hub, tmp_path: Path) -> None:
    argv = own_argv("model", "get", "combined", str(tmp_path), "--json")
    done = await asyncio.to_thread(subprocess.run, argv, capture_output=True, text=True, check=False)
    plain = json.loads(done.stdout)
    assert (done.returncode, plain["ok"], plain["checks"][0]["code"]) == (0, True, "doctor.model.whole")
    assert "model_index.json: whole" in done.stderr


class _Huge(bytes):
    """A file that says it is an exbibyte long."""

    def __len__(self) -> int:
        return 1 << 60
