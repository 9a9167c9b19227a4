"""Damaged files by the thousand: `make fuzz`, or `python -m tests.bench.media_fuzz [COUNT] [SEED]`.

Each is glanced at, probed and, when that succeeds, prepared and drawn. The program must live, every refusal must be a
sentence about the file, and nothing may be left behind. Prints how often what came out; exit 1 when something else did.
"""

from __future__ import annotations

import asyncio
import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import psutil

from studio.contract.shot import Reference
from studio.core.errors import StudioError
from studio.media.prepare import prepare
from studio.media.probe import glance_file, probe_file
from studio.media.thumbs import thumbnail
from studio.media.workers import Workers
from tests.helpers.mutations import mutated, write_seeds

TIMEOUT_S = 20.0


async def outcome(workers: Workers, path: Path, out: Path) -> str:
    """ "prepared", or the code of the refusal. Raises whatever is no StudioError."""
    try:
        await workers.run(glance_file, path, 0, timeout=TIMEOUT_S)
        facts = await workers.run(probe_file, path, timeout=TIMEOUT_S)
        if facts.kind != "audio":
            await thumbnail(workers, path)
        # Headers may promise hours; what a shot can use is 15 s.
        end = min(facts.duration or 0.0, 15.0) if facts.kind != "image" else None
        reference = Reference(id="r1", path=path, kind=facts.kind, end=end or None)
        await prepare(workers, facts, reference, out)
    except StudioError as error:
        assert error.text() != error.code, f"no sentence for {error.code}"
        if error.code == "media.broken":
            print(f"{path.name}: {error.detail}", file=sys.stderr)
        return error.code
    return "prepared"


async def fuzz(folder: Path, count: int, seed: int, workers: Workers) -> tuple[Counter[str], list[Path]]:
    """`count` damaged files in turn of every seed; what came of them, and the files that broke the program."""
    seeds = write_seeds(folder / "seeds")
    results: Counter[str] = Counter()
    broken: list[Path] = []
    free = asyncio.Semaphore(2)

    async def one(n: int) -> None:
        rng = random.Random(seed * 1_000_003 + n)
        whole = seeds[n % len(seeds)]
        path = folder / f"{n:04d}-{whole.name}"
        async with free:
            path.write_bytes(mutated(whole.read_bytes(), rng))
            found = await outcome(workers, path, folder / f"out-{n}")
        results[found] += 1
        if found in ("media.broken", "media.timeout", "media.worker_died"):
            broken.append(path)
        else:
            path.unlink()

    await asyncio.gather(*map(one, range(count)))
    left = [path for path in folder.glob("out-*/.*")]
    assert not left, f"half files left behind: {left}"
    return results, broken


async def main(count: int, seed: int) -> int:
    folder = Path(tempfile.mkdtemp(prefix="h3studio-fuzz-"))
    started, workers = time.monotonic(), Workers()
    try:
        results, broken = await fuzz(folder, count, seed, workers)
    finally:
        await workers.aclose()
    for code, times in results.most_common():
        print(f"{times:6d}  {code}")
    if not broken:
        shutil.rmtree(folder)
    print(f"{count} files in {time.monotonic() - started:.0f} s; kept for a look: {[str(path) for path in broken]}")
    children = psutil.Process().children(recursive=True)
    kept = (
        "resource_tracker",
        "forkserver",
    )  # these two end with the program; what is forked of the second is a worker
    left = [c for c in children if c.parent() != psutil.Process() or not any(k in " ".join(c.cmdline()) for k in kept)]
    print(f"processes left: {left}")
    return 1 if results["media.broken"] or left else 0


if __name__ == "__main__":
    arguments = [int(text) for text in sys.argv[1:]]
    sys.exit(asyncio.run(main(*arguments, *(1000, 1)[len(arguments) :])))
