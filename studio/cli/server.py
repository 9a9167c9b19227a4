"""`server doctor|start|stop|status|logs|unit` and `profiles`: the server from the command line."""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
from pathlib import Path
from typing import Any, Literal

from studio.cli.output import Out
from studio.client import Client, ClientError
from studio.contract.serialise import parse_shot
from studio.core.errors import StudioError
from studio.core.words import say
from studio.jobs import JobStore, Target
from studio.jobs.calibration import past_runs
from studio.jobs.longest import longest_seconds
from studio.server import Launcher, Place, ProcessLauncher, QuadletLauncher, ServerManager, ServerStatus, records
from studio.server import profiles as known
from studio.server.doctor import Level, check_hub, examine, examine_remote
from studio.server.drop_in import missing_options, missing_pieces
from studio.server.fitting import reasons_against
from studio.server.launch import plan
from studio.server.launchers import ContainerLauncher, OwnContainerLauncher, SshLauncher, UnitLauncher, launcher_of
from studio.server.machine import nvml, read
from studio.server.profiles import Profile
from studio.server.records import ServerRecord
from studio.server.texts import check_command, file_name, render
from studio.settings import SettingsStore, secrets

_WORDS = {Level.PASS: "ok", Level.UNKNOWN: "?", Level.WARN: "warn", Level.FAIL: "FAIL"}


def add(verbs: Any) -> None:
    """Add this group's verbs."""
    verb = verbs.add_parser("profiles", help="the launch profiles, and which of them fit this machine")
    verb.add_argument("--fits", action="store_true", help="only those that fit")
    verb.add_argument("--json", action="store_true")
    verb.set_defaults(run=_profiles)
    verb = verbs.add_parser("server", help="a server of your own: doctor, start, stop, status, logs, unit")
    what = verb.add_subparsers(dest="what", required=True, metavar="doctor|start|stop|status|logs|unit")
    for name, words, run in (
        ("doctor", "what would keep a profile from running here", _doctor),
        ("start", "start a profile's server and wait until it is ready; it goes on afterwards", _start),
        ("stop", "end the servers that the studio started", _stop),
        ("status", "the servers of the studio that run", _status),
        ("logs", "what a server has written", _logs),
        ("unit", "a profile as text: shell, service, quadlet or compose", _unit),
    ):
        one = what.add_parser(name, help=words)
        if name in ("doctor", "start", "unit"):
            _add_place(one)
        if name == "doctor":
            one.add_argument("--shot", type=Path, action="append", default=[], help="a shot that it is to render")
            one.add_argument("--hub", action="store_true", help="ask the model hub, too")
        if name == "start":
            one.add_argument("--unit", metavar="NAME", help="start this user unit instead of a profile")
            one.add_argument("--container", metavar="NAME", help="start this podman container instead of a profile")
            one.add_argument("--yes", action="store_true", help="start a profile that is not built in")
            one.add_argument("--url", help="where a unit or container is reached")
        if name == "unit":
            one.add_argument("--unit", metavar="NAME", help="what this user unit lacks, as a drop-in file")
            one.add_argument("--container", metavar="NAME", help="what this podman container lacks, as options")
            forms = ("shell", "service", "quadlet", "compose")
            one.add_argument("--form", choices=forms, default="quadlet", help="as what (default: quadlet)")
        if name == "logs":
            one.add_argument("--lines", type=int, default=200, metavar="N", help="the last ones (default: 200)")
        if name in ("logs", "stop"):
            one.add_argument("id", nargs="?", metavar="ID", help="as `server status` shows it")
        one.add_argument("--json", action="store_true")
        one.set_defaults(run=run)


def _add_place(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--profile", metavar="ID", help="a profile's id, or a file with one")
    parser.add_argument("--model", metavar="DIR", help="the folder that holds FL2VA and Ref2VA")
    parser.add_argument("--port", type=int, metavar="N", help="in place of the profile's")
    parser.add_argument(
        "--host", default="127.0.0.1", help="another one than 127.0.0.1 opens the server to the network"
    )
    parser.add_argument("--name", default="minimax-h3", help="of the unit, the container and the results' folder")
    parser.add_argument("--quadlet", action="store_true", help="in a container, as a user unit")
    parser.add_argument("--engine", choices=("podman", "docker"), help="in a container of that engine, without systemd")
    parser.add_argument("--ssh", metavar="HOST", help="on another machine, as `ssh HOST` reaches it")
    parser.add_argument("--cards", default="", metavar="0,2,1,3", help="the cards in their order")
    parser.add_argument("--numa", type=int, metavar="NODE", help="bind it to that NUMA node")
    parser.add_argument("--conflicts", action="append", default=[], metavar="UNIT", help="must not run beside it")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="fill a profile's {NAME}")


