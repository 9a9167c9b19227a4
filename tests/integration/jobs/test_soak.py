"""One small round of the fault campaign: a studio that is killed twice, a connection that breaks, all videos there."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from tests.bench.soak import Round, play


def test_a_killed_studio_and_a_broken_connection_lose_nothing(tmp_path: Path) -> None:
    drawn = Round(
        fault="reset@2",
        seeds=(1, 2),
        cancels=(None, None),
        studio_kills=(4.0, 4.0),
        server_kill=None,
        no_room=None,
        step_seconds=0.1,
        edge=256,
    )
    killed = Counter[str]()
    ends, wrong = play(drawn, tmp_path, killed)
    assert not wrong
    assert ends == {"done": 2}
