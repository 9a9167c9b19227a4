"""A fixture checkpoint with each fault planted, and a machine with each want."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from studio.server import doctor, profiles
from studio.server.doctor.check import Level
from studio.server.doctor.checkpoint import _SMALL, check_checkpoint, download_command
from studio.server.launch import Place
from studio.server.machine import GIB, Machine, process_name, read
from studio.server.profiles import Runtime
from tests.helpers.standins import Nvml, install
from tests.helpers.waiting import until_now

COMBINED = profiles.find("rtxpro6000x2-combined-fp8-quadlet")
FL2VA = profiles.find("rtxpro6000x2-bf16")
REF2VA = profiles.find("gb10-ref2va-fp8")


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def part(root: Path, name: str, *, minimal: bool = False) -> None:
    folder = root / name
    index = {"_class_name": "X", "_diffusers_version": "1", "_minimax_h3": {"partition": name.lower()}}
    write(folder / "model_index.json", json.dumps(index))
    for sub in ("transformer",) if minimal else ("transformer", "text_encoder"):
        shards = {f"layer.{n}": f"model-{n:05d}.safetensors" for n in range(3)}
        write(folder / sub / "model.safetensors.index.json", json.dumps({"weight_map": shards}))
        for shard in shards.values():
            write(folder / sub / shard, "weights")
    for name in _SMALL if not minimal else ("transformer/config.json",):
        write(folder / name, "{}")
    if not minimal:
        write(folder / "video_vae" / "weights.safetensors", "weights")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A whole combined checkpoint."""
    folder = tmp_path / "MiniMax-H3"
    write(folder / "model_index.json", json.dumps({"_class_name": "X", "_diffusers_version": "1"}))
    part(folder, "FL2VA")
    part(folder, "Ref2VA", minimal=True)
    return folder


def codes(profile: profiles.Profile, root: Path) -> list[str]:
    checks = list(check_checkpoint(profile, str(root)))
    assert all("{" not in text.text() for c in checks for text in (c.message, c.mend) if text is not None)
    return [check.message.code.removeprefix("doctor.model.") for check in checks]


def test_a_whole_checkpoint(root: Path) -> None:
    assert codes(COMBINED, root) == codes(FL2VA, root) == ["whole"]
    assert codes(REF2VA, root) == ["missing"], "a minimal Ref2VA works only beside FL2VA"


