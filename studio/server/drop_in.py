"""What a unit of somebody else's lacks, as text to add beside it: its own files are never rewritten."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from studio.server import escaping
from studio.server.launch import LEAST_TIMEOUT, READABLE_LOG, WATCHDOGS

_WAVE: Final = "VLLM_OMNI_DLO_DP_WAVE_TIMEOUT"
_GRACE: Final = 60


def missing_pieces(unit: str, shown: Mapping[str, str]) -> tuple[Path, str] | None:
    """(file to write, its text) with what a unit does not set; None when it has everything.

    `shown` is `systemctl show` with `SourcePath` (of a quadlet) or `FragmentPath`. Blocking: reads the unit's file.
    """
    source = Path(shown.get("SourcePath") or shown.get("FragmentPath") or "")
    try:
        there = source.read_text("utf-8", "replace") if source.is_file() else ""
    except OSError:
        there = ""
    least = str(LEAST_TIMEOUT)
    wanted = {**READABLE_LOG, **dict.fromkeys(WATCHDOGS, least), _WAVE: "86400"}
    lacking = {name: value for name, value in wanted.items() if name not in there}
    if source.suffix == ".container":
        lines = [f"Environment={escaping.quadlet_word(f'{name}={value}')}" for name, value in lacking.items()]
        lines += [] if "StopTimeout=" in there else [f"StopTimeout={_GRACE}"]
        folder, section = Path(f"{source}.d"), "[Container]"
    else:
        lines = [f"Environment={escaping.service_assignment(name, value)}" for name, value in lacking.items()]
        lines += [] if "TimeoutStopSec=" in there else [f"TimeoutStopSec={_GRACE * 2}"]
        folder, section = Path.home() / ".config/systemd/user" / f"{unit}.d", "[Service]"
    return (folder / "h3studio.conf", "\n".join([section, *lines, ""])) if lines else None
