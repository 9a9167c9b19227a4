"""`/openapi.json`: enough of it to detect which form fields this build knows."""

from __future__ import annotations

from typing import Any

from studio.rehearsal.request import FILE_FIELDS, VideoForm

FORM = "Body_create_video_v1_videos_post"
_FILE = {"type": "string", "contentMediaType": "application/octet-stream"}
_OPERATIONS = {
    "/v1/videos": ("get", "post"),
    "/v1/videos/sync": ("post",),
    "/v1/videos/{video_id}": ("get", "delete"),
    "/v1/videos/{video_id}/content": ("get",),
    "/v1/models": ("get",),
    "/health": ("get",),
    "/version": ("get",),
    "/metrics": ("get",),
    "/load": ("get",),
    "/ping": ("get",),
}


def _form_schema() -> dict[str, Any]:
    own = VideoForm.model_json_schema()["properties"]
    properties: dict[str, Any] = {}
    for name in VideoForm.model_fields:
        if name in FILE_FIELDS:
            shape: dict[str, Any] = {"anyOf": [_FILE, {"type": "null"}]}
        elif name == "input_references":
            shape = {"anyOf": [{"items": _FILE, "type": "array"}, {"type": "null"}]}
        else:
            shape = {k: v for k, v in own[name].items() if k not in ("default", "title")}
        properties[name] = {**shape, "title": name.replace("_", " ").title()}
    return {"properties": properties, "type": "object", "required": ["prompt"], "title": FORM}


def document() -> dict[str, Any]:
    """The OpenAPI document."""
    paths: dict[str, Any] = {
        path: {method: {"responses": {"200": {"description": "Successful Response"}}} for method in methods}
        for path, methods in _OPERATIONS.items()
    }
    body = {"multipart/form-data": {"schema": {"$ref": f"#/components/schemas/{FORM}"}}}
    paths["/v1/videos"]["post"]["requestBody"] = {"required": True, "content": body}
    info = {"title": "FastAPI", "version": "0.1.0"}
    return {"openapi": "3.1.0", "info": info, "paths": paths, "components": {"schemas": {FORM: _form_schema()}}}
