"""Which files of the model's repository a server needs (vllm-omni 0.30.0, pipeline_minimax_h3.py).

The root `model_index.json` (3 KB) is one of them: without it the folder is not recognised as a model.
"""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase
from typing import Final, Literal

Partition = Literal["combined", "FL2VA", "Ref2VA"]
REPOSITORY: Final = "MiniMaxAI/MiniMax-H3"
PATTERNS: Final[dict[Partition, tuple[str, ...]]] = {
    "combined": ("model_index.json", "FL2VA/*", "Ref2VA/model_index.json", "Ref2VA/transformer/*"),
    "FL2VA": ("model_index.json", "FL2VA/*"),
    "Ref2VA": ("model_index.json", "Ref2VA/*"),
}
SIZES_GIB: Final[dict[Partition, int]] = {"combined": 197, "FL2VA": 135, "Ref2VA": 135}
"""What each takes on disk, before the hub has been asked."""


def page_of(repository: str = REPOSITORY) -> str:
    """The page on which access is asked for."""
    return f"https://huggingface.co/{repository}"


def chosen(names: Iterable[str], patterns: Iterable[str]) -> list[str]:
    """The names that a pattern takes. As on the hub, `*` goes through folders."""
    patterns = tuple(patterns)
    return [name for name in names if any(fnmatchcase(name, pattern) for pattern in patterns)]


def unmatched(names: Iterable[str], patterns: Iterable[str]) -> list[str]:
    """The patterns that take nothing: files that a server needs and that are not there."""
    names = tuple(names)
    return [pattern for pattern in patterns if not any(fnmatchcase(name, pattern) for name in names)]
