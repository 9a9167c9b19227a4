"""`shot new` and `check`: write a shot file, and say whether it can be rendered."""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from studio.cli.output import Out
from studio.contract import (
    Canvas,
    ContractError,
    Limits,
    MediaFacts,
    Preparation,
    Reference,
    Request,
    Shot,
    Unreadable,
    adopt_tags,
    check,
    cost,
    edits,
    follow_main,
    frames_for,
    limits_of_server,
    load_limits,
    new_reference_id,
    resolve,
    tags,
)
from studio.core.errors import StudioError
from studio.core.words import say, sentences
from studio.jobs.plain import plain_finding
from studio.media.probe import probe
from studio.media.workers import Workers
from studio.presets import findings as places_left
from studio.presets.shot_file import load_shot, save_shot

sentences(
    {
        "usage.value": "“{text}” is not a value for {name}: {reason}.",
        "usage.size": "--width and --height go together.",
        "usage.length": "Give --seconds or --frames, not both.",
        "check.limits.assumed": "note: the limits of {id} apply, by the version that the server reports ({version}).",
        "check.limits.guessed": (
            "note: this server's version ({version}) is not known here: the limits of {id} are advice and stop nothing."
        ),
        "usage.set": "--set takes KEY=JSON, for example quality='\"high\"'; got “{text}”.",
    }
)
_REFERENCE_KEYS = ("start", "end", "role", "short_edge", "enlarge", "keep_sound", "ground")


def add(verbs: Any) -> None:
    """Add this group's verbs."""
    shot = verbs.add_parser("shot", help="write a shot file")
    new = shot.add_subparsers(dest="what", required=True).add_parser("new", help="write a new shot file")
    tasks = ("t2va", "fl2va", "ref2va")
    new.add_argument("--task", choices=tasks, default="ref2va", help="words, frames or references (default: ref2va)")
    new.add_argument("--prompt", required=True, help="what to render; <Video 1> and the like name the references")
    new.add_argument(
        "--reference",
        action="append",
        default=[],
        metavar="FILE[,start=S,end=S,role=ROLE,short_edge=PX|source,enlarge=yes|no,keep_sound=yes|no,ground=#RRGGBB]",
        help="a clip, picture or sound, once for each",
    )
    new.add_argument("--seconds", type=float, metavar="S", help="snaps up to the next rung")
    new.add_argument("--frames", type=int, metavar="N", help="a rung: 17n+5")
    new.add_argument("--steps", type=int, metavar="N", help="denoise steps")
    new.add_argument("--seed", type=int, metavar="N", help="drawn when not given")
    new.add_argument("--aspect", metavar="W:H", help="a named ratio")
    new.add_argument("--width", type=int, metavar="W", help="in place of a ratio, with --height")
    new.add_argument("--height", type=int, metavar="H", help="in place of a ratio, with --width")
    new.add_argument(
        "--set", dest="sets", action="append", default=[], metavar="KEY=JSON", help="any other field of a shot"
    )
    new.add_argument("-o", "--output", type=Path, required=True, metavar="FILE.h3shot", help="where it goes")
    new.add_argument("--json", action="store_true")
    new.set_defaults(run=_new)
    one = verbs.add_parser("check", help="say whether a shot can be rendered, and what would mend it")
    one.add_argument("shot", type=Path, metavar="SHOT", help="a .h3shot file")
    one.add_argument("--server", metavar="URL", help="go by the limits of that server's version")
    one.add_argument("--limits", metavar="ID", help="go by these limits (see “h3studio limits”)")
    one.add_argument("--json", action="store_true")
    one.set_defaults(run=_check)


async def _new(args: argparse.Namespace, out: Out) -> int:
    try:
        shot, facts = await _composed(args)
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(map(str, first["loc"])) or "the shot"
        raise StudioError("usage.value", name=name, text=str(first.get("input")), reason=first["msg"]) from error
    limits = load_limits()
    shot = follow_main(Request(shot, limits, facts))
    shot = edits.set_prompt(shot, adopt_tags(Request(shot, limits, facts), shot.prompt))
    await asyncio.to_thread(save_shot, shot, args.output)
    out.result(
        {"shot": str(args.output), "task": shot.task, "frames": shot.frames, "seed": shot.seed}, str(args.output)
    )
    return 0


async def _composed(args: argparse.Namespace) -> tuple[Shot, dict[str, MediaFacts | Unreadable]]:
    limits = load_limits()
    if args.seconds is not None and args.frames is not None:
        raise StudioError("usage.length")
    if (args.width is None) != (args.height is None):
        raise StudioError("usage.size")
    references, facts = await _references(args)
    shot = Shot(task=args.task, prompt=args.prompt, references=references)
    if any(r.role == "driving" for r in references):
        shot = shot.but(audio_mode="lock_source")
    if args.task == "fl2va":
        shot = edits.set_task(shot, "fl2va")
    asked: tuple[tuple[Any, Callable[[Shot, Any], Shot]], ...] = (
        (args.seconds, lambda shot, seconds: edits.set_frames(shot, frames_for(seconds, limits))),
        (args.frames, edits.set_frames),
        (args.aspect, lambda shot, aspect: edits.set_canvas(shot, Canvas(aspect=aspect))),
        (args.width, lambda shot, width: edits.set_canvas(shot, Canvas(width=width, height=args.height))),
        (args.steps, edits.set_steps),
        (args.seed, edits.set_seed),
    )
    for value, edit in asked:
        if value is not None:
            shot = edit(shot, value)
    for text in args.sets:
        shot = _with_set(shot, text)
    return shot, facts


