"""A fixture checkpoint with each fault planted, and a machine with each want."""

from __future__ import annotations

import json
import shutil
import socket
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from studio.server import doctor, profiles
from studio.server.doctor.check import Level
from studio.server.doctor.checkpoint import _SMALL, check_checkpoint, download_command
from studio.server.launch import Place
from studio.server.machine import GIB, Machine, read
from tests.helpers.standins import Nvml, install

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


def test_a_container_wants_podman_and_a_session(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)
    checks = doctor.examine(COMBINED, Place("/m"), there(Nvml()), container=True)
    found = {check.message.code: check.level for check in checks}
    assert found["doctor.no_podman"] is found["doctor.no_session"] is Level.FAIL


@pytest.mark.parametrize(
    ("version", "code"), [("5.4.2", "podman"), ("4.3.1", "podman_old"), ("no number", "podman_silent")]
)
def test_podman_must_know_quadlets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str, code: str) -> None:
    (install(tmp_path, monkeypatch) / "podman-version").write_text(version)
    checks = doctor.examine(COMBINED, Place("/m"), there(Nvml()), container=True)
    assert f"doctor.{code}" in [check.message.code for check in checks]
