"""Flags of a profile held against vllm-omni 0.30.0: what it renamed, what clashes, what H3 refuses."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from studio.server import flag_table
from studio.server.doctor.check import Check, Level, passed, trouble
from studio.server.profiles import Profile

# A place that is filled at the start, such as the port.
_PLACE: Final = re.compile(r"\{[a-z]\w*\}")
_WITHOUT_EFFECT: Final = (
    "--cpu-offload-gb",
    "--offload-group-size",
    "--offload-num-in-group",
    "--offload-prefetch-step",
    "--gpu-memory-utilization",
)
_BLACKWELL_REFUSES: Final = ("TRTLLM_ATTN", "FLASHINFER_ATTN")


class Flags:
    """An argument vector as flags with their values; a flag without one has ""."""

    def __init__(self, args: Sequence[str]) -> None:
        self._values = {given.flag: given.value for given in flag_table.split(args)}

    def __contains__(self, flag: str) -> bool:
        return flag in self._values

    def text(self, *names: str) -> str:
        """The value of the first of these names that is there, else ""."""
        return next((self._values[name] for name in names if name in self._values), "")

    def number(self, *names: str, default: int = 1) -> int:
        """The same as a whole number; `default` when absent or not one."""
        text = self.text(*names)
        return int(text) if text.isdecimal() else default

    def starting(self, prefix: str) -> list[str]:
        """Flags that begin with this."""
        return [name for name in self._values if name.startswith(prefix)]


def check_flags(profile: Profile) -> Iterator[Check]:
    """What 0.30.0 would refuse or ignore of a profile; one passing line when there is nothing."""
    if not profile.is_vllm:
        return
    flags = Flags(profile.args)
    found = list(_readable(profile))
    # Numbers that cannot be read cannot be held against each other.
    ways = (_only_one, _offload, _caches) if found else (_only_one, _split, _offload, _caches)
    found += [check for way in ways for check in way(flags)]
    found += [*_card(profile, flags), *_environment(profile)]
    yield from found or [passed("flags.well")]


def _readable(profile: Profile) -> Iterator[Check]:
    """Flags and values that the server's parser would refuse: it ends with exit code 2."""
    for given in flag_table.split(profile.args):
        flag = flag_table.known(given.flag)
        if given.flag in flag_table.GONE:
            instead = flag_table.nearest(given.flag)
            yield trouble(Level.FAIL, "flags.gone" if instead else "flags.gone_only", flag=given.flag, instead=instead)
        elif flag is None:
            name, near = given.flag or given.value, flag_table.nearest(given.flag)
            yield trouble(Level.FAIL, "flags.unknown_near" if near else "flags.unknown", flag=name, near=near)
        elif not flag.takes(given.value) and not _PLACE.fullmatch(given.value):
            choices = ", ".join(flag.choices)
            code = "flags.choice" if choices else f"flags.{flag.kind}"
            yield trouble(Level.FAIL, code, flag=given.flag, value=given.value, choices=choices)


def _only_one(flags: Flags) -> Iterator[Check]:
    for flag in _WITHOUT_EFFECT:
        if flag in flags:
            yield trouble(Level.WARN, "flags.no_effect", flag=flag)
    for flag in ("--max-num-seqs", "--api-server-count"):
        if flags.number(flag) > 1:
            yield trouble(Level.FAIL, "flags.only_one", flag=flag)


def _split(flags: Flags) -> Iterator[Check]:
    if flags.number("--cfg-parallel-size") > 1:
        yield trouble(Level.FAIL, "flags.cfg")
    if flags.number("--ring", "--ring-degree") > 1:
        yield trouble(Level.FAIL, "flags.ring")
    if flags.text("--vae-parallel-mode") not in ("", "tile"):
        yield trouble(Level.FAIL, "flags.vae_mode")
    usp, tensor = flags.number("--usp", "--ulysses-degree"), flags.number("--tensor-parallel-size")
    data, gpus = flags.number("--data-parallel-size"), flags.number("--num-gpus", default=0)
    if gpus and "--deploy-config" not in flags and usp * tensor * data != gpus:
        yield trouble(Level.FAIL, "flags.product", tensor=tensor, usp=usp, data=data, gpus=gpus)
    if flags.number("--vae-patch-parallel-size") not in (1, gpus or 1):
        yield trouble(Level.FAIL, "flags.vae_size", size=flags.number("--vae-patch-parallel-size"), gpus=gpus)
    encoder = flags.number("--text-encoder-tp-size")
    if encoder not in (1, 2, 4, 8) or (gpus and encoder > gpus):
        yield trouble(Level.FAIL, "flags.encoder", size=encoder)


