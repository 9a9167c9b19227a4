"""Packages whose parts are imported when they are first asked for: a start takes only what it needs."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import Any


def on_demand(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """A package's `__getattr__` (PEP 562) for names that live in its modules: name → module, without the package.

    The package imports the same names under `TYPE_CHECKING`, for readers and type checkers.
    """

    def find(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(importlib.import_module(f"{package}.{homes[name]}"), name)

    return find
