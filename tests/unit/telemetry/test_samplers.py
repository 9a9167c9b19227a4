"""Every way of reading cards: what is there is right, what is not is "not reported", and nothing is ever raised."""

from __future__ import annotations

import os
import sys
import textwrap
from pathlib import Path

import psutil
import pynvml
import pytest

from studio.telemetry.readings import Card, GpuReading
from studio.telemetry.samplers import AmdgpuSampler, LocalSampler, NvidiaSmiSampler, NvmlSampler
from studio.telemetry.samplers.nvidia_smi import parse
from studio.telemetry.visible import visible
from tests.helpers.nvml import GIB, H200, FakeNvml, error
from tests.helpers.waiting import until_now

MIB = 1 << 20


def opened(fake: FakeNvml) -> tuple[NvmlSampler, tuple[Card, ...]]:
    sampler = NvmlSampler(lambda: fake)
    return sampler, sampler.open()


def test_a_card_shows_everything_that_nvidia_smi_shows() -> None:
    fake = FakeNvml([{**H200, "held": [(os.getpid(), 19 * GIB), (2**22 + 1, None)], "reasons": 0x20}])
    sampler, cards = opened(fake)
    assert cards == (Card(0, "NVIDIA H200", "GPU-aaaa1111", "00000000:00:00.0", 143_771 * MIB, hot=89),)
    readings = sampler.sample()
    assert readings is not None
    (reading,) = readings
    assert reading.used == 20 * GIB, "the second call's figure, without what the driver reserves"
    assert (reading.utilisation, reading.power, reading.temperature, reading.clock) == (99, 691, 57, 1980)
    assert reading.throttled is True
    assert reading.holders[0].used == 19 * GIB and "python" in reading.holders[0].name
    assert (reading.holders[1].name, reading.holders[1].used) == ("", None)


def test_an_old_driver_is_asked_the_first_way() -> None:
    sampler, _ = opened(FakeNvml([{**H200, "no_v2": True}]))
    for _ in range(2):
        readings = sampler.sample()
        assert readings is not None and readings[0].used == 20 * GIB + 600 * MIB


@pytest.mark.parametrize("how", ["not supported", "zero"])
def test_a_card_that_shares_the_machines_memory_shows_that(how: str) -> None:
    fake = FakeNvml([{"name": "NVIDIA GB10", "total": 0, "used": 0, "uuid": "GPU-1"}])
    if how == "not supported":
        fake.fails["nvmlDeviceGetMemoryInfo"] = error(pynvml.NVML_ERROR_NOT_SUPPORTED)
    sampler, (card,) = opened(fake)
    assert card.unified and card.total == psutil.virtual_memory().total
    readings = sampler.sample()
    assert readings is not None and readings[0].used and readings[0].utilisation == 99


def test_what_a_card_does_not_support_is_asked_once() -> None:
    fake = FakeNvml(fails={"nvmlDeviceGetPowerUsage": error(pynvml.NVML_ERROR_NOT_SUPPORTED)})
    sampler, _ = opened(fake)
    for _ in range(5):
        readings = sampler.sample()
        assert readings is not None and readings[0].power is None and readings[0].temperature == 57
    assert fake.count("nvmlDeviceGetPowerUsage") == 1


def test_a_card_that_falls_off_leaves_the_others() -> None:
    fake = FakeNvml([H200, {**H200, "uuid": "GPU-b"}])
    sampler, _ = opened(fake)
    lost = error(pynvml.NVML_ERROR_GPU_IS_LOST)
    fake.fails = {(name, 0): lost for name in dir(pynvml) if name.startswith("nvmlDevice")}
    readings = sampler.sample()
    assert readings is not None
    assert readings[0] == GpuReading() and readings[1].used == 20 * GIB


