"""The recipe beside a result, read back: for the index, for the details, and to render it again."""

from __future__ import annotations

import json
import os
from datetime import datetime
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from studio.contract import Reference, Shot, parse_shot
from studio.jobs.library.entry import Entry
from studio.jobs.library.errors import LibraryError
from studio.jobs.library.marks import marks_of, read_marks
from studio.jobs.results import sidecar_of


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class Asked(_Part):
    """What the shot came to."""

    task: str = ""
    width: int = 0
    height: int = 0
    frames: int = 0
    steps: int = 0
    seed: int = 0


class Uploaded(_Part):
    """A reference as it was sent, and the file that it was made from."""

    filename: str = ""
    source: Path | None = None


class Sidecar(_Part):
    """The parts of a sidecar that the library reads. Stages of `timings` are in seconds."""

    job: str = ""
    created: datetime
    shot: dict[str, Any]
    resolved: Asked = Asked()
    wire: tuple[tuple[str, str], ...] = ()
    uploads: tuple[Uploaded, ...] = ()
    server: dict[str, Any] = {}
    timings: dict[str, float] = {}
    verified: dict[str, Any] = {}
    sha256: str = ""
    rehearsal: bool = False

    @property
    def prompt(self) -> str:
        """As it was sent."""
        return dict(self.wire).get("prompt") or str(self.shot.get("prompt", ""))

    def to_shot(self) -> Shot:
        """The shot, to be rendered again. Raises ContractError when it is damaged or newer."""
        return parse_shot(json.dumps(self.shot).encode(), None)

    def clip(self) -> Reference | None:
        """The first clip that was sent."""
        return next((r for r in self.to_shot().sent() if r.kind == "video"), None)

    def source(self) -> Path | None:
        """What a result is compared with: the first clip that was sent, else the first picture."""
        images = (r for r in self.to_shot().sent() if r.kind == "image")
        first = self.clip() or next(images, None)
        return first.path if first else None


def read_sidecar(video: Path) -> Sidecar:
    """The recipe beside a result. Raises LibraryError `library.no_recipe`."""
    path = sidecar_of(video)
    try:
        data = path.read_bytes()
        if b"\\ud" in data:
            # Lone surrogates of odd names and prompts are JSON, but no text that pydantic takes.
            data = json.dumps(json.loads(data), ensure_ascii=False).encode("utf-8", "replace")
        return Sidecar.model_validate_json(data)
    except (OSError, ValueError, RecursionError) as error:
        params = {"name": video.name, "sidecar": path.name}
        raise LibraryError("library.no_recipe", mend="library.no_recipe.mend", detail=str(error), **params) from error


def stamp_of(video: Path) -> int:
    """When recipe or marks of a result changed last, in ns; 0 without a recipe."""
    try:
        newest = sidecar_of(video).stat().st_mtime_ns
    except OSError:
        return 0
    try:
        return max(newest, marks_of(video).stat().st_mtime_ns)
    except OSError:
        return newest


def entry_from(video: Path, recipe: Sidecar, *, trashed: bool = False) -> Entry:
    """A result as the index keeps it, marks beside it included. Raises OSError when the video is not there."""
    return Entry(
        video=Path(os.path.abspath(video)),  # noqa: PTH100  (resolve() would give up the user's own name of it)
        created=recipe.created.timestamp(),
        prompt=recipe.prompt,
        task=recipe.resolved.task or str(recipe.shot.get("task", "")),
        seed=recipe.resolved.seed,
        steps=recipe.resolved.steps,
        width=recipe.resolved.width,
        height=recipe.resolved.height,
        frames=recipe.resolved.frames,
        size_bytes=video.stat().st_size,
        rehearsal=recipe.rehearsal,
        sha256=recipe.sha256,
        job=recipe.job,
        marks=read_marks(video),
        stamp=stamp_of(video),
        trashed=trashed,
    )
