"""What the command line prints: JSON or prose on stdout, progress and trouble on stderr."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import Any

from studio.core.errors import StudioError
from studio.core.words import say


class Out:
    """One run's output. With `as_json`, stdout gets exactly one JSON object."""

    def __init__(self, *, as_json: bool) -> None:
        self.as_json = as_json
        self._live = False

    def result(self, data: Mapping[str, Any], prose: str) -> None:
        """The answer, once."""
        self._end_line()
        if self.as_json:
            print(_json(data))
        else:
            print(prose)

    def note(self, text: str) -> None:
        """News, on a line of its own."""
        self._end_line()
        if text:
            print(text, file=sys.stderr, flush=True)

    def live(self, text: str) -> None:
        """How far the work is; replaces the last such line on a terminal, silent into a file."""
        if sys.stderr.isatty():
            print(f"\r\x1b[K{text[:200]}", end="", file=sys.stderr, flush=True)
            self._live = True

    def failed(self, error: StudioError) -> None:
        """Why there is no answer."""
        self._end_line()
        if self.as_json:
            mend = say(error.mend, error.params) if error.mend else None
            said = {"code": error.code, "message": say(error.code, error.params), "mend": mend, "params": error.params}
            print(_json({"error": said}))
        print(f"h3studio: {error}", file=sys.stderr, flush=True)

    def _end_line(self) -> None:
        if self._live:
            print(file=sys.stderr)
            self._live = False


def _json(data: Mapping[str, Any]) -> str:
    text = json.dumps(data, ensure_ascii=False, indent=2, default=str)
    try:
        text.encode()
    except UnicodeEncodeError:
        # A file name that is no UTF-8: as escapes it stays valid JSON, and a reader gets the same name back.
        return json.dumps(data, indent=2, default=str)
    return text
