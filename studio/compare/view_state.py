"""How a pair was looked at last, kept by the content of both files."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, ConfigDict

from studio.compare.compositing import Fit, Kind, Mode
from studio.compare.kept import Kept
from studio.core.paths import cache_dir

MOST = 2000
"""Kept pairs, 200 bytes each."""


class ViewState(BaseModel):
    """`offset` in frames is None unless it was set by hand. `edge`, `opacity`: 0…1."""

    model_config = ConfigDict(frozen=True)

    mode: Mode = "side"
    kind: Kind = "absolute"
    gain: int = 4
    edge: float = 0.5
    upright: bool = True
    opacity: float = 0.5
    fit: Fit = "fit"
    offset: int | None = None


class KeptViews:
    """View states by pair. Blocking: it hashes both files; raises OSError when one is gone."""

    def __init__(self) -> None:
        self._kept = Kept(cache_dir() / "views", ViewState, MOST)

    def read(self, a: Path, b: Path) -> ViewState | None:
        """How this pair was looked at; None when it never was."""
        return self._kept.get(self._kept.key(a, b))

    def write(self, a: Path, b: Path, state: ViewState) -> None:
        """Keep it."""
        self._kept.put(self._kept.key(a, b), state)
