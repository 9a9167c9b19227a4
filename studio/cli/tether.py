"""`tether`: the studio's own process that stands for a server on another machine. Not meant to be typed."""

from __future__ import annotations

import argparse
from typing import Any

from studio.cli.output import Out
from studio.server.launchers.tether import hold
from studio.server.ssh import SshHost


def add(verbs: Any) -> None:
    """Add the verb; it has no help, so it is not listed."""
    verb = verbs.add_parser("tether")
    verb.add_argument("host")
    verb.add_argument("folder")
    verb.add_argument("here", type=int)
    verb.add_argument("there", type=int)
    verb.set_defaults(run=_run)


def _run(args: argparse.Namespace, _out: Out) -> int:
    return hold(SshHost(args.host, str(args.here)), args.folder, args.here, args.there)
