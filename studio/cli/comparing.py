"""`compare`: what differs between two clips, in numbers and in a word."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from studio.cli.output import Out
from studio.core.errors import StudioError
from studio.core.words import sentences
from studio.media.workers import Workers

sentences({"usage.export": "--export takes a .mp4 or a .png, not “{name}”."})


def add(verbs: Any) -> None:
    """Add this group's verbs."""
    verb = verbs.add_parser("compare", help="compare two clips frame by frame")
    verb.add_argument("a", type=Path, metavar="A")
    verb.add_argument("b", type=Path, metavar="B")
    verb.add_argument("--offset", type=int, metavar="N", help="frames by which B is later; found when not given")
    verb.add_argument("--export", type=Path, metavar="FILE.mp4|FILE.png", help="comparison clip or contact sheet")
    verb.add_argument("--measures", type=Path, metavar="FILE.csv", help="the numbers of every frame")
    verb.add_argument("--json", action="store_true")
    verb.set_defaults(run=_compare)


async def _compare(args: argparse.Namespace, out: Out) -> int:
    from studio.compare.comparison import compare
    from studio.compare.export import export, measures_csv

    if args.export is not None and args.export.suffix.lower() not in (".mp4", ".png"):
        raise StudioError("usage.export", name=args.export.name)
    workers = Workers()
    try:
        found = await compare(
            workers, args.a, args.b, offset=args.offset, progress=lambda f: out.live(f"comparing {f:.0%}")
        )
        if args.export is not None:
            await export(workers, found, args.export, progress=lambda f: out.live(f"exporting {f:.0%}"))
        if args.measures is not None:
            measures_csv(found, args.measures)
    finally:
        await workers.aclose()
    data = found.as_json()
    prose = (
        f"{data['verdict']}: {data['verdict_text']}\n"
        f"{data['frames_compared']} frames, offset {data['alignment']['offset_frames']:+d}"
        f" ({data['alignment']['how']}) · MAD {data['mad']['mean']:.2f} · PSNR {data['psnr']['mean']:.2f} dB"
        f" · SSIM {data['ssim']['mean']:.4f}"
    )
    out.result(data, prose)
    return 0
