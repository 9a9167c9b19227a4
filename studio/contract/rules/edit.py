"""Keeping and changing parts of a clip: what the server refuses of an edit, and what comes out otherwise than drawn."""

from __future__ import annotations

from collections.abc import Iterator
from types import MappingProxyType

from studio.contract import offers
from studio.contract.findings import Finding, Mend, Params, Severity
from studio.contract.grid import floor_rung, rungs, seconds_of
from studio.contract.latent_grid import EditGrid
from studio.contract.mask_cells import latent_times
from studio.contract.masks import (
    MASK_BYTES_MAX,
    EditMasks,
    Mask,
    bytes_most,
    covers,
    edit_masks,
    reaches,
    sound_times,
)
from studio.contract.params import extra_params, seconds_max
from studio.contract.request import Request
from studio.contract.shot import FPS, Reference, conditions, is_source
from studio.contract.windows import continues

_CUT_LEAST = 0.01
"""Share of a picture's width or height below which a cut is not worth a word."""
_TAIL_LEAST_S = 0.1


def check(request: Request) -> Iterator[Finding]:
    """Findings about the clip that is edited, if there is one."""
    source = request.shot.source()
    if source is None:
        return
    yield from _others(request, source)
    masks = edit_masks(request)
    if masks is None:
        return  # its file is not known yet, or the length or the canvas is refused: other rules say so
    if masks.picture is None and masks.sound is None:
        yield _about(source, "edit.all_changed", Severity.WARNING, mends=(offers.unmark(source),))
        return
    yield from _refused(request, masks)
    yield from _outcome(request, masks)
    yield from _lost(masks)
    yield _about(source, "edit.experimental", Severity.NOTE)


def _others(request: Request, source: Reference) -> Iterator[Finding]:
    for other in request.shot.sent():
        if is_source(other) and other.id != source.id:
            yield _about(
                other,
                "edit.several",
                Severity.ERROR,
                mends=(offers.unmark(other),),
                params={"edited": source.path.name},
            )


def _refused(request: Request, masks: EditMasks) -> Iterator[Finding]:
    """What the server says no to (vllm-omni 0.30.0, helpers.py and encoder_processing.py)."""
    source = masks.grid.source
    if not _supported(request):
        version = request.limits.server_version
        yield _about(
            source, "edit.unsupported", Severity.ERROR, mends=(offers.unmark(source),), params={"version": version}
        )
    if continues(request.shot.task, extra_params(request)):
        says = "MiniMax H3 continuation does not support latent-mask editing; use long_video_mode=full"
        fits = masks.grid.frames <= rungs(request.limits, request.limits.long_full_seconds_max)[-1]
        ways = (*([offers.long_full()] if fits else []), offers.one_pass(), offers.unmark(source))
        yield _about(source, "edit.continuation", Severity.ERROR, says, mends=ways)
    if masks.sound is not None:
        yield from _sound_refused(request, masks)
    for name, mask in (("video_noise_mask", masks.picture), ("audio_noise_mask", masks.sound)):
        if mask is not None and (size := bytes_most(mask)) > MASK_BYTES_MAX:
            says = f"{name} JSON exceeds the {MASK_BYTES_MAX >> 20} MiB limit."
            sizes: Params = {"is": size, "limit": MASK_BYTES_MAX}
            yield _about(source, "edit.mask_bytes", Severity.ERROR, says, mends=(offers.unmark(source),), params=sizes)


def _supported(request: Request) -> bool:
    """By the server's own form where it is known, else by what is recorded of its version."""
    fields = request.limits.form_fields
    return request.limits.latent_masks if fields is None else "video_noise_mask" in fields


def _sound_refused(request: Request, masks: EditMasks) -> Iterator[Finding]:
    source = masks.grid.source
    drop = offers.unmark_sound(source)
    if request.shot.audio_mode == "lock_source":
        says = "MiniMax H3 audio_mode=lock_source cannot be combined with audio latent-mask editing"
        ways = (drop, offers.reset("audio_mode", "native"))
        yield _about(source, "edit.lock_source", Severity.ERROR, says, mends=ways)
    if not masks.grid.sound_seconds:
        # Only the mask is sent then, beside the picture or alone.
        alone = "MiniMax H3 audio_noise_mask requires source_audio or source_video"
        says = alone if masks.picture is None else "MiniMax H3 source_video has no audio track for audio editing"
        yield _about(source, "edit.no_sound", Severity.ERROR, says, mends=(drop,))