async def _references(args: argparse.Namespace) -> tuple[tuple[Reference, ...], dict[str, MediaFacts | Unreadable]]:
    workers = Workers()
    references: list[Reference] = []
    facts: dict[str, MediaFacts | Unreadable] = {}
    try:
        for text in args.reference:
            path, options = split_reference(text)
            known = await probe(workers, path)
            reference = Reference(id=new_reference_id(), path=path.absolute(), kind=known.kind, **_fields(options))
            references.append(reference)
            facts[reference.id] = known
    finally:
        await workers.aclose()
    return tuple(references), facts


def split_reference(text: str) -> tuple[Path, dict[str, str]]:
    """`FILE[,key=value]…` → path and options. A file name may hold commas: only known keys at the end are options."""
    options: dict[str, str] = {}
    while "," in text and not Path(text).exists():
        head, _, tail = text.rpartition(",")
        key, equals, value = tail.partition("=")
        if not equals or key not in _REFERENCE_KEYS:
            break
        options[key], text = value, head
    return Path(text), options


def _fields(options: dict[str, str]) -> dict[str, Any]:
    fields: dict[str, Any] = {k: v for k, v in options.items() if k in ("start", "end", "role")}
    if "keep_sound" in options:
        fields["keep_sound"] = options["keep_sound"]
    wishes: dict[str, Any] = {k: v for k, v in options.items() if k in ("short_edge", "enlarge", "ground")}
    if wishes:
        fields["preparation"] = Preparation.model_validate(
            {k: None if (k, v) == ("short_edge", "source") else v for k, v in wishes.items()}
        )
    return fields


def _with_set(shot: Shot, text: str) -> Shot:
    key, equals, value = text.partition("=")
    try:
        parsed = json.loads(value)
    except ValueError:
        equals = ""
    if not equals or not key:
        raise StudioError("usage.set", text=text)
    if key in Shot.model_fields:
        return Shot.model_validate({**shot.model_dump(), key: parsed})
    return shot.but(extra={**shot.extra, key: parsed})


async def _check(args: argparse.Namespace, out: Out) -> int:
    shot = load_shot(args.shot)
    limits = await limits_for(args.server, args.limits)
    request = Request(shot, limits, await probe_all(shot))
    findings = (*check(request), *places_left(shot))
    ok = not any(finding.is_error for finding in findings)
    data = {
        "ok": ok,
        "findings": [plain_finding(finding) for finding in findings],
        "resolved": _resolved(request),
        "cost": _cost(request),
        "labels": [tag for own in tags(request).values() for tag in own],
        "limits": limits.id,
        "assumed": limits.assumed,
    }
    lines = [_limits_line(limits)] if limits.assumed else []
    lines += [f"{finding.severity}: {finding.message.text()}" for finding in findings]
    out.result(data, "\n".join([*lines, "It can be rendered." if ok else "It cannot be rendered as it is."]))
    return 0 if ok else 1


async def limits_for(server: str | None, limits_id: str | None) -> Limits:
    """The limits that were asked for: by id, by what a server says of itself, or the built-in ones."""
    if server is None or limits_id is not None:
        return load_limits(limits_id)
    from studio.client import Client

    async with Client(server) as client:
        return limits_of_server(await client.version(), await client.openapi())


async def probe_all(shot: Shot) -> dict[str, MediaFacts | Unreadable]:
    """Facts of every reference, or why there are none."""
    workers = Workers()

    async def one(reference: Reference) -> MediaFacts | Unreadable:
        try:
            return await probe(workers, reference.path)
        except StudioError as error:
            return Unreadable(path=reference.path, code=error.code, params=error.params)

    try:
        known = await asyncio.gather(*map(one, shot.references))
    finally:
        await workers.aclose()
    return {reference.id: facts for reference, facts in zip(shot.references, known, strict=True)}


def _limits_line(limits: Limits) -> str:
    code = "check.limits.guessed" if limits.guessed else "check.limits.assumed"
    return say(code, {"version": limits.server_version or "–", "id": limits.id})


def _resolved(request: Request) -> dict[str, Any] | None:
    try:
        return asdict(resolve(request))
    except ContractError:
        return None


def _cost(request: Request) -> dict[str, Any] | None:
    try:
        found = cost(request)
    except ContractError:
        return None
    savings = [
        {"label": saving.mend.message.text(), "rows": saving.rows, "share": round(saving.share, 3)}
        for saving in found.savings
    ]
    return {
        "rows_output": found.rows.output,
        "rows_total": found.rows.total,
        "per_reference": [asdict(own) for own in found.rows.per_reference],
        "updates": found.updates,
        "savings": savings,
    }
