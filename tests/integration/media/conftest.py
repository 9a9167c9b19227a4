"""One worker for all tests of a file, which share its loop: starting one costs more than most tests."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from studio.media.workers import Workers


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def workers() -> AsyncIterator[Workers]:
    made = Workers(max_workers=1)
    yield made
    await made.aclose()


@pytest.hookimpl(tryfirst=True)
def pytest_pycollect_makeitem(name: str, obj: object) -> None:
    if name.startswith("test") and inspect.iscoroutinefunction(obj):
        pytest.mark.asyncio(loop_scope="module")(obj)
