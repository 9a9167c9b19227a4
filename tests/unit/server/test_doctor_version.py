"""Which vLLM-Omni a program belongs to, told by its interpreter's packages and never by a start of it."""

from __future__ import annotations

import sys
import venv
from pathlib import Path

import pytest

from studio.server.doctor.check import Check, Level
from studio.server.doctor.version import check_version, interpreter, judge


def code(check: Check) -> tuple[str, Level]:
    assert all("{" not in text.text() for text in (check.message, check.mend) if text is not None)
    return check.message.code.removeprefix("doctor."), check.level


@pytest.mark.parametrize(
    ("said", "wanted"),
    [
        ("vllm 0.30.0\nvllm-omni 0.30.0\n", ("version", Level.PASS)),
        ("vllm 0.30.1\nvllm-omni 0.30.4.dev1\n", ("version", Level.PASS)),
        ("vllm 0.31.0\nvllm-omni 0.31.0rc1\n", ("version_other", Level.WARN)),
        ("vllm 0.3.0\nvllm-omni 0.3.0\n", ("version_other", Level.WARN)),
        ("vllm 0.30.0\nvllm-omni -\n", ("no_omni", Level.FAIL)),
        ("vllm -\nvllm-omni -\n", ("version_untold", Level.UNKNOWN)),
        ("", ("version_untold", Level.UNKNOWN)),
    ],
)
def test_what_the_packages_say(said: str, wanted: tuple[str, Level]) -> None:
    assert code(judge(said, "vllm")) == wanted


def test_an_installed_program_is_asked_through_its_own_interpreter(tmp_path: Path) -> None:
    home = tmp_path / "the server's own"
    venv.create(home, with_pip=False)
    packages = home / "lib" / f"python{sys.version_info[0]}.{sys.version_info[1]}" / "site-packages"
    for name, version in (("vllm", "0.30.0"), ("vllm_omni", "0.30.0")):
        info = packages / f"{name}-{version}.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    program = home / "bin" / "vllm"
    # A path with a blank cannot stand in the first line: pip writes it so.
    program.write_text(f"#!/bin/sh\n'''exec' \"{home}/bin/python\" \"$0\" \"$@\"\n' '''\nraise SystemExit(9)\n")
    program.chmod(0o755)
    (check,) = check_version(str(program))
    assert code(check) == ("version", Level.PASS)
    assert check.message.params["version"] == "0.30.0"


def test_the_first_lines_of_a_script_name_its_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = tmp_path / "vllm"
    for head, wanted in (
        (f"#!{sys.executable}\n", sys.executable),
        ("#!/opt/v/bin/python3.12 -I\n", "/opt/v/bin/python3.12"),
        ("#!/bin/sh\n'''exec' /a/very/long/bin/python \"$0\" \"$@\"\n", "/a/very/long/bin/python"),
        ("#!/bin/sh\nexec something\n", None),
        ("\x7fELF\0\0\n", None),
    ):
        script.write_text(head)
        assert interpreter(script) == wanted
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent))
    script.write_text("#!/usr/bin/env python\n")
    assert interpreter(script) == str(Path(sys.executable).parent / "python")
    assert list(check_version("no-such-program")) == []
