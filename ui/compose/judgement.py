"""What the contract says of a shot: its findings, the tags of its references, what it costs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from studio.contract import ContractError, Finding, Request, Resolved, Rows, check, resolve, rows, tags
from studio.presets import findings as places_left
from ui.compose import mentions


@dataclass(frozen=True, slots=True)
class Judgement:
    """`rows` and `resolved` are None for a request that the contract refuses outright."""

    findings: tuple[Finding, ...]
    tags: Mapping[str, tuple[str, ...]]
    names: mentions.Names
    rows: Rows | None
    resolved: Resolved | None


def judge(request: Request) -> Judgement:
    """Look at a request by all rules."""
    return Judgement(
        (*check(request), *places_left(request.shot)),
        tags(request),
        mentions.names(request),
        _or_none(rows, request),
        _or_none(resolve, request),
    )


def _or_none(work_out: Callable[[Request], Any], request: Request) -> Any:
    try:
        return work_out(request)
    except ContractError:
        return None
