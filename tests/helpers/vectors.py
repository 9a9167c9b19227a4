"""The server's recorded behaviour: cases of `tests/data/vectors`, made by running vllm-omni 0.30.0 itself."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

_FOLDER = Path(__file__).parents[1] / "data" / "vectors"


def cases(name: str, *kinds: str) -> list[Any]:
    """The cases of one file, of some kinds or of all, as pytest parameters with readable ids."""
    found = json.loads((_FOLDER / f"{name}.json").read_text("utf-8"))["cases"]
    wanted = [c for c in found if not kinds or c["kind"] in kinds]
    assert wanted, f"{name}.json has no case of {kinds}"
    return [pytest.param(c, id=f"{i}-{c.get('label') or c.get('kind', name)}") for i, c in enumerate(wanted)]


def kinds(name: str) -> set[str]:
    """All kinds of cases in a file."""
    return {c["kind"] for c in json.loads((_FOLDER / f"{name}.json").read_text("utf-8"))["cases"]}
