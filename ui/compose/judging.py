"""What is wrong with the shot, and what may be said of it now."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Final

from studio.contract import Finding, Refusal, Request, Resolved, Rows
from ui.compose import mentions
from ui.compose.document import Documents
from ui.compose.editing import ShotEditing
from ui.compose.judgement import judge

_UNFILLED: Final = frozenset({"refs.none", "fl2va.no_picture", "prompt.empty", "prompt.place"})
"""Errors of a shot that is only begun."""


class ShotJudging(ShotEditing):
    """The part of the model that looks at the shot by the rules. The subclass has the documents and the request."""

    documents: Documents
    findings: tuple[Finding, ...]
    tags: Mapping[str, tuple[str, ...]]
    names: mentions.Names
    rows: Rows | None
    resolved: Resolved | None
    _refusals: tuple[Refusal, ...] = ()

    @property
    @abstractmethod
    def request(self) -> Request:
        """The shot with its limits and facts, as the rules want it."""

    @property
    def errors(self) -> tuple[Finding, ...]:
        """The findings that stop the render."""
        return tuple(f for f in self.findings if f.is_error)

    @property
    def seen_errors(self) -> tuple[Finding, ...]:
        """The errors that are shown: what is merely not filled in yet is an error only once a render was asked for."""
        return tuple(f for f in self.errors if self._is_due(f))

    @property
    def can_mend(self) -> bool:
        """Whether *Mend all* would bring the render nearer."""
        return any(f.mends for f in self.errors if f.code not in _UNFILLED)

    @property
    def output_findings(self) -> tuple[Finding, ...]:
        """The findings about neither a reference nor the prompt."""
        elsewhere = {"prompt", "references", *(r.id for r in self.shot.references)}
        return tuple(f for f in self.findings if f.subject not in elsewhere)

    def findings_of(self, subject: str) -> tuple[Finding, ...]:
        """The findings to show about a reference (by id) or a field of the shot."""
        return tuple(f for f in self.findings if f.subject == subject and self._is_due(f))

    def prompt_shown(self) -> str:
        """The prompt with tags in the place of mentions."""
        return mentions.to_shown(self.shot.prompt, self.names)

    def _is_due(self, finding: Finding) -> bool:
        return self.documents.current.was_asked or finding.code not in _UNFILLED

    def _judge(self) -> None:
        found = judge(self.request)
        self.findings, self.tags, self.names = found.findings, found.tags, found.names
        self.rows, self.resolved = found.rows, found.resolved
