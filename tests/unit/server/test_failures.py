"""Every known failure line has its explanation; the first cause wins over what follows from it."""

from __future__ import annotations

import pytest

from studio.server import failure_sentences  # noqa: F401  registers the sentences
from studio.server.failures import FAILURES, CauseWatch, explain
from studio.server.phases import StartPhase, StartReader
from studio.server.profiles import Profile

LINES = {
    "folder_name": "No registered PipelineConfig resolved for model /m",
    "no_index": "ValueError: /m did not resolve to a registered Omni pipeline or a supported diffusion model",
    "no_path": "huggingface_hub.errors.HFValidationError: Repo id must be in the form 'repo_name'",
    "no_config": "Could not find config.json or a Diffusers pipeline index for /m",
    "no_ref2va": "FileNotFoundError: Ref2VA partition not found at /m/Ref2VA",
    "bad_partition": "ValueError: invalid MiniMax-H3 fl2va partition at /m/FL2VA",
    "missing_file": "[Errno 2] No such file or directory: '/m/fl2va/FL2VA/model_index.json'",
    "batching": "MiniMaxH3Pipeline does not support request-level batching. Use max_num_seqs=1",
    "api_servers": "--api-server-count > 1 is not supported for diffusion models",
    "task_type": "MiniMax-H3 task_type must be one of auto, combined, t2va, fl2va, or ref2va; got x",
    "cfg_parallel": "no negative branch; cfg_parallel_size must be 1",
    "vae_split": "currently requires vae_patch_parallel_size=1 or the full DiT group size (2), got 3",
    "encoder_split": "text_encoder_tp_size must divide 64 and 8",
    "few_devices": "Stage 0 requires 4 device(s) based on parallel_config, but only 2 device(s) are available: [0, 1]",
    "offload_part": "ValueError: Unknown diffusion offload component(s): vae; choose from: dit, text_encoder",
    "offload_mixed": "diffusion_offload_config cannot be combined with legacy flags",
    "offload_resident": "dlo_resident_layers requires the DiT DLO transfer to be rank-local",
    "unknown_flag": "vllm: error: unrecognized arguments: --stage-configs-path x",
    "bad_flag": "vllm serve: error: argument --diffusion-offload-config: invalid loads value: '{mode:layer}'",
    "gpu_memory": "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.",
    "host_memory": "Diffusion worker(s) died unexpectedly: ['DiffusionWorker-0(exitcode=-9, SIGKILL)']",
    "shared_memory": "Bus error (core dumped)",
    "cudnn_length": "RuntimeError: mha_graph.execute(...) got false",
    "illegal_access": "CUDA error: an illegal memory access was encountered",
    "no_kernel": "CUDA error: no kernel image is available for execution on the device",
    "trtllm": "TRTLLM_ATTN diffusion attention backend requires a datacenter Blackwell GPU (SM100 / SM103)",
    "flash": "FLASH_ATTN was explicitly selected but is unsupported (no FA4)",
    "fp8_stride": "RuntimeError: cutlass gemm: stride mismatch",
    "nccl": "ProcessGroupNCCL's watchdog got stuck for 600 seconds",
    "vae_tiles": "VAE decode splits 3 tiles over 8 ranks",
    "start_limit": "Orchestrator did not become ready within 600s",
    "worker_loading": "Rank 0 scheduler is dead. Please check if there are relevant logs.",
    "worker_serving": "Diffusion worker(s) died unexpectedly: ['DiffusionWorker-1(exitcode=1)']",
    "output_watchdog": "TimeoutError: Timed out after 600.0s waiting for async output",
    "sync_watchdog": "Video generation timed out after 600 seconds",
    "dlo_wave": "DLO DP collective wave timed out",
    "port_taken": "OSError: [Errno 98] Address already in use",
    "no_gpu": "RuntimeError: No CUDA GPUs are available",
    "old_driver": "The NVIDIA driver version is insufficient for CUDA runtime version",
    "no_ffmpeg": "RuntimeError: Couldn't find ffmpeg or avconv",
    "no_access": "huggingface_hub.errors.GatedRepoError: 401 Client Error.",
    "disk_full": "OSError: [Errno 28] No space left on device",
    "versions": "mismatched major/minor versions of vllm and vllm-omni",
    "request_aspect": "ValueError: t2va requires an explicit aspect_ratio",
    "request_field": "ref2va accepts at most 3 video references",
    "request_length": "A video reference duration must be in [2, 15] seconds",
    "tqdm_ascii": "ZeroDivisionError: integer division or modulo by zero",
    "start_failed": "RuntimeError: Orchestrator initialization failed: something that nobody knows",
}


