"""One worker is enough for one file at a time, and starts in half the time of two."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest_asyncio

from studio.media.workers import Workers


@pytest_asyncio.fixture
async def workers() -> AsyncIterator[Workers]:
    made = Workers(max_workers=1)
    yield made
    await made.aclose()
