"""Each reference on its own: readable, of the right kind, of a legal length, size and shape once it is prepared."""

from __future__ import annotations

from collections.abc import Iterator

from studio.contract import offers
from studio.contract.canvas import image_size_refused, video_size_refused
from studio.contract.cropping import WHOLE, crop_to_legal
from studio.contract.facts import MediaFacts, Unreadable
from studio.contract.findings import ContractError, Finding, Mend, Params, Severity
from studio.contract.grid import floor_rung
from studio.contract.labels import in_upload_order
from studio.contract.limits import Limits
from studio.contract.plan import Planned, planned
from studio.contract.request import Request
from studio.contract.shot import FPS, Reference

_ENLARGED_FROM = 32
"""Below this many pixels there is nothing left to scale up."""


def check(request: Request) -> Iterator[Finding]:
    """Findings about every reference that is sent, in upload order, and about the clip that is edited."""
    counted = {"image": 0, "video": 0, "audio": 0}
    given, source = in_upload_order(request.shot), request.shot.source()
    for reference in given if source is None or source in given else (*given, source):
        index = counted[reference.kind]
        counted[reference.kind] += 1
        match request.facts.get(reference.id):
            case None:
                yield Finding("ref.not_read", Severity.NOTE, reference.id, {"name": reference.path.name})
            case Unreadable(code=code, params=params):
                shown = {"name": reference.path.name, **params}
                yield Finding(code, Severity.ERROR, reference.id, shown, (offers.set_aside(reference),))
            case MediaFacts(kind=kind) as facts:
                if kind != reference.kind:
                    yield _other_kind(reference, facts)
                elif reference in given:  # of a clip that is only edited the server checks no length or size
                    yield from _judge(request, reference, facts, index)


def _other_kind(reference: Reference, facts: MediaFacts) -> Finding:
    params: Params = {"name": reference.path.name, "is": facts.kind, "limit": reference.kind}
    mends = (offers.use_as(reference, facts.kind), offers.set_aside(reference))
    return Finding(f"ref.kind.{facts.kind}", Severity.ERROR, reference.id, params, mends)


def _judge(request: Request, reference: Reference, facts: MediaFacts, index: int) -> Iterator[Finding]:
    plan = planned(reference, facts)
    match reference.kind:
        case "image":
            yield from _picture(request, reference, facts, plan)
        case "video":
            yield from _clip(request, reference, facts, plan, index)
        case "audio" if request.shot.audio_mode != "lock_source":  # a driving sound may have any length
            yield from _length(request, reference, facts, plan, index)


def _picture(request: Request, reference: Reference, facts: MediaFacts, plan: Planned) -> Iterator[Finding]:
    yield from _size(request, reference, facts, 0)
    source = facts.shown_size or (0, 0)
    if reference.crop is None and source != (plan.width, plan.height):
        sizes: Params = {"width": source[0], "height": source[1], "to_width": plan.width, "to_height": plan.height}
        yield Finding("ref.image.scaled", Severity.NOTE, reference.id, {"name": reference.path.name, **sizes})


def _clip(request: Request, reference: Reference, facts: MediaFacts, plan: Planned, index: int) -> Iterator[Finding]:
    yield from _size(request, reference, facts, index)
    yield from _length(request, reference, facts, plan, index)
    yield from _soundtrack(request, reference, plan)
    yield from _unused(request, reference, plan)


def _size(request: Request, reference: Reference, facts: MediaFacts, index: int) -> Iterator[Finding]:
    limits = request.limits
    refused = _size_refused(reference, facts, limits, index)
    if refused is None:
        return
    remedies = _remedies(reference, facts, limits)
    helping = [mend for mend, after in remedies if _size_refused(after, facts, limits) is None]
    yield refused.finding(reference.id, *helping, offers.set_aside(reference), name=reference.path.name)


