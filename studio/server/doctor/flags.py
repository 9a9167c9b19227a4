"""Flags of a profile held against vllm-omni 0.30.0: what it renamed, what clashes, what H3 refuses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from studio.server.doctor.check import Check, Level, passed, trouble
from studio.server.profiles import Profile

_GONE: Final = {"--stage-configs-path": "--deploy-config", "--pipeline": ""}
_WITHOUT_EFFECT: Final = (
    "--cpu-offload-gb",
    "--offload-group-size",
    "--offload-num-in-group",
    "--offload-prefetch-step",
    "--gpu-memory-utilization",
)
_BLACKWELL_REFUSES: Final = ("TRTLLM_ATTN", "FLASHINFER_ATTN")
_BACKENDS: Final = (
    "FLASH_ATTN",
    "TORCH_SDPA",
    "SAGE_ATTN",
    "SAGE_ATTN_3",
    "CUDNN_ATTN",
    "FLASHINFER_ATTN",
    "FASTVIDEO_VSA",
    "FLASH_ATTN_HUB",
    "FLASH_ATTN_3_HUB",
    "TRTLLM_ATTN",
    "RAINFUSION_ATTN",
)


class Flags:
    """An argument vector as flags with their values; a flag without one has ""."""

    def __init__(self, args: Sequence[str]) -> None:
        self._values: dict[str, str] = {}
        for word, after in zip(args, (*args[1:], "--"), strict=True):
            if word.startswith("--"):
                name, equals, value = word.partition("=")
                self._values[name] = value if equals else "" if after.startswith("--") else after

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
    found = [*_names(flags), *_split(flags), *_offload(flags), *_card(profile, flags), *_environment(profile)]
    yield from found or [passed("flags.well")]


def _names(flags: Flags) -> Iterator[Check]:
    for flag, instead in _GONE.items():
        if flag in flags:
            yield trouble(Level.FAIL, "flags.gone", flag=flag, instead=instead or "–")
    for flag in _WITHOUT_EFFECT:
        if flag in flags:
            yield trouble(Level.WARN, "flags.no_effect", flag=flag)
    for flag in ("--max-num-seqs", "--api-server-count"):
        if flags.number(flag) > 1:
            yield trouble(Level.FAIL, "flags.only_one", flag=flag)
    backend = flags.text("--diffusion-attention-backend")
    if backend and backend not in _BACKENDS:
        yield trouble(Level.FAIL, "flags.backend", backend=backend)


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
    if profile.unified_memory and (flags.starting("--dlo-") or any("offload" in f for f in flags.starting("--"))):
        yield trouble(Level.FAIL, "flags.unified_offload")


def _environment(profile: Profile) -> Iterator[Check]:
    if "TQDM_ASCII" in profile.env:
        yield trouble(Level.FAIL, "flags.tqdm_ascii")
