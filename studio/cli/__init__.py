"""The command line: `h3studio VERB`. One small module a verb group; each verb prints one JSON object with `--json`."""

from studio.cli.main import main

__all__ = ["main"]
