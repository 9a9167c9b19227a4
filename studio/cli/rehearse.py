"""`rehearse`: the rehearsal server in the foreground. The server is a program of its own; this verb only hands over."""

from __future__ import annotations

import argparse
from typing import Any

from studio.cli.output import Out


def add(verbs: Any) -> None:
    """Add this group's verbs."""
    verb = verbs.add_parser("rehearse", help="run the rehearsal server in the foreground")
    verb.add_argument("--port", type=int, default=0, metavar="N", help="0, the default, takes a free one")
    verb.add_argument("--step-seconds", type=float, metavar="S")
    verb.add_argument("--fail", action="append", default=[], metavar="NAME[=VALUE][@WHEN]")
    verb.add_argument("--exit-with-parent", action="store_true")
    verb.add_argument("--json", action="store_true", help="the first line is JSON anyway")
    verb.set_defaults(run=_rehearse)


def _rehearse(args: argparse.Namespace, out: Out) -> int:
    from studio.rehearsal.program import main

    argv = ["--port", str(args.port)]
    if args.step_seconds is not None:
        argv += ["--step-seconds", str(args.step_seconds)]
    for fault in args.fail:
        argv += ["--fail", fault]
    if args.exit_with_parent:
        argv.append("--exit-with-parent")
    return main(argv)
