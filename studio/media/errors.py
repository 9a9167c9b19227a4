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
    errno.ENOMEM: "media.memory",
    errno.ESTALE: "media.io",
    errno.EIO: "media.io",
}


class MediaError(StudioError):
    """A media file that cannot be read, prepared or kept, or a worker that did not survive it."""


def as_media_error(error: Exception, *, name: str = "") -> StudioError:
    """`error` as something that can be told and that crosses process borders.

    FFmpeg's own errors may not unpickle, so only ours leave a worker. `name` is the file's name for the sentence.
    """
    if isinstance(error, StudioError):
        return error
    detail = "".join(traceback.format_exception(error))
    if isinstance(error, MemoryError):
        return MediaError("media.memory", detail=detail, name=name)
    if isinstance(error, OSError) and error.errno in _OS_CODES:
        return MediaError(_OS_CODES[error.errno], detail=detail, name=name)
    return MediaError("media.failed", detail=detail, name=name, what=str(error) or type(error).__name__)
