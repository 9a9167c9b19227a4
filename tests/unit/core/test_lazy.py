"""Packages whose parts are imported on demand: every name they promise is there, and no other."""

from __future__ import annotations

import importlib
import subprocess
import sys

import pytest


@pytest.mark.parametrize("package", ["studio.contract", "studio.jobs"])
def test_every_promised_name_is_there(package: str) -> None:
    module = importlib.import_module(package)
    for name in module.__all__:
        assert getattr(module, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        _ = module.Nothing


@pytest.mark.parametrize(
    ("does", "brings"),
    [
        ("from studio.jobs import JobState", {"sqlite3", "httpx", "av"}),
        (
            "from studio.contract import check, load_limits, Request, Shot; check(Request(Shot(), load_limits(), {}))",
            {"numpy"},
        ),
        ("from studio.media.workers import Workers; Workers()", {"pebble", "multiprocessing", "psutil"}),
        ("from studio.cli.main import make_parser; make_parser('rehearse')", {"av", "httpx", "numpy", "pydantic"}),
        ("from studio.settings import SettingsStore, secrets; SettingsStore()", {"keyring"}),
    ],
)
def test_what_is_not_asked_for_is_not_brought_along(does: str, brings: set[str]) -> None:
    code = f"import sys; {does}; print(*sorted({brings!r} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout.split()) == (0, []), done.stderr
