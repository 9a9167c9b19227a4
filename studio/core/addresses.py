"""Addresses as people type them."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import urlsplit

_HOST: Final = re.compile(r"[\w.:%-]+")


def address(text: str) -> str | None:
    """What was typed as an address, made whole ("gpu-box:8091" is http); None when it is none."""
    url = text.strip()
    url = url if "://" in url or not url else f"http://{url}"
    try:
        parts = urlsplit(url)
        good = parts.scheme in ("http", "https") and bool(_HOST.fullmatch(parts.hostname or "")) and parts.port != 0
    except ValueError:
        return None
    return url if good else None
