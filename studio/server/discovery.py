"""Servers that run on this machine already: on the usual ports, and as user units."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from typing import Final

from studio.client import Client, ClientError
from studio.core.errors import StudioError
from studio.server.launchers.commands import run

PORTS: Final = (8000, 8091)
"""vLLM's own default, and the one that vllm-omni 0.30.0's MiniMax-H3 recipes use."""

_LIST: Final = ("systemctl", "--user", "list-units", "--type=service", "--state=running", "--output=json", "--no-pager")
_HINTS: Final = ("vllm", "minimax", "h3")
_PATIENCE_S: Final = 3.0


@dataclass(frozen=True, slots=True)
class Found:
    """A server that was found: at an address, with the model it names (None: it wants an API key first)…"""

    url: str = ""
    model: str | None = None
    unit: str = ""
    """… or a running user unit that looks like one."""


async def find_servers() -> tuple[Found, ...]:
    """Look on the usual ports of this machine and among the running user units. Never raises for what is not there."""
    at_ports = await asyncio.gather(*(_at(f"http://127.0.0.1:{port}") for port in PORTS))
    return (*(found for found in at_ports if found is not None), *await _units())


async def _at(url: str) -> Found | None:
    client = Client(url)
    try:
        async with asyncio.timeout(_PATIENCE_S):
            return Found(url, await client.model())
    except ClientError as error:
        return Found(url) if error.code == "server.unauthorized" else None
    except TimeoutError:
        return None
    finally:
        await client.aclose()


async def _units() -> tuple[Found, ...]:
    try:
        units = json.loads(await run(*_LIST, limit=_PATIENCE_S))
    except (StudioError, ValueError):  # no systemd here, or none for this user
        return ()
    said = {
        str(unit.get("unit", "")): f"{unit.get('unit', '')} {unit.get('description', '')}".lower() for unit in units
    }
    return tuple(Found(unit=name) for name, text in said.items() if any(hint in text for hint in _HINTS))
