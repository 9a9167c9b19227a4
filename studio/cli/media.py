"""`probe` and `prepare`: what a file is, and what it becomes."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Iterable
from itertools import chain, count
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from studio.cli.output import Out
from studio.contract import MediaFacts, Preparation, Reference, Request, Severity, Shot, check, load_limits
from studio.core.errors import StudioError
from studio.core.files import safe_stem
from studio.core.words import sentences, tr
from studio.jobs.plain import plain_finding
from studio.media.prepare import Prepared, prepare
from studio.media.probe import probe
from studio.media.workers import Workers

_STEM_BYTES = 200

sentences(
    {
        "usage.folder": "The folder {path} cannot be made: {reason}.",
        "usage.trim": "--start must be before --end.",
        "media.other_kind": "{name} is of the kind {is}, not {wanted}. Leave it out, or leave out --for.",
    }
)


def add(verbs: Any) -> None:
    """Add this group's verbs."""
    one = verbs.add_parser("probe", help="say what media files are")
    one.add_argument("files", nargs="+", type=Path, metavar="FILE", help="clips, pictures, sounds")
    one.add_argument("--json", action="store_true")
    one.set_defaults(run=_probe)
    two = verbs.add_parser("prepare", help="write upload-ready files")
    two.add_argument("files", nargs="+", type=Path, metavar="FILE", help="clips, pictures, sounds")
    two.add_argument("--for", dest="target", choices=("video", "image", "audio"), help="only files of that kind")
    two.add_argument("--short-edge", type=_short_edge, default=540, metavar="PX|source", help="of clips (default: 540)")
    two.add_argument("--start", type=float, default=0.0, metavar="S", help="first second that is taken")
    two.add_argument("--end", type=float, metavar="S", help="second before which it ends")
    two.add_argument("--ground", type=_colour, metavar="#RRGGBB", help="colour under what is transparent")
    two.add_argument("-o", "--output", type=Path, required=True, metavar="DIR", help="where the files go")
    two.add_argument("--json", action="store_true")
    two.set_defaults(run=_prepare)


async def _probe(args: argparse.Namespace, out: Out) -> int:
    workers = Workers()
    try:
        entries = await asyncio.gather(*(_probed(workers, path) for path in args.files))
    finally:
        await workers.aclose()
    out.result({"files": entries}, "\n".join(map(_line, entries)))
    return 2 if any(entry["error"] for entry in entries) else 0


async def _probed(workers: Workers, path: Path) -> dict[str, Any]:
    try:
        return plain_facts(await probe(workers, path))
    except StudioError as error:
        empty = dict.fromkeys(("kind", "container", "duration_s", "video", "audio", "image"))
        return {"path": str(path), **empty, "error": {"code": error.code, "message": error.text()}}


def plain_facts(facts: MediaFacts) -> dict[str, Any]:
    """Facts as the command line prints them."""
    data = facts.model_dump(mode="json", exclude={"path", "kind", "container", "duration", "video"})
    video = facts.video.model_dump(mode="json") if facts.video else None
    if facts.video and video is not None:
        video |= {"hdr": facts.video.transfer != "sdr", "sar": f"{facts.video.sar[0]}:{facts.video.sar[1]}"}
    head = {"path": str(facts.path), "kind": facts.kind, "container": facts.container, "duration_s": facts.duration}
    return {**head, "video": video, **data, "error": None}


def _line(entry: dict[str, Any]) -> str:
    if entry["error"]:
        return f"{entry['path']}: {entry['error']['message']}"
    parts = [f"{entry['kind']} ({entry['container']})"]
    if entry["duration_s"] is not None:
        parts.append(f"{entry['duration_s']:.3f} s")
    if video := entry["video"]:
        turned = f", turned {video['rotation']}°" if video["rotation"] else ""
        rate = f"{video['fps']:.3f} fps{' variable' if video['vfr'] else ''}"
        parts.append(f"{video['codec']} {video['display_width']}×{video['display_height']} {rate}{turned}")
    if image := entry["image"]:
        parts.append(f"{image['format']} {image['display_width']}×{image['display_height']}")
    if audio := entry["audio"]:
        parts.append(f"{audio['codec']} {audio['sample_rate']} Hz, {audio['channels']} channels")
    return f"{entry['path']}: {', '.join(parts)}"


