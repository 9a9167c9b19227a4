"""Many clients at once, and forms that are no forms. The large runs are in tests/bench."""

from __future__ import annotations

from collections.abc import Callable

from tests.integration.rehearsal.conftest import Server
from tests.integration.rehearsal.load import crowd, fuzz


def test_jobs_of_many_clients_keep_their_order_and_none_is_lost(ready: Callable[..., Server]) -> None:
    server = ready("--step-seconds", "0")
    seen = crowd(server, 16, 8, edge=64)
    assert len(seen.created) == len(set(seen.created)) == 16
    assert seen.saved == seen.created
    assert min(seen.sizes) > 10_000
    assert seen.memory[-1] < 1.15 * seen.memory[0]


def test_broken_forms_are_answered_and_leave_no_traceback(ready: Callable[..., Server]) -> None:
    server = ready("--step-seconds", "0")
    statuses = fuzz(server, 80, seed=1)
    assert {200, 400} <= set(statuses) <= {200, 400, 500}
    assert server.http.get("/health").status_code == 200
    for stream in (server.stdout, server.stderr):
        assert b"Traceback" not in stream.read_bytes()


def test_json_that_is_nested_too_deeply_is_answered_as_the_real_server_does(server: Server) -> None:
    answer = server.post(prompt="x", extra_params='{"a":' * 20_000)
    said = "maximum recursion depth exceeded while decoding a JSON object from a unicode string"
    expected = {"message": said, "type": "InternalServerError", "param": None, "code": 500}
    assert (answer.status_code, answer.json()) == (500, {"error": expected})
    assert b"Traceback" not in server.stderr.read_bytes()
