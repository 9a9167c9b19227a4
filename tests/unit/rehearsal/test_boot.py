"""The start-up's log, and that each known way to fail says what the real server says."""

from __future__ import annotations

import re

import pytest

from studio.rehearsal.boot import FAILURES, BootFailed, boot, failure_named
from studio.rehearsal.log import Log

# The failure lines of a start-up as they were collected from real servers.
LINES = (
    r"No registered PipelineConfig resolved for model",
    r"did not resolve to a registered Omni pipeline or a supported diffusion model",
    r"HFValidationError: Repo id must be in the form",
    r"Could not find config.json or a Diffusers pipeline index for",
    r"Ref2VA partition not found at (\S+)",
    r"invalid MiniMax-H3 (\w+) partition at",
    r"No such file or directory: .*(FL2VA|Ref2VA)/",
    r"does not support request-level batching. Use max_num_seqs=1",
    r"--api-server-count > 1 is not supported for diffusion models",
    r"MiniMax-H3 task_type must be one of",
    r"cfg_parallel_size must be 1",
    r"vae_patch_parallel_size=1 or the full DiT group size",
    r"native tile parallel mode only",
    r"text_encoder_tp_size must (divide|not exceed)",
    r"Stage \d+ requires (\d+) device\(s\).*only (\d+)",
    r"Unknown diffusion offload component\(s\)",
    r"diffusion_offload_config cannot be combined with",
    r"dlo_resident_layers requires the DiT DLO transfer to be rank-local",
    r"error: unrecognized arguments: (.*)",
    r"error: argument \S+: invalid (loads value|choice)",
    r"CUDA out of memory",
    r"Exit code: -9",
    r"Bus error",
    r"illegal memory access",
    r"no kernel image is available",
    r"TRTLLM_ATTN .*requires a datacenter Blackwell GPU",
    r"FLASH_ATTN was explicitly selected but is unsupported",
    r"cutlass.*stride",
    r"(NCCL|ProcessGroupNCCL).*(timeout|watchdog|error)",
    r"Orchestrator did not become ready within (\d+)s",
    r"Orchestrator initialization failed: (.*)",
    r"Rank (\d+) scheduler is dead",
    r"\[Errno 98\] Address already in use",
    r"No CUDA GPUs are available",
    r"driver version is insufficient",
    r"No such file.*ffprobe",
    r"(GatedRepoError|401 Client Error)",
    r"No space left on device",
)


def test_every_failure_ends_the_start_up_with_its_line(capsys: pytest.CaptureFixture[str]) -> None:
    said = ""
    for name, failure in FAILURES.items():
        with pytest.raises(BootFailed) as ended:
            boot(Log(), "model", "http://127.0.0.1:1", 0, failure)
        assert ended.value.ends_by == failure.ends_by, name
        streams = capsys.readouterr()
        assert failure.text.splitlines()[0] in streams.err
        assert "Starting vLLM API server" not in streams.out or failure.stage == "ready"
        said += streams.err
    assert [line for line in LINES if not re.search(line, said, re.IGNORECASE)] == []


def test_stages_come_in_order(capsys: pytest.CaptureFixture[str]) -> None:
    log = Log()
    boot(log, "model", "http://127.0.0.1:1", 0)
    streams = capsys.readouterr()
    marks = ("Detected diffusion model: model", "Initializing", "Loading weights took", "Orchestrator ready", "on http")
    places = [streams.out.index(mark) for mark in marks]
    assert places == sorted(places)
    assert "Multi-thread loading shards: 100% Completed | 26/26" in streams.err
    assert log.name == "DiffusionWorker"


def test_another_text_is_a_workers_last_word() -> None:
    assert failure_named("no such thing").text == "no such thing"
    assert failure_named(None) is FAILURES["out_of_memory"]
