"""The rehearsal server's pretended cards: `GET /_rehearsal/gpus`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import httpx

from studio.core.words import Message
from studio.telemetry.readings import Card, GpuReading

_MIB: Final = 1 << 20
_TIMEOUT: Final = 1.0
"""Seconds: while it writes an MP4 it answers nothing, as the real server does. Then there is a gap."""


class RehearsalSampler:
    """`url` is the server's."""

    local = False

    def __init__(self, url: str) -> None:
        self.trouble: Message | None = None
        self._url = url
        self._http: httpx.Client | None = None
        self._count = 0

    def open(self) -> tuple[Card, ...]:
        """Ask once for what there is."""
        self.close()
        self._http = httpx.Client(base_url=self._url, timeout=_TIMEOUT, trust_env=False)
        entries = self._ask()
        self._count = len(entries)
        self.trouble = None if entries else Message("gpu.none")
        return tuple(
            Card(entry["index"], entry["name"], entry["uuid"], total=entry["total_mib"] * _MIB, serving=True)
            for entry in entries
        )

    def sample(self) -> tuple[GpuReading, ...] | None:
        """The curve's present values; not reported while it does not answer."""
        entries = self._ask()
        return tuple(map(_reading, entries)) if len(entries) == self._count else (GpuReading(),) * self._count

    def close(self) -> None:
        """Close the connection."""
        if self._http is not None:
            self._http.close()
            self._http = None

    def _ask(self) -> list[Mapping[str, Any]]:
        assert self._http is not None
        try:
            return list(self._http.get("/_rehearsal/gpus").raise_for_status().json()["gpus"])
        except (httpx.HTTPError, ValueError, KeyError):
            return []


def _reading(entry: Mapping[str, Any]) -> GpuReading:
    return GpuReading(
        used=entry["used_mib"] * _MIB,
        utilisation=entry["utilisation"],
        power=entry["power_w"],
        temperature=entry["temperature_c"],
    )