async def _profiles(args: argparse.Namespace, out: Out) -> int:
    machine = await asyncio.to_thread(lambda: read(nvml()))
    rows = [(profile, reasons_against(profile, machine)) for profile in known.every()]
    rows = [row for row in rows if not (args.fits and row[1])]
    lines = [f"{'+' if not why else ' '} {p.id:<36} {why[0].text() if why else p.title}" for p, why in rows]
    plain = [
        {**profile.model_dump(mode="json"), "fits": not why, "why_not": [reason.text() for reason in why]}
        for profile, why in rows
    ]
    out.result({"profiles": plain}, "\n".join(lines) or "No profile fits this machine.")
    return 0


async def _doctor(args: argparse.Namespace, out: Out) -> int:
    profile, place = _chosen(args)
    shots = [parse_shot(path.read_bytes(), path.parent) for path in args.shot]
    checks = [await check_hub()] if args.hub else []
    if args.ssh:
        checks += await examine_remote(args.ssh, plan(profile, place, longest_job=_longest_job(profile)), shots)
    else:
        how: dict[str, Any] = {"container": bool(args.quadlet or args.engine), "engine": args.engine or "quadlet"}
        checks += await asyncio.to_thread(
            lambda: examine(profile, place, read(nvml()), longest_job=_longest_job(profile), shots=shots, **how)
        )
    lines, plain = [], []
    for check in checks:
        mend = check.mend.text() if check.mend else ""
        lines += [f"{_WORDS[check.level]:<5} {check.message.text()}", *([f"      {mend}"] if mend else [])]
        lines += [f"      $ {check.command}"] if check.command else []
        said = {"level": check.level.name.lower(), "code": check.message.code, "message": check.message.text()}
        plain.append({**said, "mend": mend or None, "command": check.command or None})
    ok = all(check.level is not Level.FAIL for check in checks)
    out.result({"ok": ok, "profile": profile.id, "checks": plain}, "\n".join(lines))
    return 0 if ok else 1


async def _start(args: argparse.Namespace, out: Out) -> int:
    manager = ServerManager(_launcher(args), nvml=nvml)
    last: list[str] = []

    def tell(status: ServerStatus) -> None:
        if status.progress is not None and last[-1:] != [status.progress.phase]:
            last.append(status.progress.phase)
            out.note(f"{status.progress.at:7.1f} s  {say(f'server.phase.{status.progress.phase}')}")

    manager.changed.subscribe(tell)
    try:
        if isinstance(manager.launcher, UnitLauncher) and (displaced := await _displaced(manager.launcher)):
            out.note(f"This ends: {', '.join(displaced)}.")
        await manager.start()
        status, record = manager.status, manager.status.record
        assert record is not None
    except StudioError:
        if manager.status.cause is not None:
            out.note(f"{manager.status.cause.message.text()} {manager.status.cause.mend.text()}")
        raise
    finally:
        await manager.aclose()
    plain = {"id": record.id, "url": status.url, "pid": record.pid, "model": status.model, "log": str(record.folder)}
    out.result(plain, f"Ready at {status.url}, model {status.model}. End it: h3studio server stop {record.id}")
    return 0


async def _displaced(launcher: UnitLauncher) -> list[str]:
    try:
        return await launcher.displaced()
    except StudioError:
        return []  # the start itself says what is wrong


async def _stop(args: argparse.Namespace, out: Out) -> int:
    wanted = [record for record in await asyncio.to_thread(records.living) if args.id in (None, record.id)]
    if not wanted:
        raise StudioError("server.none_running")
    plain = []
    for record in wanted:
        out.note(f"Ending {record.id} (pid {record.pid}), at most {record.grace:.0f} s …")
        left = await launcher_of(record).stop(record)
        if left and record.kind == "ssh":
            out.note(say("server.still_running_there", {"host": record.name}))
        if record.displaced:
            names = " ".join(record.displaced)
            out.note(f"Its start had ended {names}. To have that back: systemctl --user start {names}")
        about = {"id": record.id, "pid": record.pid, "displaced": list(record.displaced)}
        plain.append({**about, "gone": not left, "left": [p.pid for p in left]})
    gone = all(not one["left"] for one in plain)
    lines = [f"{one['id']}: {'ended' if one['gone'] else 'processes left: ' + str(one['left'])}" for one in plain]
    out.result({"stopped": plain}, "\n".join(lines))
    return 0 if gone else 1


async def _status(_args: argparse.Namespace, out: Out) -> int:
    plain = [await _reading(record) for record in await asyncio.to_thread(records.living)]
    lines = [
        f"{one['id']}  {one['profile'] or one['kind']:<32} {one['url']}  pid {one['pid']}  "
        f"{'ready' if one['engine'] else 'loading' if one['api'] is not None else 'no answer'}"
        for one in plain
    ]
    out.result({"servers": plain}, "\n".join(lines) or say("server.none_running"))
    return 0


async def _reading(record: ServerRecord) -> dict[str, Any]:
    plain: dict[str, Any] = {"api": None, "engine": False, "model": None}
    if record.url is not None:
        key = None if record.kind == "rehearsal" else await asyncio.to_thread(secrets.api_key, record.url)
        async with Client(record.url, api_key=key) as client:
            try:
                plain["engine"] = plain["api"] = await client.healthy()
                plain["model"] = await client.model() if plain["engine"] else None
            except ClientError:
                plain["api"] = None
    about = record.model_dump(include={"id", "kind", "profile", "name", "pid", "url"})
    return {**about, **plain, "process": True, "seconds": round(time.time() - record.started, 1)}