def test_every_failure_is_tried() -> None:
    assert set(LINES) == {failure.name for failure in FAILURES}


@pytest.mark.parametrize(("name", "line"), LINES.items(), ids=list(LINES))
def test_a_line_is_explained(name: str, line: str) -> None:
    explained = explain(f"(DiffusionWorker pid=4242) ERROR 11-29 13:09:44 [x.py:1] {line}")
    assert explained is not None and explained.failure.name == name
    for message in (explained.message, explained.mend):
        assert message.text() != message.code and "{" not in message.text()


def test_the_cause_inside_a_wrapper_counts() -> None:
    explained = explain("RuntimeError: Orchestrator initialization failed: cfg_parallel_size must be 1")
    assert explained is not None and explained.failure.name == "cfg_parallel"


def test_the_first_cause_is_kept() -> None:
    lines = [
        "INFO Loading weights took 61 seconds",
        "VAE decode splits 3 tiles over 8 ranks",
        "Rank 0 scheduler is dead. Please check if there are relevant logs.",
        "torch.OutOfMemoryError: CUDA out of memory.",
        "OSError: [Errno 98] Address already in use",
    ]
    watch = CauseWatch()
    assert [watch.feed(line) for line in lines] == [False, True, True, True, False]
    assert watch.cause is not None and watch.cause.failure.name == "gpu_memory"
    calm = CauseWatch()
    assert not any(map(calm.feed, ["all is well", "step 3/50"])) and calm.cause is None


def test_a_mend_changes_the_profile() -> None:
    profile = Profile(id="x", title="x", args=("--omni", "--max-num-seqs", "4", "--ring", "1"), env={"A": "1"})
    edits = {failure.name: failure.edit for failure in FAILURES if failure.edit is not None}
    assert edits["batching"].apply(profile).args == ("--omni", "--ring", "1")
    assert edits["dlo_wave"].apply(profile).args == (*profile.args, "--dlo-no-use-allgather")
    assert edits["trtllm"].apply(profile).args[-2:] == ("--diffusion-attention-backend", "CUDNN_ATTN")
    assert edits["output_watchdog"].apply(profile).env == {"A": "1", "VLLM_OMNI_ASYNC_OUTPUT_TIMEOUT": "86400"}


def test_the_phases_of_a_start() -> None:
    reader = StartReader()
    boot = [
        ("Detected diffusion model: /m", StartPhase.PROGRAM),
        ("[OmniEngine] Launching Orchestrator thread with 1 stages", StartPhase.ENGINE),
        ("Worker 0: Initialized device and distributed environment.", StartPhase.WORKERS),
        ("Multi-thread loading shards:  42% Completed | 11/26 [00:05<00:06]", StartPhase.WEIGHTS),
        ("Loading weights took 61.23 seconds", StartPhase.LOADED),
        ("Worker 1: Initialized device and distributed environment.", StartPhase.LOADED),
        ("INFO:     Application startup complete.", StartPhase.HTTP),
    ]
    for at, (line, phase) in enumerate(boot):
        reader.feed(line, float(at))
        assert reader.progress is not None and reader.progress.phase is phase
    assert reader.times[StartPhase.WEIGHTS] == 3.0 and reader.times[StartPhase.HTTP] == 6.0


def test_shards_advance() -> None:
    reader = StartReader()
    bar = "Loading safetensors checkpoint shards:  {p}% Completed | {n}/13 [00:05<00:06]"
    assert reader.feed(bar.format(p=7, n=1), 1.0) and reader.feed(bar.format(p=15, n=2), 2.0)
    assert not reader.feed(bar.format(p=15, n=2), 3.0)
    assert reader.progress is not None and (reader.progress.shards, reader.progress.at) == ((2, 13), 1.0)
