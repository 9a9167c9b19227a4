"""The program as people script it: real processes, signals, exit codes, one JSON object on stdout."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest
from PIL import Image

from studio.core.children import clean_environment
from studio.core.paths import data_dir
from studio.jobs import Fault, JobState, JobStore
from studio.presets.shot_file import save_shot
from studio.server import records
from tests.helpers.jobs import small_shot
from tests.helpers.media_factory import clicks, write_clip
from tests.helpers.waiting import until_now

PROGRAM = [str(Path(sys.executable).parent / "h3studio")]


def run(*words: str, expect: int = 0) -> Any:
    """One verb with --json; its answer. Fails on a traceback or another exit code."""
    done = subprocess.run([*PROGRAM, *words, "--json"], capture_output=True, text=True, env=clean_environment())
    assert "Traceback" not in done.stderr, done.stderr
    assert done.returncode == expect, done.stderr + done.stdout
    return json.loads(done.stdout) if done.stdout else None


@pytest.fixture(autouse=True)
def no_servers_left(own_home: Path) -> Iterator[None]:
    """Ends the servers that a test left on purpose."""
    yield
    for record in records.living():
        record.process.send(signal.SIGTERM)
        until_now(lambda record=record: not record.process.alive(), "the server to end")


def lives(process: psutil.Process) -> bool:
    """Whether a process runs; a zombie does not."""
    try:
        return bool(process.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


class Running:
    """A verb that runs, with what it said so far."""

    def __init__(self, tmp_path: Path, *words: str) -> None:
        self.log = tmp_path / f"stderr-{words[0]}.txt"
        with self.log.open("wb") as err, (tmp_path / "stdout.txt").open("wb") as out:
            self.process = subprocess.Popen(
                [*PROGRAM, *words], stdout=out, stderr=err, env=clean_environment(), start_new_session=True
            )

    @property
    def said(self) -> str:
        return self.log.read_text()

    def until_said(self, text: str) -> None:
        until_now(lambda: text in self.said or self.process.poll() is not None, f"“{text}” in: {self.said}")
        assert text in self.said, self.said

    def interrupt(self) -> int:
        """Ctrl+C as a terminal sends it: to the program and its workers alike. Nothing of it may be left."""
        children = psutil.Process(self.process.pid).children(recursive=True)
        os.killpg(self.process.pid, signal.SIGINT)
        code = self.process.wait(timeout=30)
        assert "Traceback" not in self.said, self.said
        until_now(lambda: not any(map(lives, children)), f"the end of {children}", within=5)
        return code


@pytest.fixture
def shot(tmp_path: Path) -> Path:
    path = tmp_path / "kite.h3shot"
    save_shot(small_shot(steps=40), path)
    return path


@pytest.fixture
def server(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[str]:
    """A rehearsal server that somebody else runs, with the faults that a test asks for."""
    log = (tmp_path / "server.log").open("wb")
    words = ["rehearse", "--port", "0", "--step-seconds", "0.1", "--exit-with-parent"]
    for fault in getattr(request, "param", ()):
        words += ["--fail", fault]
    with (
        log,
        subprocess.Popen([*PROGRAM, *words], stdout=subprocess.PIPE, stderr=log, env=clean_environment()) as server,
    ):
        try:
            assert server.stdout is not None
            yield json.loads(server.stdout.readline())["url"]
        finally:
            server.terminate()


def test_files_are_prepared_side_by_side_and_never_over_their_sources(tmp_path: Path) -> None:
    for folder, colour in (("a", (255, 0, 0, 0)), ("b", (0, 255, 0, 0)), ("ready", (0, 0, 255, 0))):
        (tmp_path / folder).mkdir()
        Image.new("RGBA", (300, 300), colour).save(tmp_path / folder / "still.png")
    sources = [str(tmp_path / folder / "still.png") for folder in ("a", "b", "ready")]
    before = Path(sources[2]).read_bytes()
    made = run("prepare", *sources, "--ground", "#2060C0", "-o", str(tmp_path / "ready"))["files"]
    names = [Path(entry["output"]).name for entry in made]
    assert names == ["still-2.png", "still-3.png", "still-4.png"], "beside a source that has the name itself"
    assert Path(sources[2]).read_bytes() == before
    for name in names:
        with Image.open(tmp_path / "ready" / name) as image:
            assert image.getpixel((9, 9)) == (0x20, 0x60, 0xC0)
    (refused,) = run("prepare", sources[0], "--for", "video", "-o", str(tmp_path / "ready"), expect=2)["files"]
    assert "still.png is of the kind image" in refused["error"]["message"]


def test_the_whole_way_by_verbs(tmp_path: Path) -> None:
    clip = write_clip(tmp_path / "clip.mp4", size=(320, 256), fps=30, frames=150, sound=clicks(5.0))
    probed = run("probe", str(clip))["files"][0]
    assert (probed["kind"], probed["video"]["fps"], probed["error"]) == ("video", 30.0, None)
    prepared = run("prepare", str(clip), "-o", str(tmp_path / "ready"))["files"][0]
    assert prepared["ok"] and prepared["after"]["video"]["fps"] == 24.0
    assert prepared["output"] == str(tmp_path / "ready" / "clip.mp4")
    shot = tmp_path / "a.h3shot"
    made = run(
        *("shot", "new", "--task", "ref2va", "--prompt", "make <Video 1> snowy", "--reference", str(clip)),
        *("--width", "256", "--height", "256", "--steps", "4", "--seed", "5", "-o", str(shot)),
    )
    assert made["frames"] == 124
    checked = run("check", str(shot))
    assert checked["ok"] and checked["labels"] == ["<Audio 1>", "<Video 1>"]
    assert checked["resolved"]["frames"] == 124 and checked["cost"]["rows_total"] > 0
    done = run("render", str(shot), "--rehearsal", "--step-seconds", "0.01", "-o", str(tmp_path / "out"))
    assert done["verified"]["frames"] == 124
    assert Path(done["video"]).exists() and Path(done["sidecar"]).exists()
    compared = run("compare", str(clip), done["video"], "--export", str(tmp_path / "sheet.png"))
    assert compared["verdict"] not in ("identical", "re-encode")
    assert (tmp_path / "sheet.png").stat().st_size > 0
    assert [job["state"] for job in run("jobs", "list")["jobs"]] == ["done"]
    assert not records.living(), "the rehearsal server of a command line ends with it"


def test_findings_are_a_no_and_bad_input_is_bad_usage(tmp_path: Path) -> None:
    short = write_clip(tmp_path / "short.mp4", frames=24)
    shot = tmp_path / "short.h3shot"
    run("shot", "new", "--prompt", "x", "--reference", str(short), "-o", str(shot))
    found = run("check", str(shot), expect=1)
    assert not found["ok"]
    errors = [f for f in found["findings"] if f["severity"] == "error"]
    assert errors and errors[0]["mends"] and errors[0]["params"]["is"] == pytest.approx(1.0)
    refused = run("render", str(shot), "--rehearsal", expect=1)
    assert refused["state"] == "failed" and refused["findings"][0]["code"] == errors[0]["code"]
    (tmp_path / "no.h3shot").write_text("not a shot")
    assert run("check", str(tmp_path / "no.h3shot"), expect=2)["error"]["code"] == "shot.damaged"
    assert run("probe", str(tmp_path / "gone.mp4"), expect=2)["files"][0]["error"]["message"]
    assert run("jobs", "show", "nope", expect=2)["error"]["code"] == "job.unknown"


def test_a_prompt_with_a_place_to_fill_in_is_stopped_as_in_the_window(tmp_path: Path) -> None:
    shot = tmp_path / "begun.h3shot"
    run("shot", "new", "--task", "t2va", "--prompt", "It is [[winter]] in a town", "-o", str(shot))
    found = run("check", str(shot), expect=1)["findings"]
    assert [(f["code"], f["severity"]) for f in found] == [("prompt.place", "error")]


def test_ctrl_c_before_the_post_cancels(tmp_path: Path) -> None:
    clip = write_clip(tmp_path / "long.mp4", size=(1280, 720), fps=60, frames=800, options={"preset": "ultrafast"})
    shot = tmp_path / "long.h3shot"
    run("shot", "new", "--prompt", "x", "--reference", str(clip), "-o", str(shot))
    running = Running(tmp_path, "render", str(shot), "--rehearsal", "-o", str(tmp_path / "out"))
    running.until_said("preparing")
    assert running.interrupt() == 130
    assert [job["state"] for job in run("jobs", "list")["jobs"]] == ["cancelled"]
    assert not list(data_dir().rglob("*.part"))


def test_ctrl_c_after_the_post_leaves_the_job_and_resume_fetches_it(tmp_path: Path, shot: Path, server: str) -> None:
    running = Running(tmp_path, "render", str(shot), "--server", server, "-o", str(tmp_path / "out"))
    running.until_said("running")
    assert running.interrupt() == 130
    job = run("jobs", "list")["jobs"][0]
    assert f"jobs resume {job['id']}" in running.said and f"jobs cancel {job['id']}" in running.said
    assert not (tmp_path / "out").exists()
    done = run("jobs", "resume", job["id"])
    assert Path(done["video"]).parent == tmp_path / "out"
    assert done["verified"]["frames"] == 107


def test_ctrl_c_of_a_rehearsal_cancels_it_and_ends_its_server(tmp_path: Path, shot: Path) -> None:
    running = Running(tmp_path, "render", str(shot), "--rehearsal", "--step-seconds", "0.5", "-o", str(tmp_path))
    running.until_said("running")
    assert running.interrupt() == 130
    assert run("jobs", "list")["jobs"][0]["state"] == "cancelled"
    assert not records.living()


def test_a_second_ctrl_c_does_not_wait_and_the_job_is_known(tmp_path: Path, shot: Path) -> None:
    running = Running(tmp_path, "render", str(shot), "--rehearsal", "--step-seconds", "300", "-o", str(tmp_path))
    running.until_said("running")
    os.killpg(running.process.pid, signal.SIGINT)
    running.until_said("Ctrl+C again")
    until_now(lambda: run("jobs", "list")["jobs"][0]["state"] == "cancelling", "the cancelling to be on record")
    assert running.interrupt() == 130
    job = run("jobs", "list")["jobs"][0]
    assert job["state"] == "cancelling" and f"jobs cancel {job['id']}" in running.said
    assert not records.living(), "with --rehearsal the server ends as well"
    assert run("jobs", "cancel", job["id"])["state"] == "cancelled"


@pytest.mark.parametrize("server", [["slow=20000"]], indirect=True)
def test_ctrl_c_in_the_download_keeps_what_came_and_resume_fetches_the_rest(
    tmp_path: Path, shot: Path, server: str
) -> None:
    out = tmp_path / "out"
    running = Running(tmp_path, "render", str(shot), "--server", server, "-o", str(out))
    running.until_said("downloading")
    until_now(lambda: any(p.stat().st_size for p in out.glob("*.part")), "the first bytes")
    assert running.interrupt() == 130
    assert [p.suffix for p in out.iterdir()] == [".part"], "nothing half has a final name"
    httpx.put(f"{server}/_rehearsal/faults", json={"faults": []}).raise_for_status()
    done = run("jobs", "resume", run("jobs", "list")["jobs"][0]["id"])
    assert done["verified"]["frames"] == 107
    assert sorted(p.suffix for p in out.iterdir()) == [".csv", ".json", ".mp4"]


@pytest.mark.parametrize("server", [["slow_answer=0.7"]], indirect=True)
def test_ctrl_c_in_the_upload_leaves_no_job_behind(tmp_path: Path, shot: Path, server: str) -> None:
    running = Running(tmp_path, "render", str(shot), "--server", server, "-o", str(tmp_path / "out"))
    running.until_said("uploading")
    assert running.interrupt() == 130
    assert run("jobs", "list")["jobs"][0]["state"] == "cancelled"
    assert httpx.get(f"{server}/v1/videos", timeout=10).json()["data"] == []


def test_detach_returns_after_the_post(tmp_path: Path, shot: Path, server: str) -> None:
    job = run("render", str(shot), "--server", server, "--detach", "-o", str(tmp_path / "out"))
    assert job["video"] is None
    done = run("jobs", "resume")["jobs"]
    assert [j["state"] for j in done] == ["done"]
    assert len(list((tmp_path / "out").glob("*.mp4"))) == 1


def test_of_two_renders_that_could_be_it_one_is_taken(tmp_path: Path, shot: Path, server: str) -> None:
    job_id = run("render", str(shot), "--server", server, "--detach", "-o", str(tmp_path / "out"))["job"]
    store = JobStore()
    job = store.get(job_id)
    assert job is not None
    httpx.post(f"{server}/v1/videos", data=dict(job.wire)).raise_for_status()
    # As it stands in the store when the answer to the upload was lost.
    fault = Fault(code="job.ambiguous", params={"count": 2, "id": job_id}, mend="job.ambiguous.mend")
    store.move(job, JobState.FAILED, fault.code, fault=fault, remote_id=None)
    store.close()
    assert f"jobs candidates {job_id}" in run("jobs", "show", job_id)["fault"]["message"]
    found = run("jobs", "candidates", job_id)["candidates"]
    assert [one["prompt"] for one in found] == ["a red kite over the sea"] * 2
    done = run("jobs", "take", job_id, found[0]["id"])
    assert done["verified"]["frames"] == 107 and Path(done["video"]).parent == tmp_path / "out"
    assert run("jobs", "candidates", job_id, expect=1)["error"]["code"] == "job.not_ambiguous"


def test_kill_9_in_mid_denoise_is_not_noticed_by_the_server(tmp_path: Path, shot: Path) -> None:
    out = tmp_path / "out"
    running = Running(tmp_path, "render", str(shot), "--rehearsal", "--step-seconds", "0.1", "-o", str(out))
    running.until_said("running")
    bar = next(iter(records.living())).stderr
    until_now(lambda: b"H3STEP||2|" in bar.read_bytes(), "the second step")
    running.process.kill()
    running.process.wait()
    assert [r.process.alive() for r in records.living()] == [True]
    job = run("jobs", "list")["jobs"][0]
    assert job["state"] == "running"
    done = run("jobs", "resume", job["id"])
    assert done["verified"]["frames"] == 107
    assert b"H3STEP||40|40|" in bar.read_bytes()
    assert sorted(p.suffix for p in out.iterdir()) == [".csv", ".json", ".mp4"]
    assert not records.living(), "the server that the killed command left ends with its last job"


def test_cancel_from_another_process(tmp_path: Path, shot: Path, server: str) -> None:
    save_shot(small_shot(steps=100), shot)
    running = Running(tmp_path, "render", str(shot), "--server", server, "-o", str(tmp_path / "out"))
    running.until_said("running")
    job = run("jobs", "list")["jobs"][0]
    assert run("jobs", "cancel", job["id"])["state"] == "cancelled"
    assert running.process.wait(timeout=20) == 1


def test_the_core_never_loads_qt() -> None:
    code = (
        "import importlib, pkgutil, sys, studio\n"
        "for m in pkgutil.walk_packages(studio.__path__, 'studio.'):\n"
        "    m.name.endswith('__main__') or importlib.import_module(m.name)\n"
        "assert not [n for n in sys.modules if n.startswith(('PySide6', 'pyqtgraph', 'ui'))]\n"
        "import os; assert not [n for n in os.environ if n.startswith('QT_QPA_')], 'cv2 left its variables'"
    )
    env = {k: v for k, v in os.environ.items() if not k.startswith("QT_")}
    subprocess.run([sys.executable, "-c", code], check=True, env=env)
