"""`compare`: what differs between two clips, in numbers and in a word."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from studio.cli.output import Out
from studio.core.errors import StudioError
from studio.core.words import sentences
from studio.media.workers import Workers

if TYPE_CHECKING:
    from studio.compare.kept_parts import EditedClip
    from studio.compare.result import Comparison

MODES = ("all", "side", "stacked", "wipe", "difference", "overlay", "flicker", "kept")
KINDS = ("absolute", "root", "signed", "heat", "luma")
FITS = ("fit", "fill", "stretch")
GAINS = (1, 2, 4, 8, 16, 32)

sentences(
    {
        "usage.export": "--export takes a .mp4 or a .png, not “{name}”.",
        "usage.measures": "--measures takes a .csv or a .json, not “{name}”.",
        "usage.range": "--range takes two frames of A, the first one before the last one, not “{range}”.",
        "usage.still": "--still and --at go with --export FILE.png.",
        "usage.kept": "--mode kept needs a recipe beside {name} that keeps parts of {source}. Choose another mode.",
    }
)


def add(verbs: Any) -> None:
    """Add this group's verbs."""
    verb = verbs.add_parser("compare", help="compare two clips frame by frame")
    verb.add_argument("a", type=Path, metavar="A", help="the source")
    verb.add_argument("b", type=Path, metavar="B", help="the result")
    verb.add_argument("--offset", type=int, metavar="N", help="frames by which B is later; found when not given")
    verb.add_argument("--export", type=Path, metavar="FILE.mp4|FILE.png", help="comparison clip or contact sheet")
    verb.add_argument("--mode", choices=MODES, default="all", help="what the clip or still shows (default: all)")
    verb.add_argument("--kind", choices=KINDS, default="absolute", help="how a difference is shown")
    verb.add_argument("--gain", type=int, choices=GAINS, default=4, help="of a difference (default: 4)")
    verb.add_argument("--fit", choices=FITS, default="fit", help="how B lies over an A of another shape")
    verb.add_argument("--range", type=int, nargs=2, metavar=("FIRST", "LAST"), help="frames of A in the clip")
    verb.add_argument("--at", type=_numbers, default=(), metavar="N,N,…", help="frames of A on the contact sheet")
    verb.add_argument("--still", type=int, metavar="N", help="export this frame of A as a picture in --mode")
    verb.add_argument("--measures", type=Path, metavar="FILE.csv|FILE.json", help="the numbers of every frame")
    verb.add_argument("--json", action="store_true")
    verb.set_defaults(run=_compare)


async def _compare(args: argparse.Namespace, out: Out) -> int:
    from studio.compare.comparison import compare
    from studio.compare.export import export
    from studio.compare.kept_parts import edited_clip, kept_parts

    _refuse_misuse(args)
    workers = Workers()
    try:
        clip = await edited_clip(workers, args.a, args.b)
        if args.mode == "kept" and clip is None:
            raise StudioError("usage.kept", name=args.b.name, source=args.a.name)
        found = await compare(
            workers, args.a, args.b, offset=args.offset, progress=lambda f: out.live(f"comparing {f:.0%}")
        )
        if args.export is not None:
            await _export(workers, found, args, out, clip)
        if args.measures is not None:
            await export(workers, found, args.measures)
        parts = await kept_parts(workers, clip) if clip is not None else None
    finally:
        await workers.aclose()
    data = found.as_json() | ({"edit": parts.as_json()} if parts is not None else {})
    prose = (
        f"{data['verdict_text']}\n"
        f"{data['frames_compared']} frames, offset {data['alignment']['offset_frames']:+d}"
        f" ({data['alignment']['how']}) · MAD {data['mad']['mean']:.2f} · PSNR {data['psnr']['mean']:.2f} dB"
        f" · SSIM {data['ssim']['mean']:.4f}"
    )
    if parts is not None:
        prose += "".join(
            f"\n{name} part: mean difference {mean:.1f}"
            for name, mean in (("kept", parts.kept_mean), ("changed", parts.changed_mean))
            if mean is not None
        )
    out.result(data, prose)
    return 0


def _refuse_misuse(args: argparse.Namespace) -> None:
    suffix = args.export.suffix.lower() if args.export else ""
    if args.export is not None and suffix not in (".mp4", ".png"):
        raise StudioError("usage.export", name=args.export.name)
    if args.measures is not None and args.measures.suffix.lower() not in (".csv", ".json"):
        raise StudioError("usage.measures", name=args.measures.name)
    if args.range is not None and not 0 <= args.range[0] <= args.range[1]:
        raise StudioError("usage.range", range=" ".join(map(str, args.range)))
    if (args.still is not None or args.at) and suffix != ".png":
        raise StudioError("usage.still")


async def _export(
    workers: Workers, found: Comparison, args: argparse.Namespace, out: Out, edited: EditedClip | None
) -> None:
    from studio.compare.compositing import Look
    from studio.compare.drawing import View
    from studio.compare.export import Asked, export

    if args.range is not None:
        found = found.part(found.pair_of(args.range[0]), found.pair_of(args.range[1]))
    view = View(args.mode, Look(gain=args.gain, kind=args.kind, fit=args.fit), edited=edited)
    asked = Asked(view, args.still, args.at)
    await export(workers, found, args.export, asked=asked, progress=lambda f: out.live(f"exporting {f:.0%}"))


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(number) for number in text.split(","))