def _logs(args: argparse.Namespace, out: Out) -> int:
    folder = records.servers_dir()
    ids = [args.id] if args.id else sorted((p.name for p in folder.iterdir()), reverse=True) if folder.is_dir() else []
    record = next(filter(None, map(records.load, ids)), None)
    if record is None:
        raise StudioError("server.none_running")
    texts = {name: _tail(path, args.lines) for name, path in (("stdout", record.stdout), ("stderr", record.stderr))}
    prose = "\n".join(f"== {name}\n{text}" for name, text in texts.items())
    out.result({"id": record.id, "folder": str(record.folder), **texts}, prose)
    return 0


def _tail(path: Path, lines: int) -> str:
    try:
        with path.open("rb") as fp:
            fp.seek(max(0, path.stat().st_size - 400 * lines))
            text = fp.read().decode("utf-8", "replace")
    except OSError:
        return ""
    return "\n".join(text.splitlines()[-lines:])


async def _unit(args: argparse.Namespace, out: Out) -> int:
    if args.unit:
        return await _drop_in(args.unit, out)
    if args.container:
        options = missing_options(await ContainerLauncher("cli", args.container, "").environment())
        out.result({"container": args.container, "text": options}, options or f"{args.container} lacks nothing.")
        return 0
    profile, place = _chosen(args)
    how: Literal["process", "container"] = "container" if args.form in ("quadlet", "compose") else "process"
    launch = plan(profile, place, how=how, longest_job=_longest_job(profile))
    text = render(launch, args.form)
    where, check = file_name(args.form, place.name), check_command(args.form, place.name)
    out.note(f"Belongs in ~/{where}. Not checked by the program that reads it; to do so: {check}")
    out.result({"form": args.form, "text": text, "file": where, "check": check}, text.rstrip("\n"))
    return 0


async def _drop_in(unit: str, out: Out) -> int:
    shown = await UnitLauncher("cli", unit, "").state()
    if shown.get("LoadState") == "not-found":
        raise StudioError("unit.unknown", mend="unit.unknown.mend", unit=unit)
    pieces = await asyncio.to_thread(missing_pieces, unit, shown)
    where, text = pieces if pieces is not None else (None, "")
    if where is not None:
        out.note(f"Write this to {where}, then: systemctl --user daemon-reload")
    out.result({"unit": unit, "text": text, "file": where}, text.rstrip("\n") or f"{unit} lacks nothing.")
    return 0


def _launcher(args: argparse.Namespace) -> Launcher:
    # "window": a server that was started for itself is there to be taken up by the next window.
    url = args.url or f"http://127.0.0.1:{args.port or 8091}"
    if args.unit:
        return UnitLauncher("window", args.unit, url)
    if args.container:
        return ContainerLauncher("window", args.container, url)
    profile, place = _chosen(args)
    if profile not in known.shipped() and not args.yes:
        raise StudioError("usage.not_confirmed", title=profile.title)
    how: Literal["process", "container"] = "container" if args.quadlet or args.engine else "process"
    launch = plan(profile, place, how=how, longest_job=_longest_job(profile))
    if args.engine:
        return OwnContainerLauncher("window", launch, engine=args.engine)
    if args.ssh:
        return SshLauncher("window", args.ssh, launch)
    return QuadletLauncher("window", launch) if args.quadlet else ProcessLauncher("window", launch)


def _longest_job(profile: Profile) -> float | None:
    """The longest queued job's estimate on that profile's server, s: its time limits follow it. Blocking."""
    store = JobStore()
    try:
        history = past_runs(store, Target(kind="profile", name=profile.id).lane)
        return longest_seconds(store.unfinished(), (*history, *profile.published_runs))
    finally:
        store.close()


def _chosen(args: argparse.Namespace) -> tuple[Profile, Place]:
    """The profile and the place that the words name; what they leave out comes from the settings."""
    server = SettingsStore().present.server
    name = args.profile or server.profile
    if name is None:
        raise StudioError("usage.no_profile")
    path = Path(name)
    profile = known.load_file(path) if path.suffix == ".json" else known.find(name)
    if profile not in known.shipped():
        for field, (there, built_in) in known.differences(profile, near := known.nearest(profile)).items():
            print(f"{field}: {there!r}\n  in {near.id}: {built_in!r}", file=sys.stderr)
    values = dict(pair.partition("=")[::2] for pair in args.set)
    model = args.model or server.model_root
    if args.model and not args.ssh:
        model = str(Path(args.model).expanduser().absolute())
    port = args.port or server.port
    return profile, Place(
        model, args.host, port, args.name, tuple(args.conflicts), None, values, devices=args.cards, numa=args.numa
    )