def _outcome(request: Request, masks: EditMasks) -> Iterator[Finding]:
    grid, source = masks.grid, masks.grid.source
    if masks.all_kept:
        yield _about(source, "edit.all_kept", Severity.WARNING)
    if masks.picture is not None:
        yield from _held(request, masks)
        yield from _cut(request, grid)
    if masks.sound is not None and grid.sound_seconds:
        yield from _sound_tail(grid, masks.sound)
    facts = request.facts_of(source)
    end = min(source.end or float("inf"), (facts.duration if facts else None) or 0.0)
    length = end - grid.start
    if not conditions(request.shot, source) and length - seconds_of(grid.frames) > 1 / FPS:
        ladder = rungs(request.limits, seconds_max(request))
        longer = next((f for f in ladder if seconds_of(f) >= length), None)
        ways = () if longer is None else (offers.frames(longer),)
        lengths: Params = {"is": seconds_of(grid.frames), "of": length}
        yield _about(source, "output.shorter_than_clip", Severity.WARNING, mends=ways, params=lengths)


def _held(request: Request, masks: EditMasks) -> Iterator[Finding]:
    """Beyond the end of the source its last frame is held: seen where that is kept."""
    grid = masks.grid
    if grid.source_frames >= grid.frames:
        return
    first = grid.latent_at(grid.start + grid.source_frames / FPS)
    if masks.changes_all_from(first):
        return
    shorter = floor_rung(grid.source_frames)
    ways = (offers.frames(shorter),) if shorter >= rungs(request.limits)[0] else ()
    held: Params = {"is": grid.frames - grid.source_frames, "frames": grid.frames}
    yield _about(grid.source, "edit.held", Severity.NOTE, mends=ways, params=held)


def _cut(request: Request, grid: EditGrid) -> Iterator[Finding]:
    """The server would stretch the source to the canvas; it is cut to its shape instead."""
    seen = grid.source.crop
    across = 1 - grid.window.width / (seen.width if seen else 1.0)
    down = 1 - grid.window.height / (seen.height if seen else 1.0)
    lost = max(across, down)
    if lost >= _CUT_LEAST:
        side = "width" if across > down else "height"
        sizes: Params = {"percent": round(100 * lost), "width": grid.width, "height": grid.height}
        yield _about(grid.source, f"edit.cut.{side}", Severity.NOTE, params=sizes)


def _sound_tail(grid: EditGrid, sound: Mask) -> Iterator[Finding]:
    length = seconds_of(grid.frames)
    if length - grid.sound_seconds > _TAIL_LEAST_S and sound[-1] < 1:
        lengths: Params = {"is": grid.sound_seconds, "of": length}
        yield _about(grid.source, "edit.sound_tail", Severity.NOTE, params=lengths)


def _lost(masks: EditMasks) -> Iterator[Finding]:
    """Marks that take hold of nothing: too small for the grid, or outside of what is sent."""
    grid = masks.grid
    for index, area in enumerate(masks.edit.picture.areas):
        if not covers(area, grid):
            yield _about(grid.source, "edit.lost_area", Severity.WARNING, params={"number": index + 1})
    heard, shown = sound_times(grid), latent_times(grid.start, grid.frames)
    for lane, times in ((masks.edit.picture, shown), (masks.edit.sound, heard)):
        for span in lane.spans:
            if not reaches(span, times):
                bounds: Params = {"start": span.start, "end": span.end}
                yield _about(grid.source, "edit.lost_span", Severity.WARNING, params=bounds)


def _about(
    source: Reference,
    code: str,
    severity: Severity,
    says: str | None = None,
    *,
    mends: tuple[Mend, ...] = (),
    params: Params = MappingProxyType({}),
) -> Finding:
    return Finding(code, severity, source.id, {"name": source.path.name, **params}, mends, says)
