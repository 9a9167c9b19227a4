"""Short words of the contract's tests for what `check` finds."""

from __future__ import annotations

from studio.contract import Finding, Request, Shot, check


def codes(of: Request) -> set[str]:
    return {f.code for f in check(of)}


def errors(of: Request) -> list[str]:
    return [f.code for f in check(of) if f.is_error]


def finding(of: Request, code: str) -> Finding:
    """The first finding with that code."""
    return next(f for f in check(of) if f.code == code)


def mended(of: Request, shot: Shot) -> Request:
    """The same request for another shot."""
    return Request(shot, of.limits, of.facts)
