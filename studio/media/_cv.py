"""The only import of OpenCV. Its wheel carries a Qt 5 and points two variables at it, which children must not get."""

from __future__ import annotations

import os

import cv2

for _name in ("QT_QPA_PLATFORM_PLUGIN_PATH", "QT_QPA_FONTDIR"):
    if "cv2" in os.environ.get(_name, ""):
        del os.environ[_name]

# Callers bring their own threads or processes; OpenCV's pool on top of them only adds contention.
cv2.setNumThreads(1)

__all__ = ["cv2"]