FAULTS: dict[str, tuple[Callable[[Path], object], list[str]]] = {
    "root index": (lambda r: (r / "model_index.json").unlink(), ["root_index"]),
    "root index damaged": (lambda r: write(r / "model_index.json", "{"), ["root_index"]),
    "modular index": (lambda r: write(r / "modular_model_index.json", "{}"), ["modular_index"]),
    "part index": (lambda r: (r / "FL2VA/model_index.json").unlink(), ["part_index"]),
    "wrong part": (lambda r: shutil.copy(r / "FL2VA/model_index.json", r / "Ref2VA/model_index.json"), ["part_index"]),
    "misnamed": (lambda r: (r / "FL2VA").rename(r / "fl2va"), ["part_misnamed"]),
    "no part": (lambda r: shutil.rmtree(r / "Ref2VA"), ["no_part"]),
    "shard": (lambda r: (r / "FL2VA/transformer/model-00001.safetensors").unlink(), ["missing"]),
    "empty shard": (lambda r: write(r / "Ref2VA/transformer/model-00001.safetensors", ""), ["missing"]),
    "shard index": (lambda r: (r / "FL2VA/text_encoder/model.safetensors.index.json").unlink(), ["missing"]),
    "small file": (lambda r: (r / "FL2VA/processor/vocab.json").unlink(), ["missing"]),
    "VAE weights": (lambda r: (r / "FL2VA/video_vae/weights.safetensors").unlink(), ["missing"]),
    "pointer": (
        lambda r: write(r / "FL2VA/audio_vae/model.safetensors", "version https://git-lfs.github.com/spec/v1\n"),
        ["pointers"],
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_found(root: Path, fault: str) -> None:
    plant, expected = FAULTS[fault]
    plant(root)
    assert codes(COMBINED, root) == expected


def test_the_missing_file_is_named(root: Path) -> None:
    (root / "FL2VA/processor/vocab.json").unlink()
    check = next(check_checkpoint(COMBINED, str(root)))
    assert "processor/vocab.json" in check.message.text()
    assert check.command == download_command(COMBINED, str(root))
    assert check.command.count("--include") == 4


def test_a_minimal_part_cannot_be_served_by_itself(root: Path) -> None:
    alone = COMBINED.model_copy(update={"args": (*COMBINED.args, "--task-type", "ref2va")})
    assert codes(COMBINED, root) == ["whole"] and codes(alone, root) == ["missing"]


def test_a_folder_that_is_none(root: Path) -> None:
    assert [c.message.code for c in check_checkpoint(COMBINED, "")] == ["doctor.model.unset"]
    assert codes(COMBINED, root / "nowhere") == ["no_folder"]
    assert codes(FL2VA, root / "FL2VA") == ["partition_given"]


def there(nvml: Nvml | None) -> Machine:
    """This machine with the cards of a test and plenty of memory."""
    return replace(read(nvml), ram_total=512 * GIB, ram_available=500 * GIB)


def level(nvml: Nvml | None, code: str, profile: profiles.Profile = FL2VA, **place: object) -> Level | None:
    checks = doctor.examine(profile, Place("/m", **place), there(nvml))  # type: ignore[arg-type]
    assert [check.level for check in checks] == sorted((check.level for check in checks), reverse=True)
    assert all("{" not in text.text() for c in checks for text in (c.message, c.mend) if text is not None)
    return next((check.level for check in checks if check.message.code == code), None)


def test_cards_and_driver() -> None:
    assert level(None, "fit.no_gpu") is Level.FAIL
    assert level(Nvml(), "doctor.gpus") is Level.PASS
    assert level(Nvml(driver="550.54"), "doctor.driver_old") is Level.WARN
    assert level(Nvml(count=1), "fit.gpus") is Level.FAIL
    full = Nvml()
    full.held[1] = 60 * GIB
    assert level(full, "doctor.vram_low") is Level.WARN


def test_port_and_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        assert level(Nvml(), "doctor.port_taken", port=taken.getsockname()[1]) is Level.FAIL
    monkeypatch.setenv("PATH", "/nowhere")
    assert level(Nvml(), "doctor.no_program") is Level.FAIL
    assert level(Nvml(), "doctor.no_ffmpeg") is Level.WARN
    assert level(Nvml(), "doctor.no_ffmpeg", REF2VA) is Level.FAIL, "it renders from clips alone"


def test_a_card_that_shares_the_machine_s_memory_is_said_to_do_so() -> None:
    assert level(Nvml(unified=True, count=1, capability=(12, 1)), "doctor.unified", REF2VA) is Level.PASS
    assert level(Nvml(), "doctor.unified") is None


def test_a_worker_without_its_server_is_named(tmp_path: Path) -> None:
    title, sleep = "vLLM-Omni::DiffusionWorker_TP0", "import time; time.sleep(60)"
    started = (
        "import subprocess, sys\n"
        "print(subprocess.Popen(sys.argv[1:], executable=sys.executable, env={}, stdout=subprocess.DEVNULL).pid)"
    )
    served = subprocess.Popen([title, "-c", sleep], executable=sys.executable, env={})
    argv = [sys.executable, "-c", started, title, "-c", sleep]
    done = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True, start_new_session=True)
    lost = int(done.stdout)
    cards = Nvml()
    try:
        until_now(lambda: {process_name(pid) for pid in (served.pid, lost)} == {title}, "their titles")
        until_now(lambda: psutil.Process(lost).ppid() != os.getpid(), "the loss")
        cards.held = {served.pid: GIB}
        assert level(cards, "doctor.worker_there") is None, "its server is there"
        cards.held = {lost: GIB}
        assert level(cards, "doctor.worker_there") is Level.WARN
    finally:
        served.kill()
        served.wait()
        os.kill(lost, signal.SIGKILL)


def test_a_container_wants_podman_and_a_session(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)
    checks = doctor.examine(COMBINED, Place("/m"), there(Nvml()), container=True)
    found = {check.message.code: check.level for check in checks}
    assert "doctor.container_path" not in found
    odd = COMBINED.model_copy(update={"runtime": Runtime(container_model="/models/h3")})
    checks = doctor.examine(odd, Place("/m"), there(Nvml()), container=True)
    assert Level.WARN in [check.level for check in checks if check.message.code == "doctor.container_path"]
    assert found["doctor.no_podman"] is found["doctor.no_session"] is Level.FAIL


@pytest.mark.parametrize(
    ("version", "code"), [("5.4.2", "podman"), ("4.3.1", "podman_old"), ("no number", "podman_silent")]
)
def test_podman_must_know_quadlets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str, code: str) -> None:
    (install(tmp_path, monkeypatch) / "podman-version").write_text(version)
    checks = doctor.examine(COMBINED, Place("/m"), there(Nvml()), container=True)
    assert f"doctor.{code}" in [check.message.code for check in checks]
