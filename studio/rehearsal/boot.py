"""Start-up as the real server's log tells it (serving.md §4.1), and the ways it fails (§4.3)."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import tqdm

from studio.rehearsal.log import Log

Stage = Literal["usage", "arguments", "port", "engine", "weights", "ready"]

SHARDS = 26
_WEIGHTS_SHARE = 0.8  # of the start-up time
_SHARD_BAR = "{desc}: {percentage:3.0f}% Completed | {n_fmt}/{total_fmt} [{elapsed}<{remaining}, {rate_fmt}]\n"

# Stage, place and message of each line; the weight bar stands between "engine" and "weights".
_LINES: tuple[tuple[Stage, str, str], ...] = (
    ("arguments", "serve.py:314", "Detected diffusion model: {model}"),
    ("port", "launcher.py:71", "vLLM API server version 0.30.0"),
    ("port", "launcher.py:74", "non-default args: {{'model': '{model}', 'trust_remote_code': True}}"),
    ("engine", "omni_engine_base.py:163", "[OmniEngine] Initializing with model {model}"),
    ("engine", "omni_engine_base.py:312", "[OmniEngine] Launching Orchestrator thread with 1 stages"),
    ("engine", "stage_init_utils.py:775", "[stage_init] Set VLLM_WORKER_MULTIPROC_METHOD=spawn"),
    ("engine", "stage_init_utils.py:998", "[stage_init] Stage-0 set runtime devices: 0,1"),
    ("weights", "diffusers_loader.py:1099", "Loading weights took {seconds:.2f} seconds"),
    ("weights", "diffusion_model_runner.py:352", "Model loading took 56.3 GiB and {seconds:.1f} seconds"),
    ("weights", "diffusion_model_runner.py:358", "Model runner: Model loaded successfully."),
    ("ready", "diffusion_worker.py:316", "Model runner: Initialization complete."),
    ("ready", "diffusion_worker.py:439", "Worker 0: Process-scoped GPU memory after model loading: 56.3 GiB."),
    ("ready", "diffusion_worker.py:1486", "Worker 0: Initialization complete."),
    ("ready", "diffusion_engine.py:1419", "Skipping dummy warmup run (num_frames=0)"),
    (
        "ready",
        "inline_stage_diffusion_client.py:82",
        "[InlineStageDiffusionClient] stage-0 [rep-0] initialized inline (max_num_seqs=1)",
    ),
    ("ready", "stage_runtime.py:1211", "[StageRuntime] Stage 0 replica 0 initialized (diffusion)"),
    ("ready", "orchestrator.py:432", "[Orchestrator] Starting event loop"),
    ("ready", "omni_engine_base.py:344", "[OmniEngine] Orchestrator ready with 1 stages"),
    ("ready", "api_server.py:373", "Detected pure diffusion mode (single diffusion stage)"),
    ("ready", "api_server.py:776", "Pure diffusion API server initialized for model: {model}"),
    ("ready", "api_server.py:864", "Starting vLLM API server (pure diffusion mode) on {url}"),
    ("ready", "launcher.py:61", "Available routes are:"),
)


@dataclass(frozen=True, slots=True)
class Failure:
    """`text` is the cause. `stage`: how far start-up comes. Wrapped ones are worker errors that the orchestrator
    passes on; the others end the log as they are. `ends_by`: exit code, or minus a signal."""

    text: str
    stage: Stage = "engine"
    wrapped: bool = True
    ends_by: int = 1


FAILURES: dict[str, Failure] = {
    "old_image": Failure("No registered PipelineConfig resolved for model '/models/h3'"),
    "no_index": Failure(
        "ValueError: /models/h3 did not resolve to a registered Omni pipeline or a supported diffusion model.",
        "arguments",
        wrapped=False,
    ),
    "no_such_path": Failure(
        "huggingface_hub.errors.HFValidationError: Repo id must be in the form 'repo_name' or 'namespace/repo_name': "
        "'/models/h3'. Use `repo_type` argument if needed.",
        "arguments",
        wrapped=False,
    ),
    "no_config": Failure("Could not find config.json or a Diffusers pipeline index for /models/h3"),
    "no_ref2va": Failure("Ref2VA partition not found at /models/h3/Ref2VA"),
    "bad_partition": Failure("invalid MiniMax-H3 fl2va partition at /models/h3/FL2VA"),
    "partition_path": Failure("[Errno 2] No such file or directory: '/models/fl2va/FL2VA/model_index.json'"),
    "batching": Failure("MiniMaxH3Pipeline does not support request-level batching. Use max_num_seqs=1"),
    "api_servers": Failure(
        "ValueError: --api-server-count > 1 is not supported for diffusion models", "arguments", wrapped=False
    ),
    "task_type": Failure("MiniMax-H3 task_type must be one of auto, combined, t2va, fl2va, or ref2va; got 'video'"),
    "cfg_parallel": Failure("MiniMax-H3 is CFG-distilled and has no negative branch; cfg_parallel_size must be 1"),
    "vae_parallel": Failure(
        "MiniMax H3 native VAE patch parallelism currently requires vae_patch_parallel_size=1 or the full DiT group "
        "size (4), got 2"
    ),
    "vae_mode": Failure("MiniMax H3 VAE supports native tile parallel mode only"),
    "encoder_split": Failure("text_encoder_tp_size must divide 64 and 8, got 3"),
    "few_gpus": Failure(
        "Stage 0 requires 4 device(s) based on parallel_config, but only 2 device(s) are available: [0, 1]"
    ),
    "offload_component": Failure("Unknown diffusion offload component(s): vae; choose from: dit, text_encoder"),
    "offload_mixed": Failure("diffusion_offload_config cannot be combined with enable_layerwise_offload"),
    "resident_layers": Failure("dlo_resident_layers requires the DiT DLO transfer to be rank-local"),
    "unknown_flag": Failure(
        "vllm: error: unrecognized arguments: --stage-configs-path x", "usage", wrapped=False, ends_by=2
    ),
    "bad_flag": Failure(
        "vllm serve: error: argument --diffusion-offload-config: invalid loads value: '{mode:layer}'",
        "usage",
        wrapped=False,
        ends_by=2,
    ),
    "out_of_memory": Failure(
        "CUDA out of memory. Tried to allocate 1.31 GiB. GPU 0 has a total capacity of 95.59 GiB of which 0.92 GiB is "
        "free.",
        "engine",
    ),
    "host_memory": Failure("Killed", "engine", wrapped=False, ends_by=-signal.SIGKILL),
    "worker_killed": Failure(
        "Rank 0 scheduler is dead. Please check if there are relevant logs.\nExit code: -9", "engine"
    ),
    "shared_memory": Failure("Bus error (core dumped)", "weights", wrapped=False, ends_by=-signal.SIGBUS),
    "illegal_access": Failure("CUDA error: an illegal memory access was encountered", "weights"),
    "no_kernel": Failure("CUDA error: no kernel image is available for execution on the device", "engine"),
    "trtllm": Failure(
        "TRTLLM_ATTN diffusion attention backend requires a datacenter Blackwell GPU (SM100 / SM103, compute "
        "capability 10.x)"
    ),
    "flash_attention": Failure("FLASH_ATTN was explicitly selected but is unsupported (FA4 is not installed)"),
    "cutlass": Failure("cutlass_scaled_mm: stride of b must be a multiple of 16", "weights"),
    "nccl": Failure("ProcessGroupNCCL watchdog timeout: collective operation did not finish in 600000 ms"),
    "init_timeout": Failure("TimeoutError: Orchestrator did not become ready within 600s", "engine", wrapped=False),
    "port": Failure("OSError: [Errno 98] Address already in use", "arguments", wrapped=False),
    "no_gpu": Failure("No CUDA GPUs are available"),
    "old_driver": Failure("CUDA driver version is insufficient for CUDA runtime version"),
    "no_ffmpeg": Failure("[Errno 2] No such file or directory: 'ffprobe'", "ready"),
    "gated": Failure(
        "huggingface_hub.errors.GatedRepoError: 401 Client Error. Access to model MiniMaxAI/MiniMax-H3 is restricted.",
        "arguments",
        wrapped=False,
    ),
    "disk_full": Failure("[Errno 28] No space left on device", "engine"),
}


class BootFailed(Exception):
    """Start-up ends here. `ends_by`: exit code, or minus a signal."""

    def __init__(self, ends_by: int) -> None:
        super().__init__(ends_by)
        self.ends_by = ends_by

    def leave(self) -> int:
        """The exit code; does not return when a signal is the end."""
        if self.ends_by < 0:
            os.kill(os.getpid(), -self.ends_by)
        return self.ends_by


def boot(log: Log, model: str, url: str, seconds: float, failure: Failure | None = None) -> None:
    """Print the boot log over `seconds`. Raises BootFailed at the failure's stage."""
    loading = seconds * _WEIGHTS_SHARE
    pause = (seconds - loading) / len(_LINES)
    stage: Stage = "usage"
    for stage_of_line, place, message in _LINES:
        if stage_of_line != stage:
            _fail_after(stage, failure, log)
            if stage_of_line == "weights":
                _load_weights(loading)
                log.name = "DiffusionWorker"
            stage = stage_of_line
        log.info(place, message.format(model=model, url=url, seconds=loading))
        time.sleep(pause)
    _fail_after(stage, failure, log)


def _load_weights(seconds: float) -> None:
    for _ in _shards():
        time.sleep(seconds / SHARDS)


def _shards() -> Iterator[int]:
    yield from tqdm.tqdm(range(SHARDS), desc="Multi-thread loading shards", bar_format=_SHARD_BAR)


def failure_named(value: str | None) -> Failure:
    """One of FAILURES by its name, else a worker error with this text."""
    return FAILURES.get(value or "out_of_memory") or Failure(str(value))


def _fail_after(stage: Stage, failure: Failure | None, log: Log) -> None:
    if failure is None or failure.stage != stage:
        return
    if failure.wrapped:
        log.error("omni_engine_base.py:475", f"Orchestrator initialization failed: {failure.text}")
        sys.stderr.write(f"RuntimeError: Orchestrator initialization failed: {failure.text}\n")
    else:
        sys.stderr.write(f"{failure.text}\n")
    sys.stderr.flush()
    raise BootFailed(failure.ends_by)
