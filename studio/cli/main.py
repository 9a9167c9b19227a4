"""Parses the words, runs the verb, turns every error into a sentence and an exit code.

0 done · 1 the answer is no (findings, a failed render) · 2 bad usage or unreadable input · 130 interrupted.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib
import logging
import os
import signal
import sys
from collections.abc import Coroutine, Sequence
from typing import Any

from studio.cli.output import Out
from studio.core import diagnostics, logs, paths, words
from studio.core.errors import StudioError

log = logging.getLogger(__name__)
_VERBS = {
    "media": ("probe", "prepare"),
    "shots": ("shot", "check"),
    "render": ("render",),
    "jobs": ("jobs",),
    "comparing": ("compare",),
    "rehearse": ("rehearse",),
    "server": ("profiles", "server"),
    "model": ("model",),
    "tether": ("tether",),
    "builtin": ("limits", "presets"),
}
"""Modules of this package and the verbs that each adds. Reading all of them takes half a second."""
DONE, NO, BAD, INTERRUPTED = 0, 1, 2, 130


def main(argv: Sequence[str]) -> int:
    """Run one verb and give its exit code. Never lets an exception out, but argparse's SystemExit."""
    try:
        try:
            return _run_verb(argv)
        finally:
            print(end="", flush=True)  # also where there is no stdout
    except BrokenPipeError:  # whoever reads has enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BAD


def _run_verb(argv: Sequence[str]) -> int:
    parser = make_parser(next(iter(argv), ""))
    args = parser.parse_args(list(argv))
    if args.verb is None:
        parser.print_help(sys.stderr)
        return BAD
    words.set_language(None)
    logs.set_up(paths.data_dir() / "logs")
    out = Out(as_json=getattr(args, "json", False))
    try:
        result = args.run(args, out)
        return _run(result) if isinstance(result, Coroutine) else int(result)
    except (KeyboardInterrupt, asyncio.CancelledError):
        out.note("")
        return INTERRUPTED
    except StudioError as error:
        log.info("%s: %s %s", args.verb, error, error.detail)
        out.failed(error)
        return error_exit(error)
    except BrokenPipeError:
        raise
    except Exception as error:
        log.exception("%s broke", args.verb)
        out.failed(StudioError("crash", detail=repr(error)))
        return BAD


def error_exit(error: StudioError) -> int:
    """2 for input that cannot be read or used, 1 for everything that was tried and said no."""
    unreadable = ("media.", "shot.", "preset.", "limits.", "usage.", "job.unknown", "contract.")
    return BAD if error.code.startswith(unreadable) else NO


def _run(coroutine: Coroutine[Any, Any, int]) -> int:
    # A polite end asked for by others takes the same way out as Ctrl+C.
    signal.signal(signal.SIGTERM, lambda *_: signal.raise_signal(signal.SIGINT))
    with asyncio.Runner() as runner:
        return runner.run(coroutine)


class _Versions(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_given: object) -> None:
        print(diagnostics.versions())
        parser.exit()


def make_parser(verb: str = "") -> argparse.ArgumentParser:
    """The verbs with their arguments: those of `verb`'s module, or all of them where no module has it."""
    parser = argparse.ArgumentParser(
        prog="h3studio",
        description="Render video with MiniMax-H3 on your own vLLM-Omni server. Without a verb, the window opens.",
        epilog="Every verb takes --json: one JSON object on stdout, everything else on stderr.",
    )
    parser.add_argument("--version", action=_Versions, nargs=0, help="show the version and those of the libraries")
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", title="verbs")
    verbs.add_parser("gui", help="open the window (the default)")
    asked = [name for name, theirs in _VERBS.items() if verb in theirs]
    for name in asked or ([] if verb == "--version" else _VERBS):
        importlib.import_module(f"studio.cli.{name}").add(verbs)
    return parser
