"""`python -m studio VERB`: the command line, also where Qt is not installed."""

from __future__ import annotations

import multiprocessing
import sys

if __name__ == "__main__":
    multiprocessing.freeze_support()
    from studio.cli import main

    sys.exit(main(sys.argv[1:]))
