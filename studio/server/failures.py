"""The failure dictionary: lines of a server's log that explain why it fails, each with a plain sentence and a mend.

Patterns are the core of lines that vllm-omni 0.30.0, torch, CUDA and the systems around them print (serving facts
§4.3). A later line never replaces the first fatal one: what follows is most often its consequence.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from studio.core.words import Message
from studio.server.profiles import Profile


@dataclass(frozen=True, slots=True)
class Edit:
    """A change of a profile that mends a failure: flags to set (None: to remove) and variables to set."""

    flags: Mapping[str, str | None] = field(default_factory=lambda: MappingProxyType({}))
    env: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def text(self) -> str:
        """The change as it would be written: flags, then variables; a flag that goes has a minus before it."""
        flags = [f"−{flag}" if value is None else f"{flag} {value}".rstrip() for flag, value in self.flags.items()]
        return " ".join([*flags, *(f"{name}={value}" for name, value in self.env.items())])

    def apply(self, profile: Profile) -> Profile:
        """The changed profile."""
        words = list(profile.args)
        for flag, value in self.flags.items():
            if flag in words:
                at = words.index(flag)
                has_value = at + 1 < len(words) and not words[at + 1].startswith("--")
                del words[at : at + 1 + has_value]
            if value is not None:
                words += [flag, value] if value else [flag]
        return profile.model_copy(update={"args": tuple(words), "env": {**profile.env, **self.env}})


@dataclass(frozen=True, slots=True)
class Failure:
    """A kind of failure. Its sentences are `failure.<name>` and `failure.<name>.mend`; `why` is the wrapper's cause."""

    name: str
    pattern: re.Pattern[str]
    fatal: bool = True
    edit: Edit | None = None
    wrapper: bool = False
    """Says only that something failed: a better line stands above it or inside it."""


@dataclass(frozen=True, slots=True)
class Explained:
    """A line that was understood."""

    failure: Failure
    line: str
    detail: str = ""

    @property
    def message(self) -> Message:
        """What happened, plainly."""
        return Message(f"failure.{self.failure.name}", {"detail": self.detail, "line": self.line})

    @property
    def mend(self) -> Message:
        """What to do."""
        return Message(f"failure.{self.failure.name}.mend", {"detail": self.detail})


def _is(name: str, pattern: str, *, fatal: bool = True, edit: Edit | None = None, wrapper: bool = False) -> Failure:
    return Failure(name, re.compile(pattern, re.IGNORECASE), fatal, edit, wrapper)


_MOST: Final = 2
_CUDNN: Final = Edit({"--diffusion-attention-backend": "CUDNN_ATTN"})

