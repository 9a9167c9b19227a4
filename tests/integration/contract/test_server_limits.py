"""Limits of a running server, asked of a rehearsal server over HTTP as `check --server` does."""

from __future__ import annotations

import asyncio
import json
import sys

import pytest

from studio.cli.shots import limits_for
from studio.contract import load_limits


@pytest.mark.usefixtures("no_children_left")
async def test_version_and_form_are_asked_of_the_server() -> None:
    command = [sys.executable, "-m", "studio", "rehearse", "--exit-with-parent"]
    server = await asyncio.create_subprocess_exec(
        *command, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL
    )
    assert server.stdout is not None
    try:
        url = json.loads(await server.stdout.readline())["url"]
        found = await limits_for(url, None)
        chosen = await limits_for(url, "0.26.0")
    finally:
        server.terminate()
        await server.communicate()
    assert (found.id, found.assumed, found.guessed) == ("0.30.0", True, False)
    assert set(found.form_fields or ()) == set(load_limits().form_fields or ())
    assert chosen.id == "0.26.0"