def test_a_driver_that_goes_away_is_opened_again_later() -> None:
    fake = FakeNvml()
    sampler, _ = opened(fake)
    fake.fails = {"nvmlDeviceGetMemoryInfo": error(pynvml.NVML_ERROR_DRIVER_NOT_LOADED)}
    assert sampler.sample() is None
    assert sampler.trouble is not None and sampler.trouble.code == "gpu.no_driver"
    fake.fails = {}
    assert len(sampler.open()) == 1 and sampler.sample() and sampler.trouble is None


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (pynvml.NVML_ERROR_LIBRARY_NOT_FOUND, "no NVIDIA driver"),
        (pynvml.NVML_ERROR_LIB_RM_VERSION_MISMATCH, "was updated"),
        (pynvml.NVML_ERROR_UNKNOWN, "the driver said"),
    ],
)
def test_no_driver_is_said_and_nothing_breaks(code: int, said: str) -> None:
    sampler, cards = opened(FakeNvml(init=error(code)))
    assert (cards, sampler.sample()) == ((), None)
    assert sampler.trouble is not None and said in sampler.trouble.text()


def test_a_driver_without_cards_is_said() -> None:
    sampler, cards = opened(FakeNvml([]))
    assert cards == () and sampler.trouble is not None and sampler.trouble.code == "gpu.none"


def test_a_split_card_is_its_instances() -> None:
    fake = FakeNvml([{**H200, "mig": (0, 2)}, {**H200, "uuid": "GPU-b"}])
    sampler, cards = opened(fake)
    assert [card.label for card in cards] == ["0:0", "0:2", "1"]
    assert cards[1].uuid == "MIG-GPU-aaaa1111-2" and cards[1].total == 143_771 * MIB // 2
    assert len(sampler.sample() or ()) == 3
    assert not any("Set" in call for call, _ in fake.calls), "nothing of a card is ever changed"


CARDS = (
    Card(0, "small", "GPU-aaaa1111", "00000000:01:00.0"),
    Card(1, "large", "GPU-bbbb2222", "00000000:02:00.0"),
)
TWINS = tuple(Card(card.index, "same", card.uuid, card.pci) for card in CARDS)


@pytest.mark.parametrize(
    ("cards", "env", "uuids"),
    [
        (CARDS, {}, {"GPU-aaaa1111", "GPU-bbbb2222"}),
        (CARDS, {"CUDA_VISIBLE_DEVICES": ""}, set()),
        (CARDS, {"CUDA_VISIBLE_DEVICES": "-1"}, set()),
        (CARDS, {"CUDA_VISIBLE_DEVICES": "GPU-bbbb"}, {"GPU-bbbb2222"}),
        (CARDS, {"CUDA_VISIBLE_DEVICES": "1"}, None),
        (CARDS, {"CUDA_VISIBLE_DEVICES": "1", "CUDA_DEVICE_ORDER": "PCI_BUS_ID"}, {"GPU-bbbb2222"}),
        (TWINS, {"CUDA_VISIBLE_DEVICES": "1"}, {"GPU-bbbb2222"}),
        (TWINS, {"CUDA_VISIBLE_DEVICES": "0,5,1"}, {"GPU-aaaa1111"}),
    ],
)
def test_which_cards_a_server_sees(cards: tuple[Card, ...], env: dict[str, str], uuids: set[str] | None) -> None:
    assert visible(cards, env) == uuids


def test_the_cards_of_the_server_are_marked(monkeypatch: pytest.MonkeyPatch) -> None:
    fake = FakeNvml([H200, {**H200, "uuid": "GPU-bbbb2222"}])
    monkeypatch.setattr(psutil.Process, "environ", lambda self: {"CUDA_VISIBLE_DEVICES": "GPU-bbbb2222"})
    sampler = LocalSampler(os.getpid(), lambda: (NvmlSampler(lambda: fake),))
    assert [card.serving for card in sampler.open()] == [False, True]
    sampler.close()