FAILURES: Final[tuple[Failure, ...]] = (
    _is("folder_name", r"No registered PipelineConfig resolved for model"),
    _is("no_index", r"did not resolve to a registered Omni pipeline or a supported diffusion model"),
    _is("no_path", r"HFValidationError: Repo id must be in the form"),
    _is("no_config", r"Could not find config\.json or a Diffusers pipeline index for"),
    _is("no_ref2va", r"Ref2VA partition not found at (\S+)", edit=Edit({"--task-type": "fl2va"})),
    _is("bad_partition", r"invalid MiniMax-H3 (\w+) partition at"),
    _is("missing_file", r"No such file or directory: .*?((?:FL2VA|Ref2VA)/[^'\"]*)"),
    _is(
        "batching", r"does not support request-level batching\. Use max_num_seqs=1", edit=Edit({"--max-num-seqs": None})
    ),
    _is("api_servers", r"--api-server-count > 1 is not supported", edit=Edit({"--api-server-count": None})),
    _is("task_type", r"MiniMax-H3 task_type must be one of", edit=Edit({"--task-type": None})),
    _is("cfg_parallel", r"cfg_parallel_size must be 1", edit=Edit({"--cfg-parallel-size": None})),
    _is(
        "vae_split",
        r"vae_patch_parallel_size=1 or the full DiT group size|native tile parallel mode only",
        edit=Edit({"--vae-patch-parallel-size": "1", "--vae-parallel-mode": "tile"}),
    ),
    _is(
        "encoder_split", r"text_encoder_tp_size must (?:divide|not exceed)", edit=Edit({"--text-encoder-tp-size": "1"})
    ),
    _is("few_devices", r"Stage \d+ requires (\d+) device\(s\).*only \d+"),
    _is("offload_part", r"Unknown diffusion offload component\(s\): (\S+)"),
    _is("offload_mixed", r"diffusion_offload_config cannot be combined with"),
    _is(
        "offload_resident",
        r"dlo_resident_layers requires the DiT DLO transfer to be rank-local",
        edit=Edit({"--dlo-no-use-allgather": ""}),
    ),
    _is("unknown_flag", r"error: unrecognized arguments: (.*)"),
    _is("bad_flag", r"error: argument (\S+): invalid (?:loads value|choice|int value|float value)"),
    _is("gpu_memory", r"CUDA out of memory|torch\.OutOfMemoryError|HIP out of memory"),
    _is("host_memory", r"Exit code: -9|exitcode=-9, SIGKILL|oom-kill"),
    _is("shared_memory", r"Bus error"),
    _is("cudnn_length", r"mha_graph\.execute.*got false"),
    _is("illegal_access", r"illegal memory access"),
    _is(
        "no_kernel",
        r"tcgen05|no kernel image is available|sm_12[01].*not (?:compatible|supported)",
        edit=_CUDNN,
    ),
    _is("trtllm", r"TRTLLM_ATTN .*requires a datacenter Blackwell GPU", edit=_CUDNN),
    _is("flash", r"FLASH_ATTN was explicitly selected but is unsupported", edit=_CUDNN),
    _is("fp8_stride", r"cutlass.*stride|stride.*(?:scaled_mm|fp8)"),
    _is("nccl", r"(?:NCCL|ProcessGroupNCCL).*(?:timeout|watchdog|error)"),
    _is("vae_tiles", r"VAE (?:en|de)code splits .* tiles?", fatal=False),
    _is(
        "start_limit",
        r"Orchestrator did not become ready within \d+s|Orchestrator startup timed out",
        edit=Edit({"--init-timeout": "3600", "--stage-init-timeout": "3600"}),
    ),
    _is("worker_loading", r"Rank (\d+) scheduler is dead", wrapper=True),
    _is(
        "worker_serving", r"diffusion executor died unexpectedly|Diffusion worker\(s\) died unexpectedly", wrapper=True
    ),
    _is(
        "output_watchdog",
        r"Timed out after [\d.]+s waiting for async output",
        edit=Edit(env={"VLLM_OMNI_ASYNC_OUTPUT_TIMEOUT": "86400"}),
    ),
    _is("sync_watchdog", r"Video generation timed out after", edit=Edit(env={"VLLM_OMNI_VIDEO_SYNC_TIMEOUT": "86400"})),
    _is("dlo_wave", r"DLO DP collective wave timed out", edit=Edit({"--dlo-no-use-allgather": ""})),
    _is("port_taken", r"address already in use|\[Errno 98\]"),
    _is("no_gpu", r"No CUDA GPUs are available|CUDA driver initialization failed|Found no NVIDIA driver|libcuda\.so"),
    _is("old_driver", r"driver version is insufficient|forward compatibility|CUDA error: .*unsupported PTX"),
    _is("no_ffmpeg", r"Couldn't find ffmpeg|ffmpeg.*not found|No such file.*ffprobe"),
    _is("no_access", r"GatedRepoError|401 Client Error|403 Client Error"),
    _is("disk_full", r"No space left on device|Errno 28"),
    _is("versions", r"mismatched major/minor versions", fatal=False),
    _is("request_aspect", r"t2va requires an explicit aspect_ratio", fatal=False),
    _is("request_field", r"ref2va accepts at most 3 video references", fatal=False),
    _is("request_length", r"A video reference|duration must be in \[2, 15\]", fatal=False),
    _is("tqdm_ascii", r"integer division or modulo by zero"),
    _is("start_failed", r"Orchestrator initialization failed: (.*)", wrapper=True),
)


def explain(line: str) -> Explained | None:
    """What a log line means, when it is a known failure; a wrapper's own cause counts before the wrapper."""
    found: Explained | None = None
    for failure in FAILURES:
        if match := failure.pattern.search(line):
            detail = next((group.strip() for group in match.groups() if group), "")
            found = Explained(failure, line.strip()[:400], detail[:200])
            if not failure.wrapper:
                return found
    return found


class CauseWatch:
    """Feed it a log's lines; `cause` is the first fatal failure seen so far."""

    def __init__(self) -> None:
        self.cause: Explained | None = None

    def feed(self, line: str) -> bool:
        """Take a line in; whether the cause is another now."""
        # Half a hundred patterns cost 0.1 ms: a flood of news is not held against them.
        if " INFO" in line[:80] or "H3STEP|" in line or (self.cause is not None and _weight(self.cause) == _MOST):
            return False
        explained = explain(line)
        if explained is None or (self.cause is not None and _weight(explained) <= _weight(self.cause)):
            return False
        self.cause = explained
        return True


def _weight(explained: Explained) -> int:
    return 0 if not explained.failure.fatal else 1 if explained.failure.wrapper else _MOST
