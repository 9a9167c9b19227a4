"""The error bodies of the real server: which shape says what (vllm 0.30.0, serve/exception_handling)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

from pydantic import ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

MAX_REPORTED = 10  # validation errors named in one answer
MAX_INPUT = 200  # characters of a refused value that are echoed
_PATHS = (r"/(?:home|usr|opt|var|tmp|root|lib|mnt|srv)(?:/[\w.\-]+)+", r"(?:/[\w\-]+)+/[\w\-]+\.\w+")


class Refused(Exception):
    """A request that is answered with the standard envelope."""

    def __init__(self, status: int, message: str, *, kind: str | None = None, param: str | None = None) -> None:
        super().__init__(message)
        self.status, self.message, self.param = status, message, param
        self.kind = kind or HTTPStatus(status).phrase


def bad_request(message: str) -> Refused:
    """The 400 of an explicit check."""
    return Refused(400, message)


def _without_paths(message: str) -> str:
    for pattern in _PATHS:
        message = re.sub(pattern, "<path>", message)
    return message.strip()


def envelope(status: int, message: str, kind: str, param: str | None = None) -> JSONResponse:
    """`{"error": {message, type, param, code}}`, paths in the message replaced."""
    error = {"message": _without_paths(message), "type": kind, "param": param, "code": status}
    return JSONResponse({"error": error}, status)


def _echo(value: Any) -> Any:
    if isinstance(value, list | tuple | dict):
        return f"<{type(value).__name__} of {len(value)} items>"
    text = str(value)
    return text if len(text) <= MAX_INPUT else text[:MAX_INPUT] + "...[truncated]"


def layer_refusal(errors: Sequence[Mapping[str, Any]], layer: str) -> Refused:
    """The 400 of the form or query layer: one Python-repr line an error. `errors` as pydantic lists them."""
    lines, params = [], []
    for error in errors:
        place = ".".join([layer, *map(str, error["loc"])])
        params.append(place)
        shown: dict[str, Any] = {"type": error["type"], "loc": place, "msg": error["msg"]}
        # FastAPI reports a missing field with the input None, pydantic with the whole form.
        shown["input"] = "None" if error["type"] == "missing" else _echo(error["input"])
        if "ctx" in error:
            shown["ctx"] = error["ctx"]
        lines.append(f"  {shown}\n")
    label = "error" if len(lines) == 1 else "errors"
    message = f"{len(lines)} validation {label}:\n" + "".join(lines[:MAX_REPORTED])
    if len(lines) > MAX_REPORTED:
        message += f"  ...and {len(lines) - MAX_REPORTED} more {label}\n"
    return Refused(400, message.rstrip(), param=params[0])


def model_refusal(error: ValidationError) -> Refused:
    """The 400 of the request model: pydantic's own text."""
    return Refused(400, str(error), kind="BadRequestError")


async def on_refused(request: Request, error: Exception) -> Response:
    """Handler for `Refused`."""
    assert isinstance(error, Refused)
    return envelope(error.status, error.message, error.kind, error.param)


async def on_framework_error(request: Request, error: Exception) -> Response:
    """Unknown route, wrong method and multipart limits: `{"detail": …}`."""
    assert isinstance(error, HTTPException)
    return JSONResponse({"detail": error.detail}, error.status_code, headers=error.headers)


async def on_crash(request: Request, error: Exception) -> Response:
    """Whatever nobody foresaw: 500 in the standard envelope."""
    return envelope(500, str(error), "InternalServerError")
