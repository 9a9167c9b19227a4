"""Each known failure line in a real server's log files reaches the status with its explanation."""

from __future__ import annotations

from typing import Any

import pytest

from studio.core.children import ProcessId
from studio.server import LogWatch, ServerRecord, records
from studio.server.failures import Explained
from studio.server.start_watch import StartWatch
from tests.unit.server.test_failures import LINES


@pytest.mark.parametrize(("name", "line"), LINES.items(), ids=list(LINES))
async def test_a_line_in_the_log_is_explained(name: str, line: str) -> None:
    mine = ProcessId.mine()
    record = ServerRecord(id=records.new_id(), started_by="window", starter=mine.as_dict(), **mine.as_dict()).save()
    said: list[Explained] = []

    def say(*, cause: Explained | None = None, **_other: Any) -> None:
        said.extend([cause] if cause is not None else [])

    watch = LogWatch(record)
    follower = StartWatch(watch, record, say)
    step = "\rH3STEP||1|5|1.314| 1.31s/it\n"
    with record.stderr.open("w") as log:
        log.write(f"(APIServer pid=7) INFO 11-29 13:09:44 [x.py:1] Detected diffusion model: /m\n{step}")
        log.write(f"(DiffusionWorker_TP0 pid=4242) ERROR 11-29 13:09:44 [x.py:1] {line}\n")
    assert await watch.look()
    follower.close()
    assert [cause.failure.name for cause in said] == [name]
    assert line[:60] in said[0].line
