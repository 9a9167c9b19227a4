"""The bundle's own installer: menu entry, icons, file type and program below a prefix, each where desktops look."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from PIL import Image

PACKAGING = Path(__file__).resolve().parents[3] / "packaging"


class Installed(NamedTuple):
    """A prefix, and the files below it that the installer named."""

    prefix: Path
    named: set[Path]


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """A bundle's folder as `make bundle` leaves it, with a small program in place of the large one, installed."""
    bundle = tmp_path_factory.mktemp("of the user") / "a bundle"
    shutil.copytree(PACKAGING / "desktop", bundle / "share")
    subprocess.run([sys.executable, PACKAGING / "icons.py", bundle / "share" / "icons"], check=True)
    shutil.copy(PACKAGING / "bundle" / "install.sh", bundle)
    program = bundle / "h3studio"
    program.write_text("#!/bin/sh\necho started with $1\n")
    program.chmod(0o755)
    prefix = bundle.parent / "my prefix"
    env = {**os.environ, "PKGSYSTEM_ENABLE_FSYNC": "0"}  # waiting for the disk is no part of what is shown
    done = subprocess.run([bundle / "install.sh", prefix], capture_output=True, text=True, env=env)
    assert done.returncode == 0, done.stderr
    return Installed(prefix, {Path(line) for line in done.stdout.splitlines() if line.startswith(str(prefix))})


def test_it_puts_everything_below_the_prefix_and_names_it(installed: Installed) -> None:
    for path in ("share/applications/h3studio.desktop", "share/metainfo/h3studio.metainfo.xml", "bin/h3studio"):
        assert installed.prefix / path in installed.named and (installed.prefix / path).exists()
    for size in (16, 48, 256):
        icon = installed.prefix / f"share/icons/hicolor/{size}x{size}/apps/h3studio.png"
        with Image.open(icon) as picture:
            assert icon in installed.named and picture.size == (size, size) and picture.getbbox() is not None


def test_the_menu_entry_starts_the_program_wherever_it_lies(installed: Installed) -> None:
    entry = installed.prefix / "share" / "applications" / "h3studio.desktop"
    if shutil.which("desktop-file-validate"):
        subprocess.run(["desktop-file-validate", entry], check=True)
    (command,) = (line.removeprefix("Exec=") for line in entry.read_text("utf-8").splitlines() if "Exec=" in line)
    assert command == f'"{installed.prefix}/bin/h3studio" gui %f'
    program = installed.prefix / "bin" / "h3studio"
    said = subprocess.run([program, "gui"], check=True, capture_output=True, text=True)
    assert said.stdout == "started with gui\n"
