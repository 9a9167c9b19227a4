"""The word for the numbers, on both sides of every threshold."""

from __future__ import annotations

from dataclasses import replace

import pytest

from studio.compare.verdict import Evidence, Kind, judge
from studio.core.words import known_codes

CALM = Evidence(equal=False, mad=2.0, fitted=1.5, changed=0.0, calm=1.0, relatedness=0.9)


@pytest.mark.parametrize(
    ("evidence", "kind"),
    [
        (replace(CALM, equal=True, mad=0), "identical"),
        (CALM, "re-encode"),
        (replace(CALM, mad=4.99), "re-encode"),
        (replace(CALM, mad=5.0, fitted=4.99), "recoloured"),
        (replace(CALM, mad=9.0, fitted=5.0), "edited"),
        (replace(CALM, mad=30.0, fitted=14.99, calm=12.0), "edited"),
        (replace(CALM, mad=30.0, fitted=15.0, calm=12.0), "regenerated"),
        (replace(CALM, changed=0.005), "edited"),
        (replace(CALM, changed=0.004), "re-encode"),
        (replace(CALM, mad=25.0, fitted=20.0, changed=0.3), "edited"),
        (replace(CALM, mad=25.0, fitted=20.0, changed=0.3, calm=9.0), "regenerated"),
        (replace(CALM, mad=60.0, fitted=0.5, relatedness=0.1), "unrelated"),
        (replace(CALM, mad=60.0, fitted=40.0, calm=30, relatedness=0.19), "unrelated"),
        (replace(CALM, mad=60.0, fitted=40.0, calm=30, relatedness=0.2), "regenerated"),
    ],
)
def test_thresholds(evidence: Evidence, kind: Kind) -> None:
    assert judge(evidence) == kind
    assert f"verdict.{kind}" in known_codes()
