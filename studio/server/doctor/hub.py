"""Whether the model hub can be reached and gives its files. Asked only when the user presses: nothing phones home."""

from __future__ import annotations

from studio.core.errors import StudioError
from studio.core.words import Message
from studio.server.doctor.check import Check, Level, passed
from studio.server.model import REPOSITORY, ask


async def check_hub() -> Check:
    """Ask for one small file's head: that tells the network, the login, and whether access was granted."""
    try:
        await ask()
    except StudioError as error:
        code = "doctor.hub.mend" if error.code == "model.unreachable" else error.mend
        mend = None if code is None else Message(code, error.params)
        return Check(Level.FAIL, error.message, mend)
    return passed("hub", repository=REPOSITORY)
