"""Every error shape of the server (server-api §5) as one kind of value."""

from __future__ import annotations

import re
from typing import Any

import httpx

from studio.core.errors import StudioError

_TEMP_PATH = re.compile(r"(?:/[\w.+-]+)*/(vllm_omni_reference_)?[\w.+-]+\.(?:mp4|mov|wav|mp3|png|jpg)")


class ClientError(StudioError):
    """What happened at the server's border. `status` is HTTP's, None when no answer came."""

    @property
    def status(self) -> int | None:
        """The HTTP status, if there was an answer."""
        value = self.params.get("status")
        return int(value) if isinstance(value, int | float | str) else None


def without_paths(said: str) -> str:
    """The server's own words without its temporary paths (`job.error.message` is not sanitised there)."""
    return _TEMP_PATH.sub("the file", said)


def said_by(response: httpx.Response) -> str:
    """The human part of an error body, whichever of the six shapes it has."""
    try:
        body: Any = response.json()
    except ValueError:
        return response.text.strip()[:300]
    if isinstance(body, dict):
        error = body.get("error", body.get("detail"))
        if isinstance(error, dict):
            error = error.get("message")
        if error is None and body.get("status") == "unhealthy":
            error = body.get("reason", "unhealthy")
        if isinstance(error, str):
            return without_paths(error)
    return str(body)[:300]


def error_of(response: httpx.Response, url: str) -> ClientError:
    """The error value for a refusing answer."""
    said, status = said_by(response), response.status_code
    if status == 401:
        return ClientError("server.unauthorized", mend="server.unauthorized.mend", url=url, status=status)
    if status == 404 and "still in-progress" in said:
        return ClientError("server.not_ready", status=status)
    if status == 404 and "not found on disk" in said:
        return ClientError("server.file_gone", mend="server.file_gone.mend", status=status)
    if status == 404 and "Video not found" in said:
        return ClientError("server.job_unknown", mend="server.job_unknown.mend", status=status)
    if status == 409:
        return ClientError("server.cancel_pending", status=status)
    if status in (400, 422):
        return ClientError("server.refused", status=status, said=said)
    if status >= 500:
        return ClientError("server.failed", status=status, said=said)
    return ClientError("server.bad_answer", mend="server.bad_answer.mend", url=url, status=status, detail=said)


def unreachable(error: httpx.TransportError, url: str) -> ClientError:
    """The error value for no answer at all."""
    if isinstance(error, httpx.TimeoutException) and not isinstance(error, httpx.ConnectTimeout):
        return ClientError("server.no_answer", mend="server.no_answer.mend", detail=repr(error), url=url)
    return ClientError("server.unreachable", mend="server.unreachable.mend", detail=repr(error), url=url)
