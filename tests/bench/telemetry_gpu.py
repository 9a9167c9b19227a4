"""Our readings beside `nvidia-smi`'s on a machine with an NVIDIA card, while a PyTorch loop allocates and frees.

    python -m tests.bench.telemetry_gpu [--seconds 60] [--rate 10]

Says the greatest difference, what the sampling costs, which processes were named, and that MIG was left as it is.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import subprocess
import sys
import time
from pathlib import Path

import psutil

from studio.telemetry.monitor import Monitor, Source
from studio.telemetry.readings import Sample
from studio.telemetry.samplers import NvidiaSmiSampler, NvmlSampler

MIB = 1 << 20
LOAD = """
import sys, time
import torch
x = torch.randn(8192, 8192, device="cuda", dtype=torch.bfloat16)
print(torch.__version__, torch.cuda.get_device_name(), flush=True)
end, size = time.time() + float(sys.argv[1]), 4
while time.time() < end:
    held = torch.empty(size << 30, dtype=torch.uint8, device="cuda").fill_(1)
    stop = time.time() + 2.3
    while time.time() < stop:
        x @ x
        torch.cuda.synchronize()
    del held
    torch.cuda.empty_cache()
    time.sleep(1.7)
    size = size % 40 + 9
"""


def smi(what: str) -> list[list[str]]:
    out = subprocess.run(
        ["nvidia-smi", f"--query-{what}", "--format=csv,noheader,nounits"], capture_output=True, text=True, check=True
    ).stdout
    return [[word.strip() for word in line.split(",")] for line in out.splitlines()]


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--rate", type=float, default=10)
    args = parser.parse_args()
    mig = smi("gpu=mig.mode.current,mig.mode.pending")
    opened = time.perf_counter()
    sampler = NvmlSampler()
    cards = sampler.open()
    first = sampler.sample()
    print("open and first look", f"{(time.perf_counter() - opened) * 1e3:.1f} ms", cards)
    print("idle", first, "nvidia-smi", smi("gpu=memory.used,memory.total,memory.reserved"))
    began = time.perf_counter()
    for _ in range(1000):
        sampler.sample()
    print(f"one look, all readings: {(time.perf_counter() - began):.3f} ms; refused {sorted(sampler._refused)}")
    sampler.close()

    load = begin_load(args.seconds)
    assert load.stdout is not None
    print("load", (await asyncio.to_thread(load.stdout.readline)).strip())
    monitor, seen = Monitor(), []
    unwatch = monitor.watch(Source(local=True), seen.append, rate=args.rate)
    before, wall = psutil.Process().cpu_times(), time.perf_counter()
    theirs: list[tuple[float, float, float]] = []
    apps: set[tuple[str, ...]] = set()
    while load.poll() is None:
        started = time.time()
        (used, power), *_ = await asyncio.to_thread(smi, "gpu=memory.used,power.draw")
        theirs.append(((started + time.time()) / 2, float(used), float(power)))
        if len(theirs) % 5 == 2:
            apps |= {(row[0], row[1], row[3]) for row in smi("compute-apps=pid,process_name,gpu_uuid,used_memory")}
        await asyncio.sleep(max(0.0, 1 - (time.time() - started)))
    unwatch()
    await monitor.aclose()
    after, wall = psutil.Process().cpu_times(), time.perf_counter() - wall
    spent = after.user + after.system - before.user - before.system
    print(
        f"{len(seen)} samples at {args.rate} Hz, {len(theirs)} of nvidia-smi; this process {100 * spent / wall:.2f} %"
    )
    compare(seen, theirs)
    print("named by nvidia-smi", sorted(apps))
    ours = {(h.pid, h.name, (h.used or 0) // MIB) for s in seen for g in s.gpus for h in g.holders}
    print("named by us", sorted({(pid, name) for pid, name, _ in ours}), "up to", max(m for *_, m in ours), "MiB")
    text_sampler()
    await alone(args.rate)
    print("MIG before", mig, "after", smi("gpu=mig.mode.current,mig.mode.pending"))


def begin_load(seconds: float) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, "-c", LOAD, str(seconds)], stdout=subprocess.PIPE, text=True)


def compare(seen: list[Sample], theirs: list[tuple[float, float, float]]) -> None:
    """Each of their readings against ours within a quarter of a second: an allocation may fall between the two."""
    gaps = []
    for at, used, _ in theirs:
        near = [s.gpus[0].used / MIB for s in seen if abs(s.at - at) <= 0.25 and s.gpus and s.gpus[0].used is not None]
        if near:
            gaps.append(min(abs(ours - used) for ours in near))
    peak = max(s.gpus[0].used or 0 for s in seen) / MIB
    print(
        f"memory: {len(gaps)} pairs, difference median {statistics.median(gaps):.2f} MiB, max {max(gaps):.2f} MiB; "
        f"peak ours {peak:.0f}, theirs {max(used for _, used, _ in theirs):.0f} MiB"
    )
    watts, said = [s.gpus[0].power or 0 for s in seen], [p for *_, p in theirs]
    print(f"power: ours {min(watts):.0f}–{max(watts):.0f} W, theirs {min(said):.0f}–{max(said):.0f} W")


def text_sampler() -> None:
    """nvidia-smi as text, through the sampler that is used over SSH."""
    reader = NvidiaSmiSampler()
    began = time.perf_counter()
    cards = reader.open()
    print(f"as text: {len(cards)} cards after {time.perf_counter() - began:.2f} s", reader.trouble, reader.sample())
    time.sleep(2.5)
    later = reader.sample()
    print("as text, later", later, json.dumps([card.label for card in cards]))
    reader.close()


async def alone(rate: float) -> None:
    """What sampling costs by itself, in a process that does nothing else."""
    for hertz in (1.0, rate):
        monitor, seen = Monitor(), []
        unwatch = monitor.watch(Source(local=True), seen.append, rate=hertz)
        await asyncio.sleep(1)
        before, wall = psutil.Process().cpu_times(), time.perf_counter()
        await asyncio.sleep(15)
        after, wall = psutil.Process().cpu_times(), time.perf_counter() - wall
        spent = after.user + after.system - before.user - before.system
        print(f"alone at {hertz:g} Hz: {100 * spent / wall:.3f} % of one core, {len(seen)} samples")
        unwatch()
        await monitor.aclose()


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[2]))
    asyncio.run(main())
