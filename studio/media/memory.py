"""Memory of pictures, which come and go by the megabyte."""

from __future__ import annotations

import numpy as np


def expect_pictures() -> None:
    """Have freed pictures stay with the process, so that the next ones find their memory in place.

    glibc gives freed blocks back that are larger than what it has seen come and go, and memory taken anew is a page
    fault for every 4 KB: for pictures more than they take to convert. It learns up to 32 MiB (mallopt(3),
    M_MMAP_THRESHOLD), and one block, never touched, teaches it. Other C libraries do not mind.
    """
    np.empty(31 << 20, np.uint8)
