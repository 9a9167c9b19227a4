"""What the server is told when it starts: one list, for `python -m studio.rehearsal` and `h3studio rehearse`."""

from __future__ import annotations

import argparse
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal, Self

from studio.rehearsal.faults import KNOWN, parse

STEP_SECONDS = 0.15

Partition = Literal["combined", "fl2va", "ref2va"]


@dataclass(frozen=True)
class Options:
    """Times in seconds. `row_seconds`: k of the pace k·N·(1 + N/27 000) a step for N rows, in place of `step_seconds`.
    `step_scatter`: the share by which steps of one job differ, drawn from its seed.
    `profiler`, `task_type` and `step_execution` stand for the real server's flags of these names."""

    host: str = "127.0.0.1"
    port: int = 0
    step_seconds: float = STEP_SECONDS
    row_seconds: float | None = None
    step_scatter: float = 0.0
    start_seconds: float = 0.0
    faults: tuple[str, ...] = ()
    exit_with_parent: bool = False
    api_key_env: str = "VLLM_API_KEY"
    storage: Path | None = None
    profiler: bool = False
    task_type: Partition = "combined"
    step_execution: bool = False

    @classmethod
    def read(cls, parsed: argparse.Namespace) -> Self:
        """From what a parser with `add_options` gave."""
        values: dict[str, Any] = {field.name: getattr(parsed, field.name) for field in fields(cls)}
        return cls(**values | {"faults": tuple(values["faults"])})


def known_faults() -> str:
    """The names that `--fail` takes, one a line with what each does."""
    return "failures that --fail orders:\n" + "\n".join(f"  {name:16}{text}" for name, text in KNOWN.items())


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add all options."""
    add = parser.add_argument
    add("--host", default="127.0.0.1", help="address to listen on (default: this machine only)")
    add("--port", type=int, default=0, metavar="N", help="0, the default, takes a free one")
    add("--step-seconds", type=_seconds, default=STEP_SECONDS, metavar="S", help="length of a denoise step")
    add(
        "--row-seconds",
        type=_seconds,
        metavar="K",
        help="pace from the size of the job instead: a step of N rows takes K*N*(1+N/27000) s",
    )
    add("--step-scatter", type=_seconds, default=0.0, metavar="SHARE", help="by how much a job's steps differ")
    add("--start-seconds", type=_seconds, default=0.0, metavar="S", help="time until HTTP answers")
    add(
        "--fail",
        dest="faults",
        type=_order,
        action="append",
        default=[],
        metavar="NAME[=VALUE][@WHEN]",
        help="order a failure",
    )
    add("--exit-with-parent", action="store_true", help="end when the process that started it ends")
    add("--api-key-env", default="VLLM_API_KEY", metavar="NAME", help="variable that holds the API key")
    add("--storage", type=Path, metavar="DIR", help="folder for results (default: an own one, removed at the end)")
    add(
        "--enable-diffusion-pipeline-profiler",
        dest="profiler",
        action="store_true",
        help="log the end of each phase and count it in stage_durations",
    )
    add("--task-type", choices=("combined", "fl2va", "ref2va"), default="combined", help="the partition that is loaded")
    add("--step-execution", action="store_true", help="model refusals keep their status 400; no step bar")


def _seconds(text: str) -> float:
    value = float(text)
    if not 0 <= value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text}: a time cannot be negative or endless")
    return value


def _order(text: str) -> str:
    try:
        parse(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error
    return text
