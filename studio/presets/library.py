"""Where presets lie: the built-in templates, and the user's own in the configuration folder, one file each."""

from __future__ import annotations

import functools
from importlib import resources
from pathlib import Path
from typing import Final

from studio.core import paths
from studio.core.errors import StudioError
from studio.core.files import write_atomic
from studio.presets.preset import SUFFIX, Preset, PresetError, dump_preset, parse_preset

MAX_BYTES: Final = 1 << 20


@functools.cache
def templates() -> tuple[Preset, ...]:
    """The built-in templates, those of one mode together."""
    order = {"ref2va": 0, "fl2va": 1, "t2va": 2}
    folder = resources.files("resources") / "presets"
    files = sorted((entry for entry in folder.iterdir() if entry.name.endswith(".json")), key=lambda e: e.name)
    # That each can be applied is seen in the tests, not at every start.
    found = [Preset.model_validate_json(entry.read_bytes()) for entry in files]
    return tuple(sorted(found, key=lambda preset: order[preset.task]))


class PresetLibrary:
    """The user's own presets. Every method touches the disk: call it in a thread."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or paths.config_dir() / "presets"

    def load(self) -> tuple[list[Preset], list[StudioError]]:
        """All presets by title, and what had to be left out and why; files that cannot be used stay as they are."""
        found: list[Preset] = []
        troubles: list[StudioError] = []
        for path in sorted(self.folder.glob(f"*{SUFFIX}")):
            try:
                # The file's name is the id, also when somebody else named the file: saving goes to where it came from.
                found.append(read_preset(path).but(id=path.name.removesuffix(SUFFIX)))
            except PresetError as error:
                troubles.append(error)
        return sorted(found, key=lambda preset: preset.title.casefold()), troubles

    def add(self, preset: Preset) -> Preset:
        """Keep a new preset; gives it with an id that no other has. Raises PresetError "preset.unwritable"."""
        taken = {path.name.removesuffix(SUFFIX) for path in self.folder.glob(f"*{SUFFIX}")}
        taken |= {built_in.id for built_in in templates()}
        wanted, number = preset.id, 1
        while preset.id in taken:
            number += 1
            preset = preset.but(id=f"{wanted}-{number}")
        self.save(preset)
        return preset

    def save(self, preset: Preset) -> None:
        """Write a preset over the one with its id. Raises PresetError "preset.unwritable"."""
        write_preset(preset, self._path(preset.id))

    def delete(self, preset_id: str) -> None:
        """Delete a preset; nothing happens when it is gone. Raises PresetError "preset.unwritable"."""
        path = self._path(preset_id)
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            raise PresetError("preset.unwritable", path=str(path), reason=error.strerror or str(error)) from error

    def _path(self, preset_id: str) -> Path:
        return self.folder / f"{preset_id}{SUFFIX}"


def read_preset(path: Path) -> Preset:
    """The preset in a file. Raises PresetError ("preset.unreadable", "preset.damaged", "preset.newer")."""
    try:
        size = path.stat().st_size
        if size > MAX_BYTES:
            raise PresetError("preset.damaged", path=str(path), reason=f"{size:,} bytes")
        data = path.read_bytes()
    except OSError as error:
        raise PresetError("preset.unreadable", path=str(path), reason=error.strerror or str(error)) from error
    try:
        return parse_preset(data)
    except PresetError as error:
        error.params["path"] = str(path)
        raise


def write_preset(preset: Preset, path: Path) -> None:
    """Write a preset to a file of the user's choice. Raises PresetError "preset.unwritable"."""
    try:
        write_atomic(path, dump_preset(preset))
    except OSError as error:
        raise PresetError("preset.unwritable", path=str(path), reason=error.strerror or str(error)) from error
