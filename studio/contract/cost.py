"""What a request costs on a server: rows, seconds, memory, and what would save most."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from studio.contract import mends, offers
from studio.contract.cropping import crop_to_ratio
from studio.contract.findings import Mend
from studio.contract.grid import floor_rung, rungs
from studio.contract.labels import in_upload_order, tags
from studio.contract.pace import PastRun, Range, fit, work
from studio.contract.plan import planned
from studio.contract.request import Request
from studio.contract.resolved import Resolved, resolve
from studio.contract.rows import PAD, Rows, reference_rows, rows
from studio.contract.shot import FPS, Reference

# What follows the denoising (decode, encode, fetch): 1–5 % of its time on measured servers, and up to a few seconds.
_AFTER_LEAST: Final = 1.01
_AFTER_MOST: Final = 1.05
_AFTER_SECONDS: Final = 5.0

_SHARE_LEAST: Final = 0.02
_SAVINGS_MOST: Final = 6
_SQUARE_ENOUGH: Final = 1.1


@dataclass(frozen=True, slots=True)
class Saving:
    """What a mend would save: rows of a step, and the share (0–1) of the denoising's time."""

    mend: Mend
    rows: int
    share: float


@dataclass(frozen=True, slots=True)
class Cost:
    """Rows of a step and how many `updates` there are; seconds of one `step`, and of the render to its file.

    Both are None without any past run; `guess`: they are only ±30 %. `memory`: least and most peak bytes of the fullest
    GPU, None when no run told one.
    """

    rows: Rows
    updates: int
    step: Range | None
    seconds: Range | None
    guess: bool
    memory: tuple[int, int] | None
    savings: tuple[Saving, ...]


def cost(request: Request, history: Sequence[PastRun] = ()) -> Cost:
    """The cost of a request on the server whose past runs are `history`.

    A continued long video is counted as if each of its windows were as long as the longest.
    Raises ContractError when the request cannot be resolved.
    """
    resolved, used = resolve(request), rows(request)
    updates = max(1, resolved.steps - request.limits.updates_fewer) * len(resolved.windows)
    pace = fit(history)
    step = pace.step(used.padded) if pace else None
    return Cost(
        rows=used,
        updates=updates,
        step=step,
        seconds=_whole(step, updates) if step else None,
        guess=pace is None or pace.is_guess(used.padded),
        memory=_memory(used.padded, history),
        savings=_savings(request, resolved, used),
    )


def _whole(step: Range, updates: int) -> Range:
    return Range(step.least * updates * _AFTER_LEAST, step.most * updates * _AFTER_MOST + _AFTER_SECONDS)


def _memory(padded: int, history: Sequence[PastRun]) -> tuple[int, int] | None:
    """Bounds that hold because memory grows with rows, and by less than they do (the weights stay the same)."""
    known = sorted((run.rows, run.peak_bytes) for run in history if run.peak_bytes and run.rows > 0)
    if not known:
        return None
    below = [peak for size, peak in known if size <= padded]
    above = [peak for size, peak in known if size >= padded]
    grown = [round(peak * padded / size) for size, peak in known]
    least = max(below) if below else max(grown)
    most = min(above) if above else min(grown)
    return min(least, most), max(least, most)


def _savings(request: Request, resolved: Resolved, used: Rows) -> tuple[Saving, ...]:
    before = work(used.padded)
    found: list[Saving] = []
    for mend, total in _after_each(request, resolved, used):
        padded = -(-total // PAD) * PAD
        found.append(Saving(mend, used.total - total, 1 - work(padded) / before))
    worth = (saving for saving in found if saving.share >= _SHARE_LEAST)
    return tuple(sorted(worth, key=lambda s: -s.share)[:_SAVINGS_MOST])


def _after_each(request: Request, resolved: Resolved, used: Rows) -> Iterator[tuple[Mend, int]]:
    """Every mend that could save rows, and the rows after it."""
    ladder = rungs(request.limits)
    shorter = [f for f in ladder if f <= resolved.frames * 2 / 3][-1:]
    for frames in shorter if len(resolved.windows) == 1 else ():
        mend = offers.frames(frames)
        after = Request(mends.apply(request.shot, mend, request), request.limits, request.facts)
        yield mend, rows(after).total
    own = {r.ref_id: r.total for r in used.per_reference}
    labels = {ref_id: len(names) for ref_id, names in tags(request).items()}
    for reference in in_upload_order(request.shot):
        if reference.id not in own:
            continue
        rest = used.total - own[reference.id]
        for mend in _less_of(request, reference, resolved):
            changed = mends.apply(request.shot, mend, request).reference(reference.id)
            if changed is None or changed.set_aside:
                yield mend, rest
                continue
            now = reference_rows(request, changed, resolved, labels[reference.id])
            yield mend, rest + (now.total if now else 0)


def _less_of(request: Request, reference: Reference, resolved: Resolved) -> Iterator[Mend]:
    facts = request.facts_of(reference)
    if facts is None or resolved.task != "ref2va":
        return
    if sum(r.kind != "audio" for r in in_upload_order(request.shot)) > 1 or reference.kind == "audio":
        yield offers.set_aside(reference)
    plan = planned(reference, facts)
    if plan.width and plan.height and not 1 / _SQUARE_ENOUGH < plan.width / plan.height < _SQUARE_ENOUGH:
        yield offers.crop(reference, facts, crop_to_ratio(reference, facts, 1.0))
    if reference.kind != "video":
        return
    half = floor_rung(min(plan.frames, resolved.frames) // 2)
    if half / FPS >= request.limits.reference_seconds_min:
        yield offers.trim_to_rung(reference, plan, half)
    if plan.sound_seconds:
        yield offers.drop_sound(reference)
