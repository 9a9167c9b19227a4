"""`limits` and `presets`: what is built in, and the presets of the user's own."""

from __future__ import annotations

import argparse
from typing import Any

from studio.cli.output import Out
from studio.contract import list_limits, load_limits
from studio.core.words import tr
from studio.presets import Preset, PresetError, PresetLibrary, dump_preset, templates


def add(verbs: Any) -> None:
    """Add this group's verbs."""
    verb = verbs.add_parser("limits", help="the limits of each known server version")
    verb.add_argument("--json", action="store_true")
    verb.set_defaults(run=_limits)
    verb = verbs.add_parser("presets", help="templates and presets")
    acts = verb.add_subparsers(dest="act", required=True)
    for name, run, text in (
        ("list", _list_presets, "all of them, and what each is for"),
        ("show", _show_preset, "one of them, as a file that can be shared"),
    ):
        act = acts.add_parser(name, help=text)
        act.add_argument("--json", action="store_true")
        act.set_defaults(run=run)
    acts.choices["show"].add_argument("id", metavar="ID", help="as `presets list` names it")


def _limits(args: argparse.Namespace, out: Out) -> int:
    known = [load_limits(limits_id) for limits_id in list_limits()]
    lines = [f"{limits.id}: {limits.title}" for limits in known]
    out.result({"limits": [limits.model_dump(mode="json") for limits in known]}, "\n".join(lines))
    return 0


def _list_presets(args: argparse.Namespace, out: Out) -> int:
    own, troubles = PresetLibrary().load()
    for trouble in troubles:
        out.note(trouble.text())
    table = [_row(preset, built_in=True) for preset in templates()] + [_row(preset, built_in=False) for preset in own]
    lines = [f"{row['id']}: {row['title']}" + (f" ({row['purpose']})" if row["purpose"] else "") for row in table]
    out.result({"presets": table}, "\n".join(lines))
    return 0


def _show_preset(args: argparse.Namespace, out: Out) -> int:
    own, _ = PresetLibrary().load()
    preset = next((preset for preset in (*templates(), *own) if preset.id == args.id), None)
    if preset is None:
        raise PresetError("preset.unknown", id=args.id)
    out.result(preset.model_dump(mode="json"), dump_preset(preset).decode().rstrip())
    return 0


def _row(preset: Preset, *, built_in: bool) -> dict[str, Any]:
    return {
        "id": preset.id,
        "title": tr(preset.title),
        "purpose": tr(preset.purpose),
        "task": preset.task,
        "needs": list(preset.needs),
        "parts": sorted(preset.parts),
        "built_in": built_in,
    }
