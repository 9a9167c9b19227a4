"""Whatever a shot holds: our rules and the rehearsal server's own rules come to the same verdict.

Random shots over one corpus of small files. H3_EXAMPLES sets how many (200 unless given).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from studio.contract import Canvas, Crop, Preparation, Reference, Request, Shot, check, mend_all, resolve
from studio.core.errors import StudioError
from studio.rehearsal.rules import Plan
from tests.helpers import rehearsed
from tests.helpers.corpus import Corpus, make_corpus

EXAMPLES = int(os.environ.get("H3_EXAMPLES", "200"))
MOSTLY = 14
"""One draw in so many breaks a rule of its own, so that a shot with a dozen of them is still legal now and then."""


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Corpus]:
    made = make_corpus(tmp_path_factory.mktemp("corpus"))
    yield made
    made.close()


def mostly(usual: Any, *odd: Any) -> st.SearchStrategy[Any]:
    """One of `usual` most of the time, else one of `odd`."""
    return st.integers(0, MOSTLY).flatmap(lambda n: st.sampled_from(odd if n == MOSTLY else usual))


KIND_COUNTS = {
    "t2va": st.just((0, 0, 0)),
    "fl2va": mostly([(1, 0, 0), (2, 0, 0)], (0, 0, 0), (3, 0, 0)),
    "ref2va": mostly(
        [(1, 0, 0), (0, 1, 0), (2, 1, 1), (0, 2, 0), (0, 3, 0), (9, 0, 3), (1, 0, 2), (6, 3, 3)],
        (10, 0, 0), (1, 4, 0), (1, 0, 4), (9, 2, 2), (0, 0, 1), (0, 0, 0),
    ),
}  # fmt: skip
TRIMS = [(0.0, None)] * 9 + [(0.0, 2.0)]
ODD_TRIMS = [(0.0, 1.9), (0.0, 2.333), (1.0, 4.0), (0.0, 15.0), (0.0, 15.02), (0.0, 15.03), (1.5, 3.4), (0.0, 0.02)]
HALF, STRIP = Crop(x=0.25, y=0.25, width=0.5, height=0.5), Crop(x=0, y=0, width=0.39, height=1)
ASPECTS = [Canvas(aspect=a) for a in ("21:9", "16:9", "4:3", "1:1", "3:4", "9:16")]
SIZES = [Canvas(width=w, height=h) for w, h in ((256, 256), (1024, 256), (287, 300), (480, 256))]
ODD_CANVASES = [Canvas(aspect="16:10"), *(Canvas(width=w, height=h) for w, h in ((31, 64), (1056, 256), (256, 1055)))]
EXTRAS = [{}] * 6 + [{"short_edge": 768}, {"duration": 5}, {"aspect_ratio": "1:1"}, {"unknown": 1}, {"frame_index": 0}]
ODD_EXTRAS = [
    {"short_edge": 1440}, {"target": 3}, {"duration": 3.9}, {"duration": True}, {"duration": "7.3"},
    {"aspect_ratio": "3:2"}, {"frame_indices": [0, -1]}, {"frame_indices": []}, {"frame_indices": [1]},
    {"target": {"duration_seconds": 15.1}}, {"flow_shift": -1}, {"long_video": "yes"}, {"long_video_mode": None},
    {"audio_mode": "loud"}, {"start_time_seconds": 1}, {"start_time_seconds": [0, 0]},
]  # fmt: skip
LORAS = [None] * 4 + [{"name": "a", "path": "/a"}, {"adapter": "a", "lora_path": "/a", "lora_scale": "0.5"}]


@st.composite
def shots(draw: st.DrawFn, corpus: Corpus) -> Shot:
    """A shot whose references are files of the corpus."""
    task = draw(st.sampled_from(["t2va", "fl2va", "ref2va", "ref2va", "ref2va"]))
    driving = draw(mostly([False], True))
    counts = draw(KIND_COUNTS[task])
    roles = {"image": draw(st.sampled_from([["first", "last"], ["last", "first"]]))} if task == "fl2va" else {}
    references = [
        draw(reference(corpus, kind, f"{kind}{i}", roles.get(kind, ["reference"])[i % 2 if kind in roles else 0]))
        for kind, count in zip(("image", "video", "audio"), counts, strict=True)
        for i in range(count)
    ]
    if driving:
        sounds = draw(st.integers(0, 2))
        references = [r for r in references if r.kind != "audio"]
        references += [draw(reference(corpus, "audio", f"driving{i}", "driving")) for i in range(sounds)]
    return Shot(
        task=task,
        prompt=draw(mostly(["a red kite", "@{image0} in <Video 1>"], "", "  ")),
        references=tuple(references),
        frames=draw(mostly([107, 124, 192, 243, 345, 362], 90, 95, 96, 110, 360, 363, 379)),
        canvas=draw(mostly([*ASPECTS, *SIZES], *ODD_CANVASES)),
        steps=draw(mostly([1, 4, 50, 200], 0, 201)),
        seed=draw(mostly([0, -(2**63), 2**63 - 1], 2**63, -(2**63) - 1)),
        flow_shift=draw(mostly([12.0, 0.5], 0.0, -1.0)),
        audio_flow_shift=draw(mostly([3.0], 0.0)),
        quality=draw(mostly([None, "high", "lossless"], "HIGH")),
        lora=draw(mostly(LORAS, {}, {"name": "a"}, {"name": "a", "path": "/a", "scale": "much"})),
        audio_mode="lock_source" if driving else "native",
        long_video=draw(mostly([None], {"long_video_mode": "full"}, {"long_video_mode": "x"})),
        extra=draw(mostly(EXTRAS, *ODD_EXTRAS)),
    )


@st.composite
def reference(draw: st.DrawFn, corpus: Corpus, kind: str, ref_id: str, role: str) -> Reference:
    """One file of a kind, sometimes trimmed, cropped or changed."""
    path = Path(draw(st.sampled_from(corpus.names(kind))))
    start, end = draw(mostly(TRIMS, *ODD_TRIMS)) if kind != "image" else (0.0, None)
    return Reference(
        id=ref_id,
        path=path,
        kind=kind,
        role=role,
        start=start,
        end=end,
        crop=draw(mostly([None], HALF, STRIP)) if kind != "audio" else None,
        keep_sound=draw(mostly([True], False)),
        preparation=Preparation(enlarge=draw(mostly([False], True))),
    )


def servers_verdict(corpus: Corpus, request: Request) -> Plan | str:
    try:
        fields, files = corpus.upload(request)
    except StudioError as error:
        return error.text()
    return rehearsed.answer(fields, files, corpus.folder)


@pytest.mark.timeout(120 + 2 * EXAMPLES)
@settings(
    max_examples=EXAMPLES,
    derandomize=EXAMPLES <= 200,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
@given(data=st.data())
def test_what_passes_here_is_accepted_there_and_the_other_way_round(corpus: Corpus, data: st.DataObject) -> None:
    shot = data.draw(shots(corpus))
    for request in (of := corpus.request(shot), corpus.request(mend_all(of))):
        errors = [f for f in check(request) if f.is_error]
        verdict = servers_verdict(corpus, request)
        event("accepted" if isinstance(verdict, Plan) else "refused")
        if isinstance(verdict, Plan):
            assert [f.code for f in errors if f.server_says is not None] == []
            found = resolve(request)
            assert (verdict.width, verdict.height, verdict.frames) == (found.width, found.height, found.frames)
        else:
            assert errors, verdict
