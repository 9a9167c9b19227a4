"""Stand-ins on PATH, and a profile that runs the stand-in vllm."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from studio.server.launch import Launch, Place, plan
from studio.server.profiles import Profile
from tests.helpers.standins import install
from tests.helpers.standins.programs import free_port


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The stand-ins' state."""
    return install(tmp_path, monkeypatch)


@pytest.fixture
def launch(state: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Launch]:
    """`launch("deaf,workers", grace=0.3)`: a launch of the stand-in vllm that behaves so."""

    def make(ways: str = "", *, grace: float = 5, port: int | None = None, line: str = "") -> Launch:
        monkeypatch.setenv("STANDIN_VLLM", ways)
        monkeypatch.setenv("STANDIN_LINE", line)
        profile = Profile(id="standin", title="Stand-in", grace_s=grace, args=("--port", "{port}"))
        return plan(profile, Place("/m", port=port or free_port()))

    return make
