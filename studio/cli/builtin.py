"""`limits`: what is built in."""

from __future__ import annotations

import argparse
from typing import Any

from studio.cli.output import Out
from studio.contract import list_limits, load_limits


def add(verbs: Any) -> None:
    """Add this group's verbs."""
    verb = verbs.add_parser("limits", help="the limits of each known server version")
    verb.add_argument("--json", action="store_true")
    verb.set_defaults(run=_limits)


def _limits(args: argparse.Namespace, out: Out) -> int:
    known = [load_limits(limits_id) for limits_id in list_limits()]
    lines = [f"{limits.id}: {limits.title}" for limits in known]
    out.result({"limits": [limits.model_dump(mode="json") for limits in known]}, "\n".join(lines))
    return 0
