"""The doctor's rarer checks."""

from __future__ import annotations

from pathlib import Path

import pytest

from studio.server.deploy_file import with_deploy_file
from studio.server.doctor import Level, examine
from studio.server.doctor.rare import (
    check_cards_state,
    check_launch_extras,
    check_shared_memory_of,
    check_system,
)
from studio.server.launch import Place, plan
from studio.server.machine import GIB, read
from studio.server.profiles import find
from tests.helpers.standins import Nvml, install

SERVER_A = find("rtxpro6000x8-two-servers-fl2va")
STAGES = find("disagg-6gpu")


def codes(nvml: Nvml) -> list[str]:
    return [check.message.code for check in check_cards_state(read(nvml))]


def test_cards_that_are_as_they_should_be_are_not_mentioned() -> None:
    assert codes(Nvml()) == []
    assert read(Nvml()).cuda == (13, 0)


@pytest.mark.parametrize(
    ("nvml", "code", "command"),
    [
        (Nvml(cuda=12080, count=1), "doctor.cuda_apart", ""),
        (Nvml(mig=True, count=1), "doctor.mig", "sudo nvidia-smi -i 0 -mig 0"),
        (Nvml(power=(300_000, 600_000), count=1), "doctor.power", "sudo nvidia-smi -i 0 -pl 600"),
    ],
)
def test_what_was_set_on_a_card_is_told_with_its_command(nvml: Nvml, code: str, command: str) -> None:
    (check,) = check_cards_state(read(nvml))
    assert (check.message.code, check.command) == (code, command)
    assert check.mend is not None and "{" not in check.message.text() + check.mend.text()


def test_a_little_less_power_is_no_news() -> None:
    assert codes(Nvml(power=(575_000, 600_000))) == []


def proc(folder: Path, version: str = "Linux version 6.1.0", huge: int = 0) -> Path:
    (folder / "version").write_text(version)
    lines = ("MemTotal:       1000000 kB", f"HugePages_Free:    {huge}", "Hugepagesize:       2048 kB")
    (folder / "meminfo").write_text("\n".join(lines))
    return folder


def test_wsl_and_huge_pages(tmp_path: Path) -> None:
    assert not list(check_system(proc(tmp_path)))
    assert not list(check_system(tmp_path / "nowhere"))
    found = list(check_system(proc(tmp_path, "Linux 5.15-microsoft-standard-WSL2", huge=200)))
    assert [check.message.code for check in found] == ["doctor.wsl", "doctor.hugepages"]
    assert "0.4 GB" in found[1].message.text()


def test_a_container_has_64_mb_unless_it_was_made_with_more() -> None:
    (small,) = check_shared_memory_of("h3", 64 << 20, "private")
    assert (small.level, small.command) == (Level.FAIL, "--shm-size 32g")
    for size, ipc in ((32 * GIB, "private"), (0, "host")):
        (good,) = check_shared_memory_of("h3", size, ipc)
        assert good.level is Level.PASS


def test_the_cards_and_the_node_of_a_place_go_before_the_profile_s() -> None:
    own = plan(SERVER_A, Place("/m"))
    assert own.env["CUDA_VISIBLE_DEVICES"] == "0,2,1,3"
    assert own.argv[:3] == ("numactl", "--cpunodebind=0", "--membind=0")
    launch = plan(SERVER_A, Place("/m", devices="4,5,6,7", numa=1))
    assert launch.env["CUDA_VISIBLE_DEVICES"] == "4,5,6,7"
    assert launch.argv[:3] == ("numactl", "--cpunodebind=1", "--membind=1")
    assert not list(check_launch_extras(launch))
    (few,) = check_launch_extras(plan(SERVER_A, Place("/m", devices="0,1")))
    assert few.level is Level.FAIL


def test_stages_need_six_cards_and_their_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, monkeypatch)
    checks = examine(STAGES, Place("/m", port=1), read(Nvml(count=4)))
    assert {"fit.gpus", "doctor.no_deploy"} <= {check.message.code for check in checks}
    file = tmp_path / "lib/python3.12/site-packages/vllm_omni/deploy/minimax_h3_disaggregated.yaml"
    file.parent.mkdir(parents=True)
    file.write_text("stages: []\n")
    launch = plan(STAGES, Place("/m", port=1))
    (there,) = check_launch_extras(launch)
    assert there.level is Level.PASS and "6 cards" in there.message.text()
    assert str(file) in with_deploy_file(launch.argv)
    bound = plan(STAGES, Place("/m", port=1, numa=0))
    assert str(file) in with_deploy_file(bound.argv)
    assert with_deploy_file(("vllm", "serve")) == ("vllm", "serve")
