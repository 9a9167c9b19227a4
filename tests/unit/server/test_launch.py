"""What every server of ours gets, whatever its profile says less of; profiles as data; what fits a machine."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from studio.core.errors import StudioError
from studio.server import profiles
from studio.server.doctor.check import Level
from studio.server.doctor.flags import Flags, check_flags
from studio.server.fitting import reasons_against
from studio.server.launch import Place, plan
from studio.server.machine import GIB, Gpu, Machine
from studio.server.profiles import Profile


def machine(count: int, total_gib: float, arch: str, ram_gib: float = 512, **gpu: bool) -> Machine:
    card = Gpu(0, "Card", int(total_gib * GIB), int(total_gib * GIB), arch, **gpu)
    return Machine((card,) * count, int(ram_gib * GIB), int(ram_gib * GIB))


def test_the_shipped_profiles() -> None:
    shipped = profiles.shipped()
    assert len(shipped) == 38 == len({profile.id for profile in shipped})
    assert [p.id for p in shipped if not p.launchable] == ["gb10x2-fl2va-fp8", "fasth3-ultra-sm120x8", "svdquant-1gpu"]


@pytest.mark.parametrize("profile", [p for p in profiles.shipped() if p.launchable], ids=lambda p: p.id)
def test_every_launch_has_time_and_a_readable_log(profile: Profile) -> None:
    values = {name: "/x" for name in profile.placeholders}
    launch = plan(profile, Place("/m", values=values), longest_job=10_000)
    for name in ("VLLM_OMNI_ASYNC_OUTPUT_TIMEOUT", "VLLM_OMNI_VIDEO_SYNC_TIMEOUT"):
        assert int(launch.env[name]) >= 40_000
    assert ("VLLM_OMNI_DLO_DP_WAVE_TIMEOUT" in launch.env) or profile.gpus < 2
    assert int(launch.env.get("VLLM_OMNI_DLO_DP_WAVE_TIMEOUT", 86400)) >= 86400
    flags = Flags(launch.argv)
    assert flags.number("--init-timeout") >= 40_000 and flags.number("--stage-init-timeout") >= 40_000
    assert "--enable-diffusion-pipeline-profiler" in flags
    assert launch.argv.count("--init-timeout") == 1
    assert launch.env["TQDM_BAR_FORMAT"].endswith("\n") and "TQDM_ASCII" not in launch.env
    assert launch.env["VLLM_OMNI_SERVER_STORAGE__PATH"] == str(launch.storage)
    assert not any("{host}" in word or "{port}" in word or "{model}" in word for word in launch.argv)
    assert launch.argv[launch.argv.index("serve") + 1].startswith("/m")


def test_an_hour_is_the_least_and_json_flags_stay_whole() -> None:
    launch = plan(profiles.find("cuda-1gpu-blockwise"), Place("/m"))
    assert launch.env["VLLM_OMNI_ASYNC_OUTPUT_TIMEOUT"] == "3600"
    assert '{"mode":"layer","components":["dit","text_encoder"]}' in launch.argv
    assert launch.url == f"http://127.0.0.1:{launch.profile.port_default}"


def test_what_cannot_be_launched_says_so() -> None:
    for profile, place, code in (
        ("svdquant-1gpu", Place("/m"), "profile.not_launchable"),
        ("rtxpro6000x2-bf16", Place(), "profile.place_empty"),
        ("fasth3-b300x8", Place("/m"), "profile.place_empty"),
    ):
        with pytest.raises(StudioError) as refused:
            plan(profiles.find(profile), place)
        assert refused.value.code == code


@pytest.mark.parametrize(
    ("profile", "there", "code"),
    [
        ("rtxpro6000x2-bf16", machine(2, 94.97, "sm_120"), None),
        ("rtxpro6000x2-bf16", machine(0, 0, ""), "fit.no_gpu"),
        ("rtxpro6000x2-bf16", machine(1, 95, "sm_120"), "fit.gpus"),
        ("rtxpro6000x2-bf16", machine(2, 95, "sm_90"), "fit.arch"),
        ("rtxpro6000x2-bf16", machine(2, 47.5, "sm_120"), "fit.vram"),
        ("rtxpro6000x2-bf16", machine(2, 95, "sm_120", ram_gib=64), "fit.ram"),
        ("rtx4090x2-bf16-dlo", machine(2, 23.52, "sm_89"), None),
        ("h200x4-fl2va-bf16", machine(4, 139.8, "sm_90"), None),
        ("gb10-fl2va-fp8", machine(1, 121, "sm_121", unified=True), "fit.processor"),
        ("gb10-fl2va-fp8", machine(1, 121, "sm_121"), "fit.vram"),
        ("rocm-mi300x4-bf16", machine(4, 192, "sm_90"), "fit.amd"),
        ("svdquant-1gpu", machine(8, 300, "sm_120"), "fit.not_launchable"),
    ],
)
def test_fits_this_machine(profile: str, there: Machine, code: str | None) -> None:
    there = Machine(there.gpus, there.ram_total, there.ram_available, processor="x86_64")
    reasons = reasons_against(profiles.find(profile), there)
    assert (reasons[0].code if reasons else None) == code
    assert all("{" not in reason.text() for reason in reasons)


def test_a_profile_of_the_users_own(tmp_path: Path) -> None:
    shipped = profiles.find("rtxpro6000x2-bf16")
    own = shipped.model_copy(update={"id": "mine", "title": "Mine", "args": (*shipped.args, "--max-num-seqs", "2")})
    profiles.save(own)
    assert profiles.find("mine") == own
    assert next(p.id for p in profiles.every()) == "mine"
    assert profiles.nearest(own).id == shipped.id
    assert list(profiles.differences(own, shipped)) == ["args"]
    assert [c.message.code for c in check_flags(own)] == ["doctor.flags.only_one"]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("{", "profile.unreadable"),
        ("[]", "profile.unreadable"),
        ('{"id":"a"}', "profile.unreadable"),
        ('{"id":"../a","title":"x"}', "profile.unreadable"),
        ('{"id":"a","title":"x","version":99}', "profile.newer"),
    ],
)
def test_a_damaged_or_newer_profile_is_said(tmp_path: Path, text: str, code: str) -> None:
    path = tmp_path / "p.json"
    path.write_text(text)
    with pytest.raises(StudioError) as refused:
        profiles.load_file(path)
    assert refused.value.code == code


@pytest.mark.parametrize("profile", [p for p in profiles.shipped() if p.launchable], ids=lambda p: p.id)
def test_the_shipped_flags_are_well(profile: Profile) -> None:
    assert not [check.message.code for check in check_flags(profile) if check.level is Level.FAIL]


@pytest.mark.parametrize(
    ("args", "code"),
    [
        ("--stage-configs-path x", "gone"),
        ("--gpu-memory-utilization 0.9", "no_effect"),
        ("--api-server-count 2", "only_one"),
        ("--diffusion-attention-backend FOO", "choice"),
        ("--pipeline x", "gone_only"),
        ("--tensor-paralel-size 2", "unknown_near"),
        ("--no-such-thing-at-all", "unknown"),
        ("serve", "unknown"),
        ("--num-gpus two", "int"),
        ("--lora-scale big", "float"),
        ("--diffusion-offload-config {mode:layer}", "json"),
        ("--enforce-eager yes", "switch"),
        ("--lora-path", "text"),
        ("--cache-backend cache_dit --step-execution", "cache_steps"),
        ("--task-type ref2va --cache-backend tea_cache", "tea_ref2va"),
        ("--lora-path /m/FastH3 --enable-cpu-offload", "lora_offload"),
        ("--cfg-parallel-size 2", "cfg"),
        ("--ring 2", "ring"),
        ("--vae-parallel-mode spatial_shard_width", "vae_mode"),
        ("--num-gpus 4 --tensor-parallel-size 2", "product"),
        ("--num-gpus 2 --usp 2 --vae-patch-parallel-size 3", "vae_size"),
        ("--num-gpus 2 --usp 2 --text-encoder-tp-size 4", "encoder"),
        ("--num-gpus=2 --usp=2 --text-encoder-tp-size=3", "encoder"),
        ("--diffusion-offload-config {} --dlo-resident-layers 0", "offload_mixed"),
        ('--diffusion-offload-config {"components":["vae"]}', "offload_vae"),
        ("--dlo-resident-layers 4", "offload_resident"),
        ("--quantization fp8 --enable-layerwise-offload", "fp8_offload"),
    ],
)
def test_a_flag_that_clashes(args: str, code: str) -> None:
    profile = Profile(id="x", title="x", args=tuple(args.split()))
    assert f"doctor.flags.{code}" in [check.message.code for check in check_flags(profile)]


def test_the_data_tells_no_tales() -> None:
    text = json.dumps([p.model_dump(mode="json") for p in profiles.shipped()])
    assert "seed 00" not in text
