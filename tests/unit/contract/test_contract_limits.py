"""The limits of each version, of a running server by what it says, and what its form has no place for."""

from __future__ import annotations

from typing import Any

import pytest

from studio.contract import Severity, check, form_fields, limits_of_server, list_limits, load_limits, wire_form
from studio.contract.cost import cost
from tests.helpers.shots import clip, picture, request


def document(*fields: str, reference: bool = True) -> dict[str, Any]:
    """An OpenAPI document whose form has these fields."""
    schema = {"properties": {name: {} for name in fields}}
    shown = {"$ref": "#/components/schemas/Form"} if reference else schema
    content = {"multipart/form-data": {"schema": shown}}
    paths = {"/v1/videos": {"post": {"requestBody": {"content": content}}}}
    return {"paths": paths, "components": {"schemas": {"Form": schema}}}


def test_every_version_is_whole_and_every_value_has_a_source() -> None:
    assert list_limits() == ("0.26.0", "0.30.0")
    assert [load_limits(limits_id).id for limits_id in list_limits()] == list(list_limits())


def test_the_026_era() -> None:
    old = load_limits("0.26.3")
    assert (old.id, old.assumed, old.guessed) == ("0.26.0", True, False)
    assert (old.long_video, old.updates_fewer, old.output_wait_seconds, old.output_wait_settable) == (
        False,
        1,
        30,
        False,
    )
    of = request(picture("p"), frames=124, long_video={}, limits=old)
    unknown = next(f for f in check(of) if f.code == "long_video.unknown")
    assert unknown.severity is Severity.WARNING
    assert any(f.is_error for f in check(request(picture("p"), frames=400, long_video={}, limits=old)))
    assert cost(request(picture("p"), steps=50, limits=old)).updates == 49
    assert cost(request(picture("p"), steps=50)).updates == 50


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        ("0.30.2", ("0.30.0", False)),
        ("0.26.1rc1", ("0.26.0", False)),
        ("0.28.0", ("0.26.0", True)),
        ("0.99.0", ("0.30.0", True)),
        ("dev", ("0.30.0", True)),
        (None, ("0.30.0", True)),
    ],
)
def test_a_running_servers_limits_are_assumed_and_at_worst_guessed(
    version: str | None, expected: tuple[str, bool]
) -> None:
    found = limits_of_server(version)
    assert (found.id, found.guessed) == expected
    assert found.assumed


@pytest.mark.parametrize("reference", [True, False])
def test_form_fields_are_read_from_the_servers_own_description(reference: bool) -> None:
    assert form_fields(document("prompt", "seed", reference=reference)) == ("prompt", "seed")
    assert limits_of_server("0.30.0", document("prompt")).form_fields == ("prompt",)
    for other in (None, {}, [], {"paths": {"/v1/videos": {"post": {}}}}, document()):
        assert form_fields(other) is None
    assert limits_of_server("0.30.0", None).form_fields == load_limits().form_fields


def test_all_that_we_send_has_a_place_in_the_known_form() -> None:
    of = request(clip("v", 5.0), picture("p"), quality="high", lora={"name": "a", "path": "b"})
    known = load_limits().form_fields
    assert known is not None and len(known) == 42
    assert {name for name, _ in wire_form(of).fields} <= set(known)
    assert not [f for f in check(of) if f.code.startswith("form.")]


def test_what_the_form_lacks_is_said() -> None:
    fields = tuple(name for name in load_limits().form_fields or () if name not in ("quality", "input_references"))
    limits = limits_of_server("0.30.0", document(*fields))
    found = {f.code: f for f in check(request(picture("p"), quality="high", limits=limits))}
    assert found["form.field_ignored"].params == {"field": "quality"}
    assert found["form.field_missing"].params == {"field": "input_references"}
    assert found["form.field_missing"].is_error and not found["form.field_ignored"].is_error
    assert "input_references" in found["form.field_missing"].message.text()
    assert not [f for f in check(request(task="t2va", limits=limits)) if f.is_error]
