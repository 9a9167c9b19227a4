"""Results as a render leaves them, without a render: a video, its recipe, and marks if wanted."""

from __future__ import annotations

import json
import random
import time
from pathlib import Path
from typing import Any

from studio.contract import Reference
from tests.helpers.jobs import small_shot

_VOCABULARY = (
    "a an the boat lantern harbour winter snow night rain neon alley fox owl mountain river slow pan close-up portrait "
    "dancer kite sea storm desert glass city tram rooftop forest moss firefly orchid tide pier gull amber teal grain"
)
_WORDS = _VOCABULARY.split()


def write_result(
    video: Path,
    *,
    prompt: str = "a red kite over the sea",
    created: float = 1_790_000_000.0,
    source: Path | None = None,
    data: bytes | None = b"",
    **changes: Any,
) -> Path:
    """Write the recipe of a result, and `data` as its video unless it is there already (None: no video)."""
    video.parent.mkdir(parents=True, exist_ok=True)
    references = (Reference(id="r1", path=source, kind="video", start=0.5),) if source else ()
    task = "ref2va" if source else "t2va"
    shot = small_shot(prompt=prompt, task=task, references=references)
    recipe: dict[str, Any] = {
        "sidecar_version": 1,
        "studio": "0.1.0",
        "job": f"job-{video.stem}",
        "created": time.strftime("%Y-%m-%dT%H:%M:%S%z", time.localtime(created)),
        "shot": shot.model_dump(mode="json"),
        "resolved": {"task": task, "width": 256, "height": 256, "frames": 107, "steps": 6, "seed": 7},
        "wire": [["prompt", prompt], ["seed", "7"]],
        "uploads": [{"reference": "r1", "source": str(source), "filename": "video1.mp4"}] if source else [],
        "server": {"url": "http://127.0.0.1:8091", "model": "MiniMaxAI/MiniMax-H3", "version": "0.30.0"},
        "timings": {"check": 0.076, "prepare": 5.424, "render": 61.5},
        "verified": {"frames": 107, "width": 256, "height": 256, "fps": 24.0, "video_seconds": 4.458},
        "sha256": f"sha of {video.stem}",
        "rehearsal": False,
    }
    video.with_suffix(".json").write_text(json.dumps(recipe | changes), "utf-8")
    if data is not None and not video.exists():
        video.write_bytes(data)
    return video


def write_many(folder: Path, count: int, seed: int = 1) -> None:
    """Write so many results with empty videos, a hundred a day; their prompts have 40 to 80 words, every tenth a
    Chinese half."""
    draw = random.Random(seed)
    for n in range(count):
        prompt = " ".join(draw.choices(_WORDS, k=draw.randint(40, 80)))
        if n % 10 == 0:
            prompt += "。夜晚的港口,灯笼在雪中摇晃,镜头缓慢推进。"
        day = folder / f"2026-{1 + n // 2800:02d}-{1 + n // 100 % 28:02d}"
        write_result(
            day / f"{n:06d}_{draw.choice(_WORDS)}_s{n}.mp4",
            prompt=prompt,
            created=1_780_000_000.0 + 600 * n,
            rehearsal=n % 3 == 0,
            sha256=f"{n:064x}",
        )
