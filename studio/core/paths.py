"""Where things lie. HOME and the XDG variables decide; nothing is created at import."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs

APP = "h3studio"


def _xdg(variable: str, fallback: str) -> Path:
    # An empty or relative value counts as unset (XDG base directory specification).
    value = os.environ.get(variable, "")
    return Path(value) if value.startswith("/") else Path(fallback)


def data_dir() -> Path:
    """Jobs database, server logs, prepared references in use."""
    return _xdg("XDG_DATA_HOME", os.path.dirname(platformdirs.user_data_dir(APP))) / APP  # noqa: PTH120


def config_dir() -> Path:
    """Settings and user presets."""
    return _xdg("XDG_CONFIG_HOME", os.path.dirname(platformdirs.user_config_dir(APP))) / APP  # noqa: PTH120


def cache_dir() -> Path:
    """What can be made again: thumbnails, prepared files not in use."""
    return _xdg("XDG_CACHE_HOME", os.path.dirname(platformdirs.user_cache_dir(APP))) / APP  # noqa: PTH120


def videos_dir() -> Path:
    """The user's folder for videos (XDG_VIDEOS_DIR, else user-dirs.dirs, else ~/Videos)."""
    return _xdg("XDG_VIDEOS_DIR", platformdirs.user_videos_dir())


def results_dir() -> Path:
    """Where renders go unless the user says otherwise."""
    return videos_dir() / "H3 Studio"
