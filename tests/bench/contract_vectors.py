"""How many of the real server's recorded cases our contract does not agree with.

python -m tests.bench.contract_vectors
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1] / "unit" / "contract"
FILES = ("test_contract_vectors_requests.py", "test_contract_vectors_shape.py", "test_contract_refusals.py")


class Verdicts:
    """Counts what pytest says of each case."""

    def __init__(self) -> None:
        self.agree = self.differ = 0

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """One report for each of set-up, call and clean-up."""
        self.differ += report.failed
        self.agree += report.when == "call" and report.passed


def main() -> int:
    verdicts = Verdicts()
    code = pytest.main(["-q", "-p", "no:cacheprovider", *(str(TESTS / name) for name in FILES)], plugins=[verdicts])
    print(f"\nvectors: {verdicts.agree} cases agree, {verdicts.differ} do not")
    return int(code)


if __name__ == "__main__":
    sys.exit(main())
