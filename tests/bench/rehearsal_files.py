"""The reference files of the recorded requests, made by their recipes: ffmpeg command lines and Pillow notes."""

from __future__ import annotations

import io
import re
import shlex
import subprocess
from pathlib import Path

import numpy as np
import pillow_heif
from PIL import Image


class Maker:
    """Makes files in `folder`; `media` holds what comes from the media generator, or is None."""

    def __init__(self, folder: Path, media: Path | None) -> None:
        self.folder, self.media = folder, media
        self._made: dict[str, Path | None] = {}

    def make(self, recipe: str) -> Path | None:
        """The file of a recipe; None when it needs the media folder and there is none."""
        if recipe not in self._made:
            self._made[recipe] = self._make(recipe)
        return self._made[recipe]

    def _make(self, recipe: str) -> Path | None:
        if found := re.match(r"(?:make_media\.py: |media/)(\S+)$", recipe):
            path = self.media / found.group(1) if self.media else None
            return path if path is not None and path.is_file() else None
        if recipe.startswith("Pillow: "):
            return self._picture(recipe)
        if found := re.match(r"(\S+) copied to (\S+); (ffmpeg .*)", recipe):
            self._run(found.group(3))
            return self._write(found.group(2), (self.folder / found.group(1)).read_bytes())
        if found := re.match(r"(\S+) padded to (\d+) bytes", recipe):
            whole = (self.folder / found.group(1)).read_bytes()
            missing = int(found.group(2)) - len(whole)
            box = missing.to_bytes(4, "big") + b"free" + bytes(missing - 8)
            return self._write("padded.mp4", whole + box)
        if found := re.match(r"first (\d+) % of (\S+)", recipe):
            whole = (self.folder / found.group(2)).read_bytes()
            return self._write(f"trunc{Path(found.group(2)).suffix}", whole[: len(whole) * int(found.group(1)) // 100])
        return self._run(recipe)

    def _run(self, commands: str) -> Path:
        for command in commands.split("; "):
            argv = shlex.split(command)
            subprocess.run([argv[0], "-v", "error", "-y", *argv[1:]], cwd=self.folder, check=True)
        return self.folder / argv[-1]

    def _write(self, name: str, data: bytes) -> Path:
        path = self.folder / name
        path.write_bytes(data)
        return path

    def _picture(self, recipe: str) -> Path:
        width, height = map(int, re.search(r"(\d+)x(\d+)", recipe).groups())
        named = re.search(r"(?:saved as|named) (\S+)$", recipe)
        name = named.group(1) if named else "exif6.jpg"
        mode = next((mode for mode in ("CMYK", "RGBA") if mode in recipe), "RGB")
        rng = np.random.default_rng(1)
        coarse = Image.fromarray(rng.integers(0, 255, (8, 8, 3), np.uint8))
        image = coarse.resize((width, height)).convert(mode)
        memory = io.BytesIO()
        if name.endswith(".heic"):
            pillow_heif.from_pillow(image).save(memory)
        elif "MPO" in recipe:
            image.save(memory, "MPO", save_all=True, append_images=[image.copy()])
        elif "EXIF" in recipe:
            exif = Image.Exif()
            exif[0x0112] = 6
            image.save(memory, "JPEG", exif=exif)
        else:
            kind = Path(name).suffix[1:].upper()
            image.save(memory, "JPEG" if kind == "JPG" else kind)
        return self._write(name, memory.getvalue())
