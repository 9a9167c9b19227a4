"""Which limits a running server has, by what it says of itself.

`/version` gives vLLM's version and not vLLM-Omni's, so limits found by it are assumed. What the form takes is looked up
in `/openapi.json` (vllm-omni 0.30.0: the body of `POST /v1/videos`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from studio.contract.findings import ContractError
from studio.contract.limits import Limits, load_limits

CREATE_PATH = "/v1/videos"


def limits_of_server(version: str | None, openapi: object = None) -> Limits:
    """The limits of a server by its answers at `/version` and `/openapi.json`; None where it gives none.

    A version that is not known here, or none at all, gives `guessed` limits.
    """
    try:
        limits = load_limits(version)
        guessed = limits.guessed or version is None
    except ContractError:
        limits, guessed = load_limits(), True
    fields = form_fields(openapi) or limits.form_fields
    told = {"server_version": version or "", "assumed": True, "guessed": guessed, "form_fields": fields}
    return limits.model_copy(update=told)


def form_fields(openapi: object) -> tuple[str, ...] | None:
    """The fields of the form that makes a job, from an OpenAPI document; None when it does not describe one."""
    content = _at(openapi, "paths", CREATE_PATH, "post", "requestBody", "content")
    if not isinstance(content, Mapping):
        return None
    schema = _at(content.get("multipart/form-data", next(iter(content.values()), None)), "schema")
    reference = _at(schema, "$ref")
    if isinstance(reference, str):
        schema = _at(openapi, *reference.removeprefix("#/").split("/"))
    properties = _at(schema, "properties")
    return tuple(properties) if isinstance(properties, Mapping) and properties else None


def _at(value: object, *keys: str) -> Any:
    for key in keys:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value
