"""Our verdict on some 170 requests around every bound, beside a real server's: each is sent whatever our check says.

    python -m tests.bench.contract_peer http://127.0.0.1:8099

Made for a vLLM-Omni server without weights and with tiny pictures, where a job takes about a second. What such a server
does not run (shifts, encoder options, adapters) is left out.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from studio.client import Client, ClientError, Upload
from studio.contract import Canvas, Finding, Preparation, Reference, Request, Shot, check, codes_of
from studio.core.errors import StudioError
from tests.helpers.corpus import Corpus, make_corpus

_POLL_S = 0.1
_EXTRAS: tuple[dict[str, Any], ...] = (
    {"short_edge": 768}, {"short_edge": 769}, {"short_edge": True}, {"target": 3}, {"target": {"duration_seconds": 15}},
    {"target": {"duration_seconds": 15.001}}, {"duration": 4}, {"duration": 3.999}, {"duration": "7.3"},
    {"duration": "seven"}, {"duration": True}, {"aspect_ratio": "3:2"}, {"aspect_ratio": "adaptive"},
    {"aspect_ratio": 1}, {"audio_mode": "loud"}, {"task": "T2VA"},
    {"task": "i2v"}, {"long_video": "yes"}, {"long_video_mode": "x"}, {"long_video_mode": None}, {"seed": 1},
    {"pad_seq_len": 64.5}, {"pad_seq_len": -64}, {"pad_seq_len": 100}, {"pad_seq_len": 1_048_640},
    {"preencode_mp4": True, "preencode_batch_frames": 0},
)  # fmt: skip
_INDICES: tuple[Any, ...] = ([0], [-1], [1], [0, -1], [], 0, "first", [0.5])


def _reference(name: str, kind: str, n: int = 0, **more: Any) -> Reference:
    return Reference(id=f"{kind}{n}", path=Path(name), kind=kind, **more)  # type: ignore[arg-type]


def _shot(task: str, *references: Reference, **more: Any) -> Shot:
    return Shot(**{"task": task, "prompt": "a red kite", "frames": 107, "steps": 1, "references": references, **more})


def cases(corpus: Corpus) -> Iterator[tuple[str, Shot]]:
    """Every case by name. Files of the corpus are prepared as for a render."""
    yield from _files(corpus)
    yield from _sets()
    yield from _settings()


def _files(corpus: Corpus) -> Iterator[tuple[str, Shot]]:
    square = _reference("256x256.png", "image")
    for name in corpus.names("video"):
        yield f"clip {name}", _shot("ref2va", _reference(name, "video"))
    for frames in (47, 48, 360, 361):
        trimmed = _reference("f362.mp4", "video", end=frames / 24)
        yield f"clip cut to {frames} frames", _shot("ref2va", trimmed)
    for name in ("128x128.mp4", "254x300.mp4", "100x600.mp4"):
        larger = _reference(name, "video", preparation=Preparation(enlarge=True))
        yield f"clip {name} scaled up", _shot("ref2va", larger)
    for name in corpus.names("image"):
        yield f"picture {name}", _shot("ref2va", _reference(name, "image"))
        yield f"first {name}", _shot("fl2va", _reference(name, "image", role="first"))
    for name in corpus.names("audio"):
        yield f"sound {name}", _shot("ref2va", square, _reference(name, "audio"))
        driving = _reference(name, "audio", role="driving")
        yield f"driving {name}", _shot("t2va", driving, audio_mode="lock_source")


def _sets() -> Iterator[tuple[str, Shot]]:
    for counts in ((9, 0, 0), (10, 0, 0), (0, 3, 0), (0, 4, 0), (1, 0, 3), (1, 0, 4), (6, 3, 3), (7, 3, 3), (0, 0, 1)):
        names = zip(("256x256.png", "f48.mp4", "2000ms.wav"), ("image", "video", "audio"), counts, strict=True)
        references = [_reference(name, kind, n) for name, kind, count in names for n in range(count)]
        yield f"counts {counts}", _shot("ref2va", *references)
    square = _reference("256x256.png", "image")
    for frames in (179, 180, 181):
        clips = [_reference("f180.mp4", "video", 0), _reference("f240.mp4", "video", 1, end=frames / 24)]
        yield f"clips of 180 + {frames} frames", _shot("ref2va", *clips)
    for end in (4.999, 5.0, 5.001):
        sounds = [_reference("10000ms.wav", "audio", 0), _reference("20000ms.wav", "audio", 1, end=end)]
        yield f"sounds of 10 + {end} s", _shot("ref2va", square, *sounds)
    for kept in (True, False):
        clips = [_reference(f"f{n}.mp4", "video", i, keep_sound=kept) for i, n in enumerate(("192_s8.0", "120_s5.0"))]
        yield f"soundtracks kept: {kept}", _shot("ref2va", *clips)
    first, last = _reference("256x256.png", "image", 0, role="first"), _reference("turned.jpg", "image", 1, role="last")
    yield "first and last", _shot("fl2va", first, last)
    yield "last alone", _shot("fl2va", last)
    yield "no picture", _shot("fl2va")
    yield "three pictures", _shot("fl2va", first, last, _reference("grey16.png", "image", 2, role="last"))
    for value in _INDICES:
        yield f"indices {value}", _shot("fl2va", first, extra={"frame_indices": value})
    sounds = [_reference("2000ms.wav", "audio", n, role="driving") for n in range(2)]
    yield "two driving sounds", _shot("t2va", *sounds, audio_mode="lock_source")
    yield "no driving sound", _shot("t2va", audio_mode="lock_source")
    yield "driving beside a picture", _shot("ref2va", square, sounds[0], audio_mode="lock_source")


def _settings() -> Iterator[tuple[str, Shot]]:
    for frames in (95, 96, 107, 110, 360, 362, 363):
        yield f"{frames} frames", _shot("t2va", frames=frames)
    for frames in (720, 736, 737):
        yield f"long, {frames} frames", _shot("t2va", frames=frames, long_video={})
    for aspect in ("21:9", "16:9", "9:16", "16:10", " 1:1 ", "1.0"):
        yield f"ratio {aspect!r}", _shot("t2va", canvas=Canvas(aspect=aspect))
    for size in ((1024, 256), (1055, 256), (1056, 256), (256, 1024), (256, 1056), (31, 64), (32, 32), (63, 32)):
        yield f"size {size}", _shot("t2va", canvas=Canvas(width=size[0], height=size[1]))
    for steps in (0, 1, 200, 201):
        yield f"{steps} steps", _shot("t2va", steps=steps)
    for seed in (-(2**63) - 1, -(2**63), 2**63 - 1, 2**63):
        yield f"seed {seed}", _shot("t2va", seed=seed)
    for quality in ("lossless", "HIGH", "ultra"):
        yield f"quality {quality}", _shot("t2va", quality=quality)
    for lora in ({}, {"name": "a"}, {"name": "a", "path": "/a", "scale": "much"}):
        yield f"adapter {lora}", _shot("t2va", lora=lora)
    for extra in _EXTRAS:
        yield f"extra {extra}", _shot("t2va", extra=extra)
    square = _reference("256x256.png", "image")
    for size in (0, 1, (1 << 20) - 6, (1 << 20) - 5, 1 << 20, (1 << 20) + 1):
        yield f"prompt of {size} bytes", _shot("t2va", prompt="x" * size)
        yield f"prompt of {size} bytes beside a file", _shot("ref2va", square, prompt="x" * size)
    for count in ((1 << 20) // 9 - 1, (1 << 20) // 9):
        yield f"prompt of {count} Chinese characters", _shot("t2va", prompt="风" * count)


async def server_says(client: Client, corpus: Corpus, request: Request) -> str | None:
    """The server's refusal, or None when the render came to its end."""
    fields, files = await asyncio.to_thread(corpus.upload, request)
    try:
        job = await client.create(fields, [Upload(f.output, f.filename, f.content_type) for f in files])
        while (job := await client.get(job.id)).status not in ("completed", "failed"):
            await asyncio.sleep(_POLL_S)
        await client.delete(job.id)
    except ClientError as error:
        return str(error.params.get("said") or error)
    return job.fault if job.status == "failed" else None


