"""The error of this room, and how the operating system's and FFmpeg's errors become it."""

from __future__ import annotations

import errno
import traceback

from studio.core.errors import StudioError

_OS_CODES = {
    errno.ENOENT: "media.missing",
    errno.EACCES: "media.permission",
    errno.EPERM: "media.permission",
    errno.ENOSPC: "media.disk_full",
    errno.EDQUOT: "media.disk_full",
    errno.EFBIG: "media.disk_full",
    errno.ENOMEM: "media.memory",
    errno.ESTALE: "media.io",
    errno.EIO: "media.io",
    errno.ELOOP: "media.loop",
}


class MediaError(StudioError):
    """A media file that cannot be read, prepared or kept, or a worker that did not survive it."""


def as_media_error(error: Exception, *, name: str = "") -> StudioError:
    """`error` as something that can be told and that crosses process borders.

    FFmpeg's own errors may not unpickle, so only ours leave a worker. `name` is the file's name for the sentence.
    What is neither ours nor the system's is a fault of the program (`media.broken`), never said of the file.
    """
    if isinstance(error, StudioError):
        return error
    detail = "".join(traceback.format_exception(error))
    if isinstance(error, MemoryError):
        return MediaError("media.memory", detail=detail, name=name)
    if (code := os_code(error)) is not None:
        return MediaError(code, detail=detail, name=name)
    if isinstance(error, OSError):
        return MediaError("media.failed", detail=detail, name=name, what=error.strerror or str(error))
    return MediaError("media.broken", detail=detail, what=type(error).__name__)


def os_code(error: Exception) -> str | None:
    """The code of what the operating system said (FFmpeg hands it on as well); None when it said nothing known."""
    return _OS_CODES.get(getattr(error, "errno", None) or 0)
