"""The large load on the rehearsal server: 200 jobs from 8 clients at 256×256, and 1,000 broken forms.

python -m tests.bench.rehearsal_load [JOBS] [FORMS]
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from tests.integration.rehearsal.conftest import running
from tests.integration.rehearsal.load import crowd, fuzz


def main(jobs: int = 200, forms: int = 1000) -> int:
    """Print what was seen; 1 when an order was broken or a traceback stands in the log."""
    with tempfile.TemporaryDirectory() as folder, running(Path(folder), "--step-seconds", "0") as server:
        began = time.perf_counter()
        seen = crowd(server, jobs, 8)
        took = time.perf_counter() - began
        print(f"{jobs} jobs in {took:.1f} s; in order: {seen.saved == seen.created}; lost: {jobs - len(seen.saved)}")
        print("resident MiB after each quarter:", *(f"{mib:.0f}" for mib in seen.memory))
        print(f"{forms} broken forms:", dict(Counter(fuzz(server, forms, seed=2))))
        tracebacks = sum(stream.read_bytes().count(b"Traceback") for stream in (server.stdout, server.stderr))
        print("tracebacks in the log:", tracebacks)
    return 0 if seen.saved == seen.created and not tracebacks else 1


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
