"""What a report of a fault needs to know of this installation: versions, machine, folders, the end of the log.

Nothing in it is a secret: keys and passwords are blanked, and the home folder is written as `~`.
"""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Final

import psutil

from studio import __version__
from studio.core import logs, paths, words
from studio.core.files import free_bytes

LIBRARIES: Final = (
    "PySide6",
    "qasync",
    "av",
    "opencv-python",
    "opencv-python-headless",
    "numpy",
    "pillow",
    "pillow-heif",
    "httpx",
    "pydantic",
    "starlette",
    "uvicorn",
    "nvidia-ml-py",
)
"""The distributions whose versions explain most faults; those that are not installed are left out."""
_DESKTOP: Final = ("XDG_SESSION_TYPE", "XDG_CURRENT_DESKTOP", "QT_QPA_PLATFORM", "QT_SCALE_FACTOR", "LANG")
_LOG_LINES: Final = 200
_LOG_BYTES: Final = 64 << 10
_PASSWORD: Final = re.compile(r"(\w://)[^/\s@]+@")


def versions() -> str:
    """The program, Python and the libraries, one `name version` a line."""
    return "\n".join(f"{name} {version}" for name, version in _versions())


def diagnostics() -> str:
    """Versions, machine, folders and the last 200 lines of the log as plain text. Reads files: call it in a thread."""
    for name in ("H3_API_KEY", "VLLM_API_KEY"):
        logs.hide(os.environ.get(name, ""))
    parts = (versions(), "\n".join(_machine()), "\n".join(_folders()), _end_of_log())
    text = _PASSWORD.sub(r"\1•••@", logs.redact("\n\n".join(parts)))
    return text.replace(str(Path.home()), "~") + "\n"


def _versions() -> Iterator[tuple[str, str]]:
    yield "h3studio", __version__
    yield platform.python_implementation(), platform.python_version()
    for name in LIBRARIES:
        try:
            yield name, metadata.version(name)
        except metadata.PackageNotFoundError:
            continue


def _machine() -> Iterator[str]:
    yield f"system: {platform.platform()} ({' '.join(platform.libc_ver())})"
    yield f"cores: {os.cpu_count()}, memory: {psutil.virtual_memory().total / (1 << 30):.1f} GiB"
    yield f"language: {words.language()}"
    yield from (f"{name}: {os.environ[name]}" for name in _DESKTOP if name in os.environ)


def _folders() -> Iterator[str]:
    folders = {"data": paths.data_dir(), "config": paths.config_dir(), "cache": paths.cache_dir()}
    for name, folder in folders.items():
        try:
            yield f"{name}: {folder} ({free_bytes(folder) / (1 << 30):.1f} GiB free)"
        except OSError as error:
            yield f"{name}: {folder} ({error.strerror})"


def _end_of_log() -> str:
    path = paths.data_dir() / "logs" / "studio.log"
    try:
        with path.open("rb") as fp:
            fp.seek(max(0, path.stat().st_size - _LOG_BYTES))
            text = fp.read().decode("utf-8", "replace")
    except OSError as error:
        return f"log: {error.strerror}"
    return "\n".join(["log:", *text.splitlines()[-_LOG_LINES:]])
