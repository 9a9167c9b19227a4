"""The base of all parts of a shot."""

from __future__ import annotations

from typing import Any, Self

from pydantic import BaseModel, ConfigDict


class Frozen(BaseModel):
    """Base of every part of a shot: immutable, unknown newer fields kept."""

    model_config = ConfigDict(frozen=True, extra="allow", validate_default=True)

    def but(self, **changes: Any) -> Self:
        """The same value with these fields changed. Raises pydantic's ValidationError when it cannot be."""
        # By its iterator: dict() would take a field that is called `keys` for a mapping's method.
        return type(self)(**{**dict(iter(self)), **changes})
