"""Failures that strike in the render, and the words of the real worker for them."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING

from studio.rehearsal.faults import Faults
from studio.rehearsal.log import Log
from studio.rehearsal.worker import Stopped, WorkerError

if TYPE_CHECKING:
    from studio.rehearsal.engine import Engine

ENGINE_DEAD = "Stage-0 has no live replica"
FORWARD_TIMED_OUT = "RPC call to generate timed out."
ROWS = 100_000
_DYING = "EngineCore encountered an issue. See stack trace (above) for the root cause."
_OOM = (
    "CUDA out of memory. Tried to allocate 12.38 GiB. GPU 0 has a total capacity of 95.59 GiB of which 3.02 GiB is "
    "free. Including non-PyTorch memory, this process has 92.55 GiB memory in use."
)
_CUDNN = (
    "Expected mha_graph.execute(handle, variant_pack, workspace_ptr.get()).is_good() to be true, but got false.  "
    "(Could this error message be improved?  If so, please report an enhancement request to PyTorch.)"
)


def refuse_rows(rows: int, faults: Faults) -> None:
    """cuDNN's attention graph fails on sequences that are too long for it."""
    fault = faults.get("cudnn")
    if fault is not None and rows > fault.number(ROWS):
        raise WorkerError(_CUDNN, client=False)


def before_step(step: int, steps: int, engine: Engine) -> None:
    """Faults that hit before this step (1-based)."""
    faults = engine.faults
    if (fault := faults.get("oom")) and (fault.struck or faults.at_step("oom", step, steps)):
        fault.struck = True
        raise WorkerError(_OOM, client=False)
    if fault := faults.at_step("error", step, steps):
        raise WorkerError(fault.value or f"worker failed at step {step}/{steps}", client=False)
    if fault := faults.at_step("engine_death", step, steps):
        engine.dead = True
        raise WorkerError(fault.value or _DYING, client=False)
    if faults.at_step("server_death", step, steps):
        os._exit(1)
    if faults.at_step("forget", step, steps):
        engine.jobs.clear()
        raise Stopped


async def lose_output(seconds: float, log: Log) -> None:
    """The output of a finished render never arrives: after so long the job fails, without a word of its own."""
    await asyncio.sleep(seconds)
    log.error(
        "diffusion_engine.py:483",
        f"Timed out after {seconds:.1f}s waiting for async output; set VLLM_OMNI_ASYNC_OUTPUT_TIMEOUT to a larger "
        "value to allow slower steps. Executor state: unavailable",
    )
    raise TimeoutError
