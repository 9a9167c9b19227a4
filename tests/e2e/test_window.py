"""The real program on a real (virtual) screen."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from studio.core.children import clean_environment

PROGRAM = str(Path(sys.executable).parent / "h3studio")


@pytest.fixture
def display() -> Iterator[str]:
    """A screen of the test's own. `-displayfd` lets the server choose a free number."""
    if shutil.which("Xvfb") is None:
        pytest.fail("Xvfb is missing: install the packages of packaging/debian-packages.txt")
    reading, writing = os.pipe()
    words = ["Xvfb", "-displayfd", str(writing), "-screen", "0", "1600x1000x24", "-nolisten", "tcp"]
    with subprocess.Popen(words, pass_fds=[writing], stderr=subprocess.DEVNULL) as server:
        os.close(writing)
        try:
            with os.fdopen(reading) as said:
                yield f":{said.readline().strip()}"
        finally:
            server.terminate()


def test_the_tour_shows_every_workspace(display: str, tmp_path: Path) -> None:
    env = clean_environment({"DISPLAY": display, "QT_QPA_PLATFORM": "xcb"})
    words = [PROGRAM, "gui", "--screenshots", str(tmp_path / "shots"), "--theme", "dark", "--language", "zh_CN"]
    done = subprocess.run(words, env=env, capture_output=True, text=True, timeout=90)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr, done.stderr
    pictures = {path.stem: np.asarray(Image.open(path).convert("L")) for path in (tmp_path / "shots").glob("*.png")}
    workspaces = ("compose", "queue", "compare", "library", "server", "settings")
    assert set(pictures) == {f"{name}-{width}" for name in workspaces for width in (1440, 1280)}
    for name, picture in pictures.items():
        assert picture.shape == ((900, 1440) if name.endswith("1440") else (720, 1280)), name
        assert picture.std() > 5, f"{name} is blank"
