"""What the tray may hold: counts by kind, what each task needs, the driving sound, what waits unsent."""

from __future__ import annotations

from collections.abc import Iterator

from studio.contract import offers
from studio.contract.findings import Finding, Mend, Params, Severity
from studio.contract.labels import in_upload_order
from studio.contract.request import Request
from studio.contract.shot import Kind, Reference, Role, conditions, takes

_PLURAL: dict[Kind, str] = {"image": "images", "video": "videos", "audio": "audios"}


def check(request: Request) -> Iterator[Finding]:
    """Findings about the references as a set."""
    match request.shot.task:
        case "ref2va":
            yield from _ref2va(request)
        case "fl2va":
            yield from _fl2va(request)
    if request.shot.audio_mode == "lock_source":
        yield from _driving(request)
    yield from _waiting(request)


def _ref2va(request: Request) -> Iterator[Finding]:
    # In the order of the tray: what came last is the surplus.
    sent = tuple(r for r in request.shot.sent() if conditions(request.shot, r))
    limits = request.limits
    most: dict[Kind, tuple[int, str]] = {
        "image": (limits.images_max, "image"),
        "video": (limits.videos_max, "video"),
        "audio": (limits.audios_max, "standalone audio"),
    }
    if not any(r.kind in ("image", "video") for r in sent):
        yield _nothing_to_see(request)
    for kind, (limit, word) in most.items():
        own = _of_kind(sent, kind)
        says = f"ref2va accepts at most {limit} {word} references"
        yield from _too_many(f"refs.{_PLURAL[kind]}.too_many", own, kind, limit, says)
    says = f"ref2va accepts at most {limits.references_max} total references"
    yield from _too_many("refs.too_many", sent, None, limits.references_max, says)


def _too_many(
    code: str, own: tuple[Reference, ...], kind: Kind | None, limit: int, server_says: str
) -> Iterator[Finding]:
    if len(own) > limit:
        mend = offers.set_aside_surplus(kind, limit, own[limit:])
        params: Params = {"is": len(own), "limit": limit, "names": ", ".join(r.path.name for r in own[limit:])}
        yield Finding(code, Severity.ERROR, "references", params, (mend,), server_says)


def _nothing_to_see(request: Request) -> Finding:
    says = "ref2va requires at least one image or video reference"
    sounds = _of_kind(in_upload_order(request.shot), "audio")
    back = _taken_back(request, ("image", "video"))
    if (source := request.shot.source()) is not None:
        back = (offers.also_reference(source), *back)
    if not sounds:
        mends = (*back, offers.switch("t2va"))
        return Finding("refs.none", Severity.ERROR, "references", {"is": 0, "limit": 1}, mends, says)
    mends = (*back, offers.drive(sounds[0], "t2va"), offers.switch("t2va"))
    params: Params = {"is": 0, "limit": 1, "name": sounds[0].path.name}
    return Finding("refs.audio_only", Severity.ERROR, "references", params, mends, says)


def _taken_back(request: Request, kinds: tuple[Kind, ...]) -> tuple[Mend, ...]:
    """Smaller than another mode: sending one that was set aside, if its file can be read."""
    aside = [r for r in request.shot.references if r.set_aside and r.kind in kinds and takes(request.shot, r)]
    return tuple(offers.take_back(r) for r in aside if request.facts_of(r) is not None)[:1]


def _fl2va(request: Request) -> Iterator[Finding]:
    shot, limits = request.shot, request.limits
    pictures = _of_kind(in_upload_order(shot), "image")
    if not pictures:
        spare = next((r for r in shot.references if r.kind == "image" and not r.set_aside), None)
        mends = (offers.role(spare, "first"),) if spare else _taken_back(request, ("image",))
        says = "fl2va requires image conditions only"
        params: Params = {"is": 0, "limit": 1}
        yield Finding("fl2va.no_picture", Severity.ERROR, "references", params, mends or (offers.switch("t2va"),), says)
    if len(pictures) > limits.keyframes_max:
        surplus = _repeated(pictures) or pictures[limits.keyframes_max :]
        yield Finding(
            "fl2va.too_many",
            Severity.ERROR,
            "references",
            {"is": len(pictures), "limit": limits.keyframes_max, "names": ", ".join(r.path.name for r in surplus)},
            tuple(offers.set_aside(r) for r in surplus),
            "fl2va accepts at most first and last images",
        )
    elif surplus := _repeated(pictures):
        # The server goes by order alone: it would take the second of two first pictures for the last one.
        other: Role = "last" if surplus[0].role == "first" else "first"
        mends = (offers.role(surplus[0], other), offers.set_aside(surplus[0]))
        params = {"is": 2, "limit": 1, "name": surplus[0].path.name}
        yield Finding(f"fl2va.two_{surplus[0].role}", Severity.ERROR, surplus[0].id, params, mends)


def _repeated(pictures: tuple[Reference, ...]) -> tuple[Reference, ...]:
    return tuple(r for i, r in enumerate(pictures) if any(r.role == earlier.role for earlier in pictures[:i]))


def _driving(request: Request) -> Iterator[Finding]:
    shot = request.shot
    driving = _of_kind(shot.sent(), "audio")
    if len(driving) == 1:
        return
    mends: tuple[Mend, ...]
    if driving:
        mends = (offers.set_aside_surplus("audio", 1, driving[1:]),)
    else:
        spare = next((r for r in shot.references if r.kind == "audio" and not r.set_aside), None)
        native = offers.reset("audio_mode", "native")
        mends = (offers.drive(spare, shot.task), native) if spare else (native,)
    says = "MiniMax H3 lock_source requires exactly one driving audio"
    yield Finding("driving.count", Severity.ERROR, "audio_mode", {"is": len(driving), "limit": 1}, mends, says)


def _waiting(request: Request) -> Iterator[Finding]:
    sent = request.shot.sent()
    for reference in request.shot.references:
        if reference not in sent:
            code = "ref.set_aside" if reference.set_aside else "ref.other_task"
            yield Finding(code, Severity.NOTE, reference.id, {"name": reference.path.name})


def _of_kind(references: tuple[Reference, ...], kind: Kind) -> tuple[Reference, ...]:
    return tuple(r for r in references if r.kind == kind)
