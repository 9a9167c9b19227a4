"""A result in words: what it is, what it was made of, how much there is of everything."""

from __future__ import annotations

import time
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from studio.core.words import cut_seconds, mark, ntr, tr
from studio.jobs import telling
from studio.jobs.library import Entry, Sidecar

_MIB, _GIB = 1 << 20, 1 << 30
TASKS: Final[Mapping[str, str]] = MappingProxyType(
    {"ref2va": mark("References"), "fl2va": mark("Frames"), "t2va": mark("Text only")}
)
_STAGES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "check": mark("check"),
        "prepare": mark("prepare"),
        "upload": mark("upload"),
        "render": mark("render"),
        "download": mark("download"),
        "verify": mark("verify"),
    }
)


def bytes_text(size: int) -> str:
    """A size: "812 KB", "6.2 MB", "1.4 GB"."""
    if size < _MIB:
        return tr("{size} KB", size=f"{size / 1024:.0f}")
    if size < _GIB:
        return tr("{size} MB", size=f"{size / _MIB:.1f}" if size < 10 * _MIB else f"{size / _MIB:.0f}")
    return tr("{size} GB", size=f"{size / _GIB:.1f}" if size < 100 * _GIB else f"{size / _GIB:.0f}")


def when(entry: Entry) -> str:
    """When it was asked for: the time of day today, else the date too."""
    return telling.clock(entry.created, time.time())


def outline(entry: Entry) -> str:
    """Length, size, when: "10.12 s · 1344×768 · 14:05"."""
    length = tr("{seconds} s", seconds=cut_seconds(entry.seconds))
    return " · ".join((length, f"{entry.width}×{entry.height}", when(entry)))


def in_short(entry: Entry) -> str:
    """All that a card shows, for those who do not see it."""
    said = [entry.title[:200], outline(entry)]
    if entry.rehearsal:
        said.append(tr("rehearsal"))
    if entry.marks.star:
        said.append(tr("starred"))
    if entry.marks.reject:
        said.append(tr("rejected"))
    if entry.flaws:
        said.append(ntr("{count} fault", "{count} faults", len(entry.flaws)))
    if entry.missing:
        said.append(tr("not there any more"))
    return ", ".join(said)


def facts(entry: Entry, recipe: Sidecar | None) -> list[tuple[str, str]]:
    """What was asked for and how it went: (name, value) a line."""
    length = tr("{seconds} s", seconds=cut_seconds(entry.seconds))
    lines = [
        (tr("Mode"), tr(TASKS[entry.task]) if entry.task in TASKS else entry.task),
        (tr("Canvas"), f"{entry.width}×{entry.height}"),
        (tr("Length"), f"{length} · {ntr('{count} frame', '{count} frames', entry.frames)}"),
        (tr("Steps"), str(entry.steps)),
        (tr("Seed"), str(entry.seed)),
    ]
    if recipe is not None:
        lines += _of_recipe(recipe)
    lines.append((tr("File"), f"{entry.video.name} · {bytes_text(entry.size_bytes)}"))
    return lines


def _of_recipe(recipe: Sidecar) -> list[tuple[str, str]]:
    lines = [(up.filename or "–", up.source.name if up.source else "–") for up in recipe.uploads]
    server = " ".join(str(recipe.server[name]) for name in ("model", "version") if recipe.server.get(name))
    if server:
        lines.append((tr("Server"), server))
    if recipe.verified:
        lines.append((tr("Verified"), _verified(recipe)))
    times = [f"{tr(_STAGES.get(name, name))} {telling.duration(took)}" for name, took in recipe.timings.items()]
    if times:
        lines.append((tr("Times"), " · ".join(times)))
    return lines


def _verified(recipe: Sidecar) -> str:
    seen = recipe.verified
    frames = ntr("{count} frame", "{count} frames", int(seen.get("frames") or 0))
    sound = tr("with sound") if seen.get("audio_channels") else tr("no sound")
    return tr("every frame decodes: {frames}, {size}, {sound}", frames=frames, size=_size(recipe), sound=sound)


def _size(recipe: Sidecar) -> str:
    return f"{recipe.verified.get('width')}×{recipe.verified.get('height')}"