def compare(errors: list[Finding], said: str | None) -> str:
    """How the two verdicts stand to each other."""
    if not errors or said is None:
        return "agree" if not errors and said is None else "MISSED" if said is not None else "BLOCKED"
    if any(f.server_says == said for f in errors):
        return "agree, word for word"
    return "agree, same rule" if {f.code for f in errors} & set(codes_of(said)) else "agree, other words"


async def main(url: str) -> None:
    """Print the table of all that is not plain agreement, and the counts."""
    counted: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        corpus = await asyncio.to_thread(make_corpus, Path(folder))
        async with Client(url) as client:
            for name, shot in cases(corpus):
                request = corpus.request(shot)
                errors = [f for f in check(request) if f.is_error]
                try:
                    said = await server_says(client, corpus, request)
                except StudioError as error:
                    said = f"(not sent) {error}"
                verdict = compare(errors, said)
                counted[verdict] += 1
                if verdict not in ("agree", "agree, word for word"):
                    ours = "; ".join(f.code for f in errors) or "–"
                    print(f"{verdict:20} {name[:48]:48} ours: {ours}  theirs: {(said or '–')[:160]!r}", flush=True)
        await asyncio.to_thread(corpus.close)
    print(f"\n{counted.total()} requests:", ", ".join(f"{count} {verdict}" for verdict, count in counted.most_common()))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
