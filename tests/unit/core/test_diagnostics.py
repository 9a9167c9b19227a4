"""What a report of a fault is given: everything that explains it, and no secret."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from studio import __version__
from studio.core import logs, paths
from studio.core.diagnostics import diagnostics, versions


def test_versions_begin_with_the_program() -> None:
    said = dict(line.split(" ", 1) for line in versions().splitlines())
    assert said["h3studio"] == __version__
    assert {"CPython", "PySide6", "av", "numpy"} <= said.keys()


def test_no_secret_and_no_home_in_the_diagnostics(own_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("H3_API_KEY", "sesame-open-wide")
    log = paths.data_dir() / "logs" / "studio.log"
    log.parent.mkdir(parents=True)
    log.write_text(
        "".join(f"line {n}\n" for n in range(5000))
        + "sent sesame-open-wide to http://me:hush@gpu-box:8000/v1\nAuthorization: Bearer abcdef123\n"
    )
    text = diagnostics()
    for secret in ("sesame-open-wide", "hush", "abcdef123", str(own_home)):
        assert secret not in text
    assert f"data: ~/{paths.data_dir().relative_to(own_home)}" in text
    assert "line 4999" in text and "line 4000\n" not in text
    assert "gpu-box:8000" in text


def test_diagnostics_without_a_log_say_so() -> None:
    assert not logging.getLogger().handlers or not (paths.data_dir() / "logs" / "studio.log").exists()
    assert "log: No such file or directory" in diagnostics()
    assert logs.redact("api_key=abcd1234") == "api_key=•••"