async def _prepare(args: argparse.Namespace, out: Out) -> int:
    if args.end is not None and args.end <= args.start:
        raise StudioError("usage.trim")
    try:
        args.output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StudioError("usage.folder", path=str(args.output), reason=error.strerror or str(error)) from error
    workers = Workers()
    try:
        stems = _stems(args.files, args.output)
        entries = [await _prepared(workers, p, s, args, out) for p, s in zip(args.files, stems, strict=True)]
    finally:
        await workers.aclose()
    out.result({"files": entries}, "\n".join(map(_prepared_lines, entries)))
    if any("error" in entry for entry in entries):
        return 2
    return 0 if all(entry["ok"] for entry in entries) else 1


def _stems(files: list[Path], folder: Path) -> list[str]:
    """What the files made of these are called: like them, no two alike, and none like a source in the same folder."""
    taken = {safe_stem(path.stem, limit=_STEM_BYTES) for path in files if path.parent.resolve() == folder.resolve()}
    stems = []
    for path in files:
        name = safe_stem(path.stem, limit=_STEM_BYTES)
        names = chain((name,), (f"{name}-{number}" for number in count(2)))
        stems.append(next(stem for stem in names if stem not in taken))
        taken.add(stems[-1])
    return stems


async def _prepared(workers: Workers, path: Path, stem: str, args: argparse.Namespace, out: Out) -> dict[str, Any]:
    try:
        facts = await probe(workers, path)
        if args.target and facts.kind != args.target:
            raise StudioError("media.other_kind", name=path.name, **{"is": facts.kind}, wanted=args.target)
        reference = Reference(
            id="r1",
            path=path,
            kind=facts.kind,
            start=args.start,
            end=args.end,
            preparation=Preparation(short_edge=args.short_edge, ground=args.ground),
        )
        made = await prepare(
            workers,
            facts,
            reference,
            args.output,
            stem=stem,
            progress=lambda fraction: out.live(f"{path.name}: {fraction:.0%}"),
        )
    except StudioError as error:
        failed = {"code": error.code, "message": error.text()}
        return {"source": str(path), "output": None, "ok": False, "findings": [], "error": failed}
    findings = [f for f in _findings(reference, facts, made) if f["subject"] == "r1"]
    return {
        "source": str(path),
        "output": str(made.output),
        "changes": [_change(c) for c in made.receipt.changes],
        "before": plain_facts(facts),
        "after": plain_facts(made.facts),
        "ok": not any(f["severity"] == Severity.ERROR for f in findings),
        "findings": findings,
    }


def _findings(reference: Reference, facts: MediaFacts, made: Prepared) -> Iterable[dict[str, Any]]:
    shot = Shot(prompt="-", references=(reference,), task="ref2va")
    return map(plain_finding, check(Request(shot, load_limits(), {"r1": facts})))


def _change(change: Any) -> dict[str, Any]:
    return {"code": change.code, "params": dict(change.params), "text": change.message.text()}


def _prepared_lines(entry: dict[str, Any]) -> str:
    if "error" in entry:
        return f"{entry['source']}: {entry['error']['message']}"
    lines = [f"{entry['source']} → {entry['output']}"]
    lines += [f"    {change['text']}" for change in entry["changes"]]
    lines += [f"    {finding['severity']}: {finding['message']}" for finding in entry["findings"]]
    return "\n".join(lines)


def _colour(text: str) -> str:
    try:
        return Preparation(ground=text.lower()).ground or ""
    except ValidationError as error:
        raise argparse.ArgumentTypeError(tr("{colour} is not a colour. Write it as #00b140.", colour=text)) from error


def _short_edge(text: str) -> int | None:
    return None if text == "source" else int(text)
