"""Damaged files never break the program, and leave nothing behind (`make fuzz` does a thousand of them)."""

from __future__ import annotations

from pathlib import Path

import pytest

from studio.media.workers import Workers
from tests.bench.media_fuzz import fuzz


@pytest.mark.usefixtures("no_children_left")
async def test_forty_damaged_files_are_prepared_or_refused_in_words(tmp_path: Path) -> None:
    workers = Workers()
    try:
        results, broken = await fuzz(tmp_path, 44, 7, workers)
    finally:
        await workers.aclose()
    assert results.total() == 44
    assert not broken, f"{results}: {broken}"
    assert results["prepared"] and len(results) > 2  # some live, some are refused for different reasons
