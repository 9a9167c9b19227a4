"""Requests made of plain values: a tray of pictures, clips and sounds with the facts that a probe would give."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from studio.contract import (
    AudioFacts,
    ImageFacts,
    Limits,
    MediaFacts,
    Reference,
    Request,
    Shot,
    VideoFacts,
    load_limits,
)


@dataclass(frozen=True)
class Item:
    """A reference together with its facts."""

    reference: Reference
    facts: MediaFacts


def _facts(path: Path, kind: Any, **more: Any) -> MediaFacts:
    return MediaFacts(path=path, kind=kind, container="mp4", size_bytes=1000, mtime_ns=1, **more)


def _sound(seconds: float) -> AudioFacts:
    return AudioFacts(codec="aac", sample_rate=48000, channels=2, duration=seconds, server_duration=seconds)


def clip(
    ref_id: str,
    seconds: float,
    size: tuple[int, int] = (1280, 720),
    sound: float | None = None,
    **fields: Any,
) -> Item:
    """A clip at 24 fps; `sound` is the length of its soundtrack in seconds, None without one."""
    path = Path(f"/clips/{ref_id}.mp4")
    width, height = size
    video = VideoFacts(
        codec="h264",
        width=width,
        height=height,
        display_width=width,
        display_height=height,
        fps=24,
        server_fps=24,
        frames=round(seconds * 24),
        duration=seconds,
        server_duration=seconds,
    )
    audio = None if sound is None else _sound(sound)
    facts = _facts(path, "video", duration=seconds, video=video, audio=audio)
    return Item(Reference(id=ref_id, path=path, kind="video", **fields), facts)


def picture(ref_id: str, size: tuple[int, int] = (1024, 1024), **fields: Any) -> Item:
    """A still picture."""
    path = Path(f"/clips/{ref_id}.png")
    width, height = size
    image = ImageFacts(format="PNG", width=width, height=height, display_width=width, display_height=height)
    return Item(Reference(id=ref_id, path=path, kind="image", **fields), _facts(path, "image", image=image))


def sound(ref_id: str, seconds: float, **fields: Any) -> Item:
    """A standalone sound."""
    path = Path(f"/clips/{ref_id}.wav")
    facts = _facts(path, "audio", duration=seconds, audio=_sound(seconds))
    return Item(Reference(id=ref_id, path=path, kind="audio", **fields), facts)


def request(*items: Item, limits: Limits | None = None, **fields: Any) -> Request:
    """A request whose prompt is not empty, with these items in its tray."""
    shot = Shot(**{"prompt": "a red kite", "seed": 1, **fields, "references": tuple(i.reference for i in items)})
    return Request(shot, limits or load_limits(), {i.reference.id: i.facts for i in items})
