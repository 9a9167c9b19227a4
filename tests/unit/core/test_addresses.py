"""Addresses as people type them."""

from __future__ import annotations

import pytest

from studio.core.addresses import address


@pytest.mark.parametrize(
    ("typed", "whole"),
    [
        (" https://example.org/hook/ ", "https://example.org/hook/"),
        ("gpu-box:8091", "http://gpu-box:8091"),
        ("http://[::1]:8000", "http://[::1]:8000"),
        ("", None),
        ("ftp://gpu-box", None),
        ("http://not an address", None),
        ("http://gpu-box:0", None),
        ("http://gpu-box:99999", None),
        ("http://[::1", None),
    ],
)
def test_what_is_typed_is_made_whole_or_is_none(typed: str, whole: str | None) -> None:
    assert address(typed) == whole