def _remedies(reference: Reference, facts: MediaFacts, limits: Limits) -> Iterator[tuple[Mend, Reference]]:
    """Mends of a size, each with what the reference comes to. A crop and an enlargement may need each other."""
    crop = crop_to_legal(reference, facts, limits)
    can_grow = min(facts.shown_size or (0, 0)) >= _ENLARGED_FROM
    larger = reference.preparation.but(enlarge=can_grow)
    if crop != (reference.crop or WHOLE):
        yield offers.crop(reference, facts, crop), reference.but(crop=crop, preparation=larger)
    smaller = reference.preparation.but(short_edge=limits.short_edge)
    yield offers.short_edge(reference, limits.short_edge), reference.but(preparation=smaller)
    if can_grow and not reference.preparation.enlarge:
        yield offers.enlarge(reference), reference.but(crop=crop, preparation=larger)
    yield offers.uncrop(reference), reference.but(crop=None)


def _size_refused(reference: Reference, facts: MediaFacts, limits: Limits, index: int = 0) -> ContractError | None:
    plan = planned(reference, facts)
    if reference.kind == "image":
        return image_size_refused(plan.width, plan.height, limits)
    return video_size_refused(plan.width, plan.height, limits, index)


def _length(request: Request, reference: Reference, facts: MediaFacts, plan: Planned, index: int) -> Iterator[Finding]:
    low, high = request.limits.reference_seconds_min, request.limits.reference_seconds_max
    if low <= plan.seconds <= high:
        return
    says = f"reference {reference.kind} {index} duration must be in [{low:g}, {high:g}] seconds, got {plan.seconds:.3f}"
    params: Params = {"name": reference.path.name, "is": plan.seconds, "min": low, "max": high}
    if plan.seconds > high:
        yield Finding(
            f"ref.{reference.kind}.too_long",
            Severity.ERROR,
            reference.id,
            {**params, "limit": high},
            (*_shorter(request, reference, plan), offers.set_aside(reference)),
            says,
        )
    else:
        more = (offers.whole(reference),) if _whole_is_legal(request, reference, facts) else ()
        mends = (*more, offers.set_aside(reference))
        code = f"ref.{reference.kind}.too_short"
        yield Finding(code, Severity.ERROR, reference.id, {**params, "limit": low}, mends, says)


def _shorter(request: Request, reference: Reference, plan: Planned) -> tuple[Mend, ...]:
    keep = offers.keep_seconds(reference, plan, request.limits.reference_seconds_max)
    if reference.kind == "audio":
        return (keep,)
    return (offers.trim_to_rung(reference, plan, offers.longest_rung(request.limits)), keep)


def _whole_is_legal(request: Request, reference: Reference, facts: MediaFacts) -> bool:
    trimmed = reference.start > 0 or reference.end is not None
    return trimmed and (facts.duration or 0.0) >= request.limits.reference_seconds_min


def _soundtrack(request: Request, reference: Reference, plan: Planned) -> Iterator[Finding]:
    low = request.limits.reference_seconds_min
    if plan.sound_left_out and plan.seconds >= low:
        params: Params = {"name": reference.path.name, "is": plan.sound_left_out, "limit": low}
        yield Finding("ref.video.sound_too_short", Severity.NOTE, reference.id, params)


def _unused(request: Request, reference: Reference, plan: Planned) -> Iterator[Finding]:
    used = floor_rung(plan.frames)
    low = request.limits.reference_seconds_min
    legal = low <= plan.seconds <= request.limits.reference_seconds_max
    # A clip that outlasts the output is cut to it, which is a rung: another finding tells that.
    if not legal or used == plan.frames or plan.frames > request.shot.frames:
        return
    params: Params = {"name": reference.path.name, "is": plan.frames - used, "frames": plan.frames, "used": used}
    mends = (offers.trim_to_rung(reference, plan, used),) if used / FPS >= low else ()
    yield Finding("ref.video.unused_frames", Severity.NOTE, reference.id, params, mends)
