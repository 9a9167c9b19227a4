"""A few dozen small files around every bound of the contract, and the way of a request from them to a server.

Everything is made by the real media code: what the rules judge is a plan, what the server judges is the prepared file.
"""

from __future__ import annotations

import asyncio
import wave
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path

import numpy as np
from PIL import Image

from studio.contract import Limits, MediaFacts, Reference, Request, Shot, Unreadable, load_limits, wire_form
from studio.core.errors import StudioError
from studio.media.prepare import Prepared, prepare
from studio.media.probe import probe_file
from studio.media.workers import Workers
from tests.helpers.media_factory import clicks, write_clip, write_sound

_NTSC, _FILM = Fraction(30_000, 1001), Fraction(24_000, 1001)
_PICTURES = [(256, 256), (255, 400), (400, 255), (640, 256), (641, 256), (256, 640), (256, 641), (64, 64), (31, 31)]
_LARGE = [(5761, 2310)]


def write_pictures(folder: Path) -> list[Path]:
    """Pictures at the edges of size and shape, and in forms that have to be converted."""
    made: list[Path] = []
    for width, height in (*_PICTURES, *_LARGE):
        made.append(folder / f"{width}x{height}.png")
        Image.new("RGB", (width, height), (200, 80, 40)).save(made[-1], compress_level=1)
    turned = Image.Exif()
    turned[0x0112] = 6
    Image.new("RGB", (300, 400), "red").save(folder / "turned.jpg", exif=turned)
    Image.new("P", (300, 300)).save(folder / "palette.gif")
    Image.fromarray(np.full((300, 300), 40_000, np.uint16)).save(folder / "grey16.png")
    return [*made, folder / "turned.jpg", folder / "palette.gif", folder / "grey16.png"]


def write_clips(folder: Path) -> list[Path]:
    """Clips at the edges of length, size, shape and sound, and in rates and forms that have to be converted."""
    made: list[Path] = []

    def clip(name: str, frames: int, sound: float | None = None, **more: object) -> None:
        heard = None if sound is None else clicks(sound, 32_000)
        made.append(write_clip(folder / name, frames=frames, sound=heard, sound_rate=32_000, **more))  # type: ignore[arg-type]

    for frames in (24, 47, 48, 49, 56, 107, 180, 240, 360, 361, 362):
        clip(f"f{frames}.mp4", frames)
    for frames, sound in ((48, 2.0), (72, 1.9), (72, 2.1), (120, 5.0), (192, 8.0), (360, 15.0), (362, 15.1), (72, 5.0)):
        clip(f"f{frames}_s{sound}.mp4", frames, sound)
    clip("film15s.mp4", 360, fps=_FILM)
    clip("ntsc15s.mp4", 450, fps=_NTSC)
    clip("ntsc2s.mp4", 60, fps=_NTSC)
    clip("slow.mp4", 30, fps=Fraction(25, 2))
    clip("fast.mp4", 150, fps=60)
    for width, height in ((128, 128), (254, 300), (640, 256), (644, 256), (256, 640), (256, 644), (100, 600)):
        clip(f"{width}x{height}.mp4", 56, size=(width, height))
    clip("turned.mp4", 60, size=(320, 256), rotation=90)
    clip("mpeg4.mkv", 60, 2.5, codec="mpeg4")
    return made


def write_sounds(folder: Path) -> list[Path]:
    """Sounds at the edges of length, and in forms that have to be converted."""
    made: list[Path] = []
    for ms in (500, 1999, 2000, 2001, 5000, 7500, 10_000, 14_999, 15_000, 15_001, 20_000):
        made.append(folder / f"{ms}ms.wav")
        with made[-1].open("wb") as fp, wave.open(fp, "wb") as out:
            out.setnchannels(1)
            out.setsampwidth(2)
            out.setframerate(8000)
            out.writeframes(bytes(2 * 8 * ms))
    made.append(write_sound(folder / "15s.mp3", clicks(15.0), 48_000, "libmp3lame"))
    made.append(write_sound(folder / "3s.flac", clicks(3.0), 48_000, "flac"))
    return made


class Corpus:
    """The files with their facts, a place for what is prepared from them, and a loop to prepare on.

    No dataclass: Hypothesis would print all of it beside a failing example, and warn of that instead of the failure.
    """

    def __init__(self, facts: dict[str, MediaFacts], folder: Path) -> None:
        self.facts = facts
        self.folder = folder
        self.limits: Limits = load_limits()
        self._runner = asyncio.Runner()
        self._workers: Workers | None = None
        self._made: dict[str, Prepared | StudioError] = {}

    def names(self, kind: str) -> list[str]:
        """The file names of one kind."""
        return [name for name, facts in self.facts.items() if facts.kind == kind]

    def request(self, shot: Shot) -> Request:
        """A request of references whose paths are file names of the corpus."""
        known: dict[str, MediaFacts | Unreadable] = {r.id: self.facts[r.path.name] for r in shot.references}
        return Request(shot, self.limits, known)

    def prepared(self, reference: Reference) -> Prepared:
        """The upload for a reference, made once for all that ask the same of the same file. Raises StudioError."""
        wishes = reference.model_dump_json(exclude={"id", "role", "set_aside"})
        if wishes not in self._made:
            self._made[wishes] = self._prepare(reference, f"u{len(self._made)}")
        made = self._made[wishes]
        if isinstance(made, StudioError):
            raise made.with_traceback(None)
        return made

    def upload(self, request: Request) -> tuple[list[tuple[str, str]], list[Prepared]]:
        """The fields and files that are sent for a request. Raises StudioError when a file cannot be prepared."""
        form = wire_form(request)
        references = [request.shot.reference(part.ref_id) for part in form.parts]
        return list(form.fields), [self.prepared(r) for r in references if r is not None]

    def close(self) -> None:
        """End the workers and the loop."""
        if self._workers is not None:
            self._runner.run(self._workers.aclose())
        self._runner.close()

    def _prepare(self, reference: Reference, stem: str) -> Prepared | StudioError:
        async def made() -> Prepared:
            self._workers = self._workers or Workers()
            facts = self.facts[reference.path.name]
            return await prepare(self._workers, facts, reference, self.folder / "prepared", stem=stem)

        try:
            return self._runner.run(made())
        except StudioError as error:
            return error


def make_corpus(folder: Path) -> Corpus:
    """Write and probe all files; at 256 × 256 this takes about 20 s."""
    makers: Sequence[Callable[[Path], list[Path]]] = (write_pictures, write_clips, write_sounds)
    files = [path for make in makers for path in make(folder)]
    assert len(files) <= 60, len(files)
    return Corpus({path.name: probe_file(path) for path in files}, folder)