def _caches(flags: Flags) -> Iterator[Check]:
    cache = flags.text("--cache-backend")
    if cache and "--step-execution" in flags:
        yield trouble(Level.FAIL, "flags.cache_steps")
    if cache == "tea_cache" and flags.text("--task-type") == "ref2va":
        yield trouble(Level.FAIL, "flags.tea_ref2va")
    if several := _artifacts(flags.text("--lora-path")):
        yield trouble(Level.FAIL, "flags.lora_several", names=", ".join(several))
    if "--lora-path" in flags and "fasth3" in flags.text("--lora-path").lower() and offloads(flags):
        yield trouble(Level.FAIL, "flags.lora_offload")


def _artifacts(path: str) -> list[str]:
    """Names of the adapters in a folder that holds more than one: the server takes a file, or a folder with one."""
    if not path or _PLACE.fullmatch(path) or not Path(path).is_dir():
        return []
    found = sorted(file.name for file in Path(path).glob("*.safetensors"))
    return found if len(found) > 1 else []


def offloads(flags: Flags) -> bool:
    """Whether any part of the model is kept in main memory."""
    return bool(flags.starting("--dlo-")) or any("offload" in flag for flag in flags.starting("--"))


def _offload(flags: Flags) -> Iterator[Check]:
    new, old = "--diffusion-offload-config" in flags, [*flags.starting("--dlo-"), *flags.starting("--enable-")]
    old = [flag for flag in old if flag.startswith("--dlo-") or flag.endswith("-offload")]
    if new and old:
        yield trouble(Level.FAIL, "flags.offload_mixed", flag=old[0])
    if '"vae"' in flags.text("--diffusion-offload-config"):
        yield trouble(Level.FAIL, "flags.offload_vae")
    if flags.number("--dlo-resident-layers", default=0) > 0 and "--dlo-no-use-allgather" not in flags:
        yield trouble(Level.FAIL, "flags.offload_resident")
    if flags.text("--quantization") == "fp8" and any("layerwise" in flag for flag in old):
        yield trouble(Level.WARN, "flags.fp8_offload")


def _card(profile: Profile, flags: Flags) -> Iterator[Check]:
    backend, quantization = flags.text("--diffusion-attention-backend"), flags.text("--quantization")
    if profile.arch.startswith("sm_80") and quantization:
        yield trouble(Level.FAIL, "flags.no_fp8", arch=profile.arch, quantization=quantization)
    if profile.arch.startswith("sm_12") and backend in _BLACKWELL_REFUSES:
        yield trouble(Level.FAIL, "flags.wrong_backend", backend=backend, arch=profile.arch)
    if profile.arch.startswith("sm_12") and backend == "FLASH_ATTN":
        yield trouble(Level.WARN, "flags.flash_attn", arch=profile.arch)
    if profile.unified_memory and offloads(flags):
        yield trouble(Level.FAIL, "flags.unified_offload")
    if profile.unified_memory and not quantization and "--diffusion-quantization-config" not in flags:
        yield trouble(Level.WARN, "flags.unified_bf16")
    too_big = "RTX PRO 6000" in profile.gpu and not quantization and flags.number("--tensor-parallel-size") == 1
    if too_big and not offloads(flags) and "--diffusion-quantization-config" not in flags:
        yield trouble(Level.FAIL, "flags.one_card_bf16", gpu=profile.gpu)


def _environment(profile: Profile) -> Iterator[Check]:
    if "TQDM_ASCII" in profile.env:
        yield trouble(Level.FAIL, "flags.tqdm_ascii")
