"""`python -m studio.rehearsal`."""

import sys

from studio.rehearsal.program import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
