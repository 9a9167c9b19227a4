"""Refusals that the rules did not foresee are remembered by server, across starts."""

from __future__ import annotations

from pathlib import Path

from studio.contract import Refusal, Severity, check, with_rules
from studio.contract.request import Request
from studio.contract.rules.refused import unforeseen
from studio.jobs.refusals import KEPT, Refusals
from tests.helpers.shots import clip, request

HERE, THERE = "http://127.0.0.1:8091", "http://gpu:8000"
SAID = "reference video 0 duration must be in [2, 12] seconds, got 14.375"


def judged(of: Request, known: Refusals, server: str) -> list[Severity]:
    again = Request(of.shot, with_rules(of.limits, known.of(server)), of.facts, known.of(server))
    return [f.severity for f in check(again) if f.code in ("server.refused_before", "ref.video.too_long")]


def test_a_refusal_warns_the_next_time_on_that_server_and_stops_once_it_is_a_rule(tmp_path: Path) -> None:
    of = request(clip("v", 345 / 24))
    refusal = unforeseen(of, SAID, check(of))
    assert refusal is not None
    Refusals(tmp_path / "refusals.json").record(HERE, refusal)

    known = Refusals(tmp_path / "refusals.json")
    assert judged(of, known, HERE) == [Severity.WARNING]
    assert judged(of, known, THERE) == []
    known.treat_as_rule(HERE, refusal)
    known.record(HERE, refusal)
    assert Severity.ERROR in judged(of, Refusals(tmp_path / "refusals.json"), HERE)
    known.forget(HERE, refusal)
    assert judged(of, Refusals(tmp_path / "refusals.json"), HERE) == []


def test_the_record_is_bounded_and_a_damaged_one_is_begun_anew(tmp_path: Path) -> None:
    path = tmp_path / "refusals.json"
    known = Refusals(path)
    for n in range(KEPT + 5):
        known.record(HERE, Refusal(said=f"no {n}", code=None, signature=str(n)))
    assert known.of(HERE)[0].said == "no 5"
    path.write_bytes(b"{")
    assert Refusals(path).of(HERE) == ()


def test_a_folder_that_cannot_be_written_loses_the_record_only(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    known = Refusals(tmp_path / "file" / "refusals.json")
    heard: list[str] = []
    known.changed.subscribe(heard.append)
    known.record(HERE, Refusal(said="no", code=None, signature="1"))
    assert heard == [HERE] and len(known.of(HERE)) == 1
