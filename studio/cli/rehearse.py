"""`rehearse`: the rehearsal server in the foreground. The server is a program of its own; this verb only hands over."""

from __future__ import annotations

import argparse
from typing import Any

from studio.cli.output import Out
from studio.rehearsal.options import Options, add_options, known_faults


def add(verbs: Any) -> None:
    """Add this group's verbs."""
    verb = verbs.add_parser(
        "rehearse",
        help="run the rehearsal server in the foreground",
        epilog=known_faults(),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_options(verb)
    verb.add_argument("--json", action="store_true", help="the first line is JSON anyway")
    verb.set_defaults(run=_rehearse)


def _rehearse(args: argparse.Namespace, out: Out) -> int:
    from studio.rehearsal.program import run  # the server's libraries take 0.2 s: only for who serves

    return run(Options.read(args))
