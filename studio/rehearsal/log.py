"""What the real server prints: vLLM's log lines on stdout, the step bar and uvicorn's notes on stderr.

Every line starts with `(Name pid=N) `; an update of the bar starts with CR, so the prefix stands once before them
(vllm 0.30.0, utils/system_utils.py).
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO

import tqdm


class _Prefixed:
    """A text stream that puts the process's name before each line."""

    def __init__(self, stream: TextIO, log: Log) -> None:
        self._stream = stream
        self._log = log
        self._new_line = True

    def write(self, text: str) -> int:
        for piece in text.splitlines(keepends=True):
            self._stream.write(self._log.prefix + piece if self._new_line else piece)
            self._new_line = piece.endswith("\n")
        return len(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


class Log:
    """Writer of log lines. `name` is the process's title: `APIServer`, after loading `DiffusionWorker`."""

    def __init__(self) -> None:
        self.name = "APIServer"
        self.plain = os.environ.get("VLLM_CONFIGURE_LOGGING") == "0"

    @property
    def prefix(self) -> str:
        """What stands before each line."""
        return "" if self.plain else f"({self.name} pid={os.getpid()}) "

    def attach(self) -> None:
        """From here on, everything this process prints is prefixed."""
        sys.stdout = _Prefixed(sys.stdout, self)
        sys.stderr = _Prefixed(sys.stderr, self)

    def info(self, place: str, message: str, level: str = "INFO") -> None:
        """One record; `place` is `file.py:line`. Lines after the first repeat the header, joined with CR LF."""
        stamp = time.strftime("%m-%d %H:%M:%S")
        head = f"{level} {stamp} [{place}] "
        sys.stdout.write("\r\n".join(head + line for line in message.split("\n")) + "\n")
        sys.stdout.flush()

    def error(self, place: str, message: str) -> None:
        """One ERROR record."""
        self.info(place, message, "ERROR")

    def profile(self, target: str, seconds: float) -> None:
        """The line that marks the end of a phase (`--enable-diffusion-pipeline-profiler`)."""
        text = f"[DiffusionPipelineProfiler] MiniMaxH3Pipeline.{target} took {seconds:.6f}s"
        self.info("diffusion_pipeline_profiler.py:52", text)

    def boot(self, model: str, url: str) -> Iterator[None]:
        """Print the boot log in order; yields between stages so that the caller sets the pace."""
        for place, message in _boot_lines(model):
            if place:
                self.info(place, message)
            else:
                sys.stderr.write(f"\r{message}\n")
            if message.startswith("Loading weights"):
                self.name = "DiffusionWorker"
            yield
        self.info("api_server.py:864", f"Starting vLLM API server (pure diffusion mode) on {url}")


def _boot_lines(model: str) -> Iterator[tuple[str, str]]:
    """Place and message; a line without a place is a bar's and goes to stderr bare."""
    yield "serve.py:314", f"Detected diffusion model: {model}"
    yield "omni_engine_base.py:163", f"[OmniEngine] Initializing with model {model}"
    yield "omni_engine_base.py:312", "[OmniEngine] Launching Orchestrator thread with 1 stages"
    yield "stage_init_utils.py:775", "[stage_init] Set VLLM_WORKER_MULTIPROC_METHOD=spawn"
    yield "stage_init_utils.py:998", "[stage_init] Stage-0 set runtime devices: 0,1"
    for done in (1, 2, 3):
        bar = f"Multi-thread loading shards: {100 * done // 3:3d}% Completed | {done}/3 [00:00<00:00, 30.00it/s]"
        yield "", bar
    yield "diffusers_loader.py:1099", "Loading weights took 0.10 seconds"
    yield "diffusion_model_runner.py:352", "Model loading took 56.3 GiB and 0.1 seconds"
    yield "diffusion_model_runner.py:358", "Model runner: Model loaded successfully."
    yield "diffusion_worker.py:316", "Model runner: Initialization complete."
    yield "diffusion_worker.py:439", "Worker 0: Process-scoped GPU memory after model loading: 56.3 GiB."
    yield "diffusion_worker.py:1486", "Worker 0: Initialization complete."
    yield "diffusion_engine.py:1419", "Skipping dummy warmup run (num_frames=0)"
    yield (
        "inline_stage_diffusion_client.py:82",
        "[InlineStageDiffusionClient] stage-0 [rep-0] initialized inline (max_num_seqs=1)",
    )
    yield "orchestrator.py:432", "[Orchestrator] Starting event loop"
    yield "omni_engine_base.py:344", "[OmniEngine] Orchestrator ready with 1 stages"
    yield "api_server.py:373", "Detected pure diffusion mode (single diffusion stage)"
    yield "api_server.py:776", f"Pure diffusion API server initialized for model: {model}"


@contextmanager
def step_bar(steps: int, shown: bool = True) -> Iterator[Any]:
    """H3's bar: tqdm with only `total` and `disable` given, so that the environment's `TQDM_*` variables hold."""
    with tqdm.tqdm(total=steps, disable=not shown) as bar:
        yield bar
