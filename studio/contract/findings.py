"""Findings: what is wrong, by how much, and what mends it. Values through and through: sentences come later."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from studio.core.errors import StudioError
from studio.core.words import Message, Param

Params = Mapping[str, Param]
"""What fills a sentence: `is` is the measured number, `limit` (or `min`, `max`) what is allowed."""


class Severity(StrEnum):
    """An error stops the render, a warning is advice, a note explains."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Mend:
    """A one-click repair, by code and parameters; `studio.contract.mends.apply` turns shot → shot with it."""

    code: str
    params: Params = field(default_factory=dict)

    @property
    def message(self) -> Message:
        """The label of its button ("Trim to 14.37 s")."""
        return Message(self.code, self.params)


@dataclass(frozen=True, slots=True)
class Finding:
    """One broken rule or piece of advice.

    `subject` is a reference's id, or a field of the shot ("prompt", "frames", "canvas", "references", …).
    `params` hold the measured number (`is`) and the limit; `server_says` is the server's own sentence, if it has one.
    """

    code: str
    severity: Severity
    subject: str
    params: Params = field(default_factory=dict)
    mends: tuple[Mend, ...] = ()
    server_says: str | None = None

    @property
    def message(self) -> Message:
        """The finding as a sentence to be."""
        return Message(self.code, self.params)

    @property
    def is_error(self) -> bool:
        """Whether this stops the render."""
        return self.severity is Severity.ERROR


class ContractError(StudioError):
    """Input that the contract refuses outright: a canvas, a duration or a file that cannot be."""

    @classmethod
    def as_server(cls, code: str, server_says: str, params: Params | None = None) -> ContractError:
        """A refusal that the server would make too, with its own sentence."""
        error = cls(code, server_says=server_says)
        error.params.update(params or {})
        return error

    @property
    def server_says(self) -> str | None:
        """The server's own sentence for the same refusal, if it has one."""
        said = self.params.get("server_says")
        return said if isinstance(said, str) else None

    def finding(self, subject: str, *mends: Mend, severity: Severity = Severity.ERROR, **more: Param) -> Finding:
        """The same as a finding on `subject`; `more` adds parameters to its sentence."""
        params = {name: value for name, value in self.params.items() if name != "server_says"}
        return Finding(self.code, severity, subject, {**params, **more}, mends, self.server_says)
