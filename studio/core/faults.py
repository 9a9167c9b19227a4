"""A fault in a library ends the program without a word: what every thread was at then is kept for the next start."""

from __future__ import annotations

import faulthandler
import logging
from pathlib import Path
from typing import IO, Final

from studio.core.notices import Notice
from studio.core.words import Message, sentences

log = logging.getLogger(__name__)

FILE: Final = "faults.log"
_kept: list[IO[str]] = []  # what faulthandler writes to must stay open

sentences(
    {
        "fault.before": "The studio ended by a fault in one of its libraries last time. Your work was kept.",
        "fault.before.mend": "The log has what it was at: Settings, About, Copy diagnostics.",
    }
)


def keep(folder: Path) -> Notice | None:
    """Write what every thread is at to `folder/faults.log` when a fault (SIGSEGV, SIGABRT, …) ends the program.

    What an earlier run has left there goes to the log, and the news of it is given back. A folder that cannot be
    written to means that nothing is kept.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        fp = (folder / FILE).open("a+", encoding="utf-8", errors="replace")
        fp.seek(0)
        before = fp.read()
        fp.truncate(0)
    except OSError:
        return None
    _kept.append(fp)
    faulthandler.enable(fp)
    if not before:
        return None
    log.error("the run before ended by a fault:\n%s", before)
    return Notice("warn", Message("fault.before"), Message("fault.before.mend"), before)
