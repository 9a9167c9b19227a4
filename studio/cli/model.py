"""`model get|check|access`: the model's files, from the hub or as they lie on disk."""

from __future__ import annotations

import argparse
import asyncio
from pathlib import Path
from typing import Any

from studio.cli.output import Out
from studio.server.doctor import Level, check_hub
from studio.server.doctor.checkpoint import check_checkpoint
from studio.server.model import PATTERNS, Download, FileState, Partition, Progress
from studio.server.profiles import Profile

_GIB = 1 << 30


def add(verbs: Any) -> None:
    """Add this group's verbs."""
    verb = verbs.add_parser("model", help="the model's files: fetch them, or check what is there")
    what = verb.add_subparsers(dest="what", required=True, metavar="get|check|access")
    one = what.add_parser("access", help="whether the hub can be reached and gives you the model")
    one.add_argument("--json", action="store_true")
    one.set_defaults(run=_access)
    what.add_parser("ask").set_defaults(run=_ask, json=False)
    for name, words, run in (
        ("get", "fetch a partition; what was broken off goes on where it stopped", _get),
        ("check", "whether a folder holds all that a server reads", _check),
        ("fetch", argparse.SUPPRESS, _fetch),
    ):
        one = what.add_parser(name, help=words) if name != "fetch" else what.add_parser(name)
        one.add_argument("partition", choices=tuple(PATTERNS), help="all modes, or one part of the model")
        one.add_argument("folder", type=Path, metavar="DIR", help="where the model lies, or will")
        if name != "check":
            one.add_argument("--revision", default="main", metavar="NAME", help="branch, tag or commit")
        one.add_argument("--json", action="store_true")
        one.set_defaults(run=run)


async def _get(args: argparse.Namespace, out: Out) -> int:
    partition: Partition = args.partition
    download = Download(partition, args.folder.expanduser().absolute(), revision=args.revision)
    told: dict[str, str] = {}

    def tell(progress: Progress) -> None:
        for file in progress.files:
            line = _line(file)
            if line is not None and told.get(file.name) != line:
                told[file.name] = line
                out.note(line)

    download.changed.subscribe(tell)
    await download.run()
    checks, ok = await asyncio.to_thread(_checked, partition, download.folder)
    progress = download.progress
    plain = {"folder": str(download.folder), "files": len(progress.files), "bytes": progress.size, **checks}
    out.result(plain, f"{len(progress.files)} files, {progress.size / _GIB:.1f} GB, in {download.folder}.")
    return 0 if ok else 1


def _line(file: FileState) -> str | None:
    """What is worth a line: a file that is whole, one that broke off, and every tenth of a large one."""
    if file.why:
        return f"{file.name}: {file.why}; going on"
    if file.done >= file.size:
        return f"{file.name}: whole"
    tenth = 10 * file.done // file.size
    return f"{file.name}: {tenth * 10} %" if file.size > _GIB and tenth else None


def _check(args: argparse.Namespace, out: Out) -> int:
    plain, ok = _checked(args.partition, args.folder.expanduser().absolute())
    out.result(plain, "\n".join(str(one["message"]) for one in plain["checks"]))
    return 0 if ok else 1


def _checked(partition: Partition, folder: Path) -> tuple[dict[str, Any], bool]:
    suffix = "" if partition == "combined" else partition
    profile = Profile(id="any", title="", partition=partition, model_path_suffix=suffix)
    checks = list(check_checkpoint(profile, str(folder)))
    ok = all(check.level is not Level.FAIL for check in checks)
    said = [{"code": check.message.code, "message": check.message.text()} for check in checks]
    return {"ok": ok, "checks": said}, ok


async def _access(_args: argparse.Namespace, out: Out) -> int:
    check = await check_hub()
    said = {"message": check.message.text(), "mend": check.mend.text() if check.mend else None}
    ok = check.level is not Level.FAIL
    out.result({"ok": ok, "code": check.message.code, **said}, "\n".join(filter(None, said.values())))
    return 0 if ok else 1


def _ask(_args: argparse.Namespace, _out: Out) -> int:
    from studio.server.model.child import ask

    return ask()


def _fetch(args: argparse.Namespace, _out: Out) -> int:
    from studio.server.model.child import run

    return run(args.partition, args.folder, args.revision)
