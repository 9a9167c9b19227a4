"""The three budgets of seconds: clips, their soundtracks, and sounds, each at most 15 s together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from studio.contract import offers
from studio.contract.findings import Finding, Mend, Params, Severity
from studio.contract.grid import as_number, floor_rung
from studio.contract.labels import in_upload_order
from studio.contract.plan import Planned, planned
from studio.contract.request import Request
from studio.contract.shot import FPS, Kind, Reference

_SAYS_VIDEOS = "reference videos must be at most {limit:g} seconds in total"
_SAYS_AUDIO = "reference audio must be at most {limit:g} seconds in total"


@dataclass(frozen=True, slots=True)
class Budgets:
    """Seconds that a request uses of each budget."""

    clips: float
    soundtracks: float
    sounds: float


def budgets(request: Request) -> Budgets:
    """The seconds used, of the references that are sent and known."""
    clips = [(plan, skipped_seconds(request, r)) for r, plan in _planned(request, "video")]
    return Budgets(
        _total(plan.seconds - skipped for plan, skipped in clips),
        _total(max(0.0, plan.sound_seconds - skipped) for plan, skipped in clips),
        _total(plan.seconds for _, plan in _budgeted_sounds(request)),
    )


def check(request: Request) -> Iterator[Finding]:
    """Findings about sums of seconds. One reference alone is judged by its own length."""
    limit, used = request.limits.reference_seconds_total, budgets(request)
    clips, sounds = _planned(request, "video"), _budgeted_sounds(request)
    sounding = [(r, plan) for r, plan in clips if plan.sound_seconds > 0]
    if used.clips > limit and len(clips) > 1:
        mends = _clip_mends(*clips[-1], left=limit - used.clips + clips[-1][1].seconds, request=request)
        yield _over("refs.videos.total", used.clips, limit, clips, mends, _SAYS_VIDEOS)
    if used.soundtracks > limit and len(sounding) > 1:
        mends = (offers.drop_sound(sounding[-1][0]),)
        yield _over("refs.soundtracks.total", used.soundtracks, limit, sounding, mends, _SAYS_AUDIO)
    if used.sounds > limit and len(sounds) > 1:
        mends = _sound_mends(*sounds[-1], left=limit - used.sounds + sounds[-1][1].seconds, request=request)
        yield _over("refs.audios.total", used.sounds, limit, sounds, mends, _SAYS_AUDIO)


def _over(
    code: str,
    used: float,
    limit: float,
    summed: list[tuple[Reference, Planned]],
    mends: tuple[Mend, ...],
    says: str,
) -> Finding:
    params: Params = {"is": used, "limit": limit, "names": ", ".join(r.path.name for r, _ in summed)}
    return Finding(code, Severity.ERROR, "references", params, mends, says.format(limit=limit))


def _clip_mends(last: Reference, plan: Planned, *, left: float, request: Request) -> tuple[Mend, ...]:
    fits = floor_rung(int(left * FPS + 1e-6))
    legal = fits / FPS >= request.limits.reference_seconds_min
    shorter = (offers.trim_to_rung(last, plan, fits),) if legal else ()
    return (*shorter, offers.set_aside(last))


def _sound_mends(last: Reference, plan: Planned, *, left: float, request: Request) -> tuple[Mend, ...]:
    legal = left >= request.limits.reference_seconds_min
    shorter = (offers.keep_seconds(last, plan, left),) if legal else ()
    return (*shorter, offers.set_aside(last))


def skipped_seconds(request: Request, clip: Reference) -> float:
    """What `start_time_seconds` leaves out at a sent clip's beginning; 0 for a value that the server refuses.

    The sums count what is left (vllm-omni 0.30.0, reference_video.py: prepare_reference_videos).
    """
    value = request.shot.extra.get("start_time_seconds")
    if isinstance(value, list):
        place = [r.id for r in in_upload_order(request.shot) if r.kind == "video"].index(clip.id)
        value = value[place] if place < len(value) else None
    start, facts = as_number(value), request.facts_of(clip)
    if start is None or facts is None or not 0 <= start < planned(clip, facts).seconds:
        return 0.0
    return start


def _budgeted_sounds(request: Request) -> list[tuple[Reference, Planned]]:
    # A driving sound is no reference: it may have any length.
    return [] if request.shot.audio_mode == "lock_source" else _planned(request, "audio")


def _planned(request: Request, kind: Kind) -> list[tuple[Reference, Planned]]:
    own = [(r, request.facts_of(r)) for r in in_upload_order(request.shot) if r.kind == kind]
    return [(r, planned(r, facts)) for r, facts in own if facts is not None and facts.kind == kind]


def _total(seconds: Iterator[float]) -> float:
    return round(sum(seconds), 6)
