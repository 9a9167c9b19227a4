"""What a unit or container of somebody else's lacks, as text to add: its own files are never rewritten."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from studio.server import escaping
from studio.server.launch import LEAST_TIMEOUT, READABLE_LOG, WATCHDOGS, WAVE

_GRACE: Final = 60
_WANTED: Final = {**READABLE_LOG, **dict.fromkeys(WATCHDOGS, str(LEAST_TIMEOUT)), WAVE: "86400"}


def missing_options(environment: Iterable[str]) -> str:
    """What a container's environment (`NAME=VALUE` words) lacks, as options for its creation; "" for nothing."""
    there = {word.partition("=")[0] for word in environment}
    lacking = [f"{name}={value}" for name, value in _WANTED.items() if name not in there]
    return "\n".join(f"--env {escaping.shell_word(word)}" for word in lacking)


def missing_pieces(unit: str, shown: Mapping[str, str]) -> tuple[Path, str] | None:
    """(file to write, its text) with what a unit does not set; None when it has everything.

    `shown` is `systemctl show` with `SourcePath` (of a quadlet) or `FragmentPath`. Blocking: reads the unit's file.
    """
    source = Path(shown.get("SourcePath") or shown.get("FragmentPath") or "")
    try:
        there = source.read_text("utf-8", "replace") if source.is_file() else ""
    except OSError:
        there = ""
    lacking = {name: value for name, value in _WANTED.items() if name not in there}
    if source.suffix == ".container":
        lines = [f"Environment={escaping.quadlet_word(f'{name}={value}')}" for name, value in lacking.items()]
        lines += [] if "StopTimeout=" in there else [f"StopTimeout={_GRACE}"]
        folder, section = Path(f"{source}.d"), "[Container]"
    else:
        lines = [f"Environment={escaping.service_assignment(name, value)}" for name, value in lacking.items()]
        lines += [] if "TimeoutStopSec=" in there else [f"TimeoutStopSec={_GRACE * 2}"]
        folder, section = Path.home() / ".config/systemd/user" / f"{unit}.d", "[Service]"
    return (folder / "h3studio.conf", "\n".join([section, *lines, ""])) if lines else None
