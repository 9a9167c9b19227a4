"""What the server says when it refuses: which finding it belongs to, which limit it tells, what is made of it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from studio.contract import (
    Request,
    Severity,
    check,
    codes_of,
    edits,
    limits_told,
    load_limits,
    unforeseen,
    with_rules,
)
from tests.helpers.shots import clip, picture, request
from tests.helpers.vectors import cases
from tests.unit.contract.test_contract_rules import REFUSED, WORDED

LIVE = [c.values[0] for c in cases("live_requests") if c.values[0]["message"]]
# What cannot come of a wire form of ours: fields that are never sent, and files as they are before they are prepared.
_NEVER_SENT = (
    "body.seconds", "body.fps", "body.size", "body.start_time_seconds", "Invalid size", "Invalid JSON", "Latent-mask",
    "must use", "must be WAV", "Invalid uploaded", "size limit", "ffprobe", "no video stream", "12 total references.",
    "FPS", "dictionary update",
)  # fmt: skip


@pytest.mark.parametrize("case", LIVE, ids=lambda c: c["name"][:60])
def test_every_live_refusal_that_could_meet_us_has_its_finding(case: dict[str, Any]) -> None:
    assert codes_of(case["message"]) or any(words in case["message"] for words in _NEVER_SENT)


@pytest.mark.parametrize("of", WORDED)
def test_our_own_server_sentences_lead_back_to_their_findings(of: Request) -> None:
    for found in check(of):
        if found.server_says:
            assert found.code in codes_of(found.server_says), found.server_says


def test_limits_are_read_from_the_sentence() -> None:
    told = {
        "reference video 0 duration must be in [2, 10] seconds, got 12.000": {
            "reference_seconds_min": 2,
            "reference_seconds_max": 10,
        },
        "reference image aspect ratio must be in [0.5, 2], got 640x256": {"ratio_min": 0.5, "ratio_max": 2},
        "ref2va accepts at most 4 image references": {"images_max": 4},
        "MiniMax H3 output duration must be in [4, 8] seconds, got 9.0": {
            "output_seconds_min": 4,
            "output_seconds_max": 8,
        },
        "something went wrong": {},
    }
    for said, limits in told.items():
        assert limits_told(said) == limits


def test_a_refusal_that_was_foreseen_is_not_recorded() -> None:
    for of, _, _, _, says in REFUSED.values():
        assert unforeseen(of, says, check(of)) is None


def test_a_refusal_with_a_limit_becomes_a_rule() -> None:
    of = request(clip("v", 12.0), frames=294)
    said = "reference video 0 duration must be in [2, 10] seconds, got 12.000"
    record = unforeseen(of, said, check(of))
    assert record is not None and record.code == "ref.video.too_long"
    assert with_rules(of.limits, [record]) == of.limits
    limits = with_rules(load_limits(), [record.as_rule()])
    assert limits.reference_seconds_max == 10
    again = replace(of, limits=limits, refusals=(record.as_rule(),))
    assert [f.code for f in check(again) if f.is_error] == ["ref.video.too_long"]


def test_a_refusal_without_a_limit_warns_and_as_a_rule_stops_the_same_request_alone() -> None:
    of = request(picture("p"))
    record = unforeseen(of, "this GPU is too small for that", check(of))
    assert record is not None and record.code is None

    def before(of: Request) -> list[Severity]:
        return [f.severity for f in check(of) if f.code == "server.refused_before"]

    warned = replace(of, refusals=(record,))
    assert before(warned) == [Severity.WARNING]
    assert "this GPU is too small" in next(f for f in check(warned) if f.code == "server.refused_before").message.text()
    ruled = replace(of, refusals=(record.as_rule(),))
    assert before(ruled) == [Severity.ERROR]
    other_words = replace(ruled, shot=edits.set_seed(edits.set_prompt(of.shot, "a blue kite"), 7))
    assert before(other_words) == [Severity.ERROR]
    assert before(replace(ruled, shot=edits.set_frames(of.shot, 243))) == []