def a_radeon(folder: Path, slot: str, **files: str) -> None:
    plain = {
        "vendor": "0x1002\n",
        "uevent": f"DRIVER=amdgpu\nPCI_SLOT_NAME={slot}\n",
        "mem_info_vram_total": f"{48 * GIB}\n",
        "mem_info_vram_used": f"{12 * GIB}\n",
        "gpu_busy_percent": "97\n",
        "hwmon/hwmon3/power1_average": "215000000\n",
        "hwmon/hwmon3/temp1_input": "61000\n",
        "hwmon/hwmon3/temp1_crit": "100000\n",
    }
    for name, text in (plain | files).items():
        path = folder / "device" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def test_amd_cards_are_read_from_the_kernels_files(tmp_path: Path) -> None:
    a_radeon(tmp_path / "card1", "0000:c3:00.0", product_name="AMD Radeon PRO W7900\n")
    a_radeon(tmp_path / "card0", "0000:e3:00.0", gpu_busy_percent="")
    (tmp_path / "card0-DP-1").mkdir()
    (tmp_path / "card2" / "device").mkdir(parents=True)
    (tmp_path / "card2" / "device" / "vendor").write_text("0x10de\n")
    sampler = AmdgpuSampler(tmp_path)
    cards = sampler.open()
    assert [(card.index, card.pci, card.name) for card in cards] == [
        (0, "0000:c3:00.0", "AMD Radeon PRO W7900"),
        (1, "0000:e3:00.0", "AMD GPU"),
    ]
    assert cards[0].hot == 100
    readings = sampler.sample()
    assert readings is not None
    assert readings[0] == GpuReading(12 * GIB, 97, 215, 61)
    assert readings[1].utilisation is None and readings[1].used == 12 * GIB


def test_a_machine_without_cards_says_so_by_either_way(tmp_path: Path) -> None:
    no_driver = NvmlSampler(lambda: FakeNvml(init=error(pynvml.NVML_ERROR_LIBRARY_NOT_FOUND)))
    sampler = LocalSampler(None, lambda: (no_driver, AmdgpuSampler(tmp_path / "none")))
    assert sampler.open() == ()
    assert sampler.trouble is not None and sampler.trouble.code == "gpu.no_driver"


def test_one_line_of_nvidia_smi() -> None:
    line = "1, GPU-b, NVIDIA H200, 00000000:00:06.0, 143771, 20996, 99, 675.56, 57, 1980"
    assert parse(line) == (
        Card(1, "NVIDIA H200", "GPU-b", "00000000:00:06.0", 143_771 * MIB),
        GpuReading(20_996 * MIB, 99, 675.56, 57, 1980),
    )
    gaps = parse("0, GPU-a, NVIDIA GB10, 0000, [N/A], [Not Supported], 5, [Unknown Error], 40, [N/A]")
    assert gaps == (Card(0, "NVIDIA GB10", "GPU-a", "0000"), GpuReading(None, 5, None, 40, None))
    for other in ("", "Unable to determine the device handle for GPU 0000:01:00.0: GPU is lost.", "a, b"):
        assert parse(other) is None


SMI = """
    import sys, time
    used = 100
    while True:
        for index in (0, 1):
            print(f"{index}, GPU-{index}, H200, 0:0{index}.0, 1000, {used + index}, 50, 100.0, 40, 1000", flush=True)
        used += 100
        time.sleep(0.1)
"""


def as_program(tmp_path: Path, text: str) -> tuple[str, ...]:
    script = tmp_path / "smi.py"
    script.write_text(textwrap.dedent(text))
    return (sys.executable, str(script))


@pytest.mark.usefixtures("no_children_left")
def test_nvidia_smi_behind_another_program(tmp_path: Path) -> None:
    sampler = NvidiaSmiSampler(as_program(tmp_path, SMI))
    assert [card.uuid for card in sampler.open()] == ["GPU-0", "GPU-1"]

    def used() -> list[float | None]:
        return [reading.used and reading.used / MIB for reading in sampler.sample() or ()]

    first = used()
    assert first[0] is not None and first[1] == first[0] + 1
    until_now(lambda: (used()[0] or 0) > (first[0] or 0) + 100, "newer values")
    sampler.close()
    assert sampler.sample() is None


@pytest.mark.usefixtures("no_children_left")
def test_nvidia_smi_that_ends_says_why(tmp_path: Path) -> None:
    refused = "import sys; sys.exit('Permission denied (publickey).')"
    sampler = NvidiaSmiSampler(as_program(tmp_path, refused))
    assert sampler.open() == ()
    assert sampler.trouble is not None and "Permission denied" in sampler.trouble.text()
    missing = NvidiaSmiSampler(("/nowhere/ssh", "gpu-box"))
    assert missing.open() == () and missing.trouble is not None and missing.trouble.code == "gpu.no_tool"
