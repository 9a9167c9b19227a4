"""A bench whose workers start as the program's do."""

from __future__ import annotations

import sys


def forget_main() -> None:
    """Have no spawned worker import the bench.

    Every worker imports the module that the program was started with. The program's own is kept free of imports
    (ui/__main__.py); a bench imports the window, which takes a worker a second of both cores beside what is measured.
    """
    main = sys.modules["__main__"]
    main.__spec__ = None
    vars(main).pop("__file__", None)
