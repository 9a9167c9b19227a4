"""One result as the library knows it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from studio.contract.shot import FPS
from studio.core.words import Message
from studio.jobs.library.marks import Marks


@dataclass(frozen=True, slots=True)
class Entry:
    """A row of the index. `id` is 0 until it has one; `created` is wall seconds since the epoch."""

    video: Path
    created: float
    prompt: str
    """As it was sent."""
    task: str
    seed: int
    steps: int
    width: int
    height: int
    frames: int
    size_bytes: int
    rehearsal: bool
    sha256: str = ""
    """Of the video's content, from its recipe; empty when that does not say."""
    job: str = ""
    marks: Marks = field(default_factory=Marks)
    stamp: int = 0
    """Newest change of recipe and marks on disk (ns); a file that has not changed since is not read again."""
    trashed: bool = False
    missing: bool = False
    """The video was looked for and not found."""
    flaws: tuple[Message, ...] | None = None
    """What is wrong with it, found by looking at all of it; None until that was done."""
    id: int = 0

    @property
    def seconds(self) -> float:
        """Length at 24 frames a second."""
        return self.frames / FPS

    @property
    def title(self) -> str:
        """The prompt on one line, else the file's name."""
        return " ".join(self.prompt.split()) or self.video.stem
