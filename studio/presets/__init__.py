"""Shots and presets on disk: what users save, share and use again, and the templates that are built in."""

from studio.presets import sentences
from studio.presets.library import PresetLibrary, read_preset, templates, write_preset
from studio.presets.preset import (
    PARTS,
    SUFFIX,
    Preset,
    PresetError,
    apply,
    dump_preset,
    parse_preset,
    preset_of,
    without_parts,
)
from studio.presets.skeleton import Place, filled, findings, generalised, places

__all__ = [
    "PARTS",
    "SUFFIX",
    "Place",
    "Preset",
    "PresetError",
    "PresetLibrary",
    "apply",
    "dump_preset",
    "filled",
    "findings",
    "generalised",
    "parse_preset",
    "places",
    "preset_of",
    "read_preset",
    "sentences",
    "templates",
    "without_parts",
    "write_preset",
]
