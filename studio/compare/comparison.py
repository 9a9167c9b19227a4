"""The whole comparison of two clips: measured in a worker, aligned, judged."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import numpy as np

from studio.compare import faults, verdict
from studio.compare.alignment import Alignment, Clock, picture_offset
from studio.compare.colour import colour_shift
from studio.compare.kept import Kept
from studio.compare.measured import Clips, Measured, Stores, measure, open_clips, readable
from studio.compare.measures import psnr
from studio.compare.motion import motion_kept, relatedness
from studio.compare.result import Comparison, PerFrame
from studio.compare.rows import Rows, RowWriter, read_rows
from studio.compare.sound import ALIKE, Sound, SoundComparison, compare_sound, read_sound, sound_lag
from studio.core.paths import cache_dir
from studio.media.workers import Progress, Workers

__all__ = ["Comparison", "compare", "compare_files", "unheard"]

TIMEOUT_S = 1800.0
"""Two 15 s clips take seconds; two of five minutes in 4K some ten minutes."""

Sounds = tuple[Sound | None, Sound | None]


def unheard(fraction: float) -> None:
    """For callers who do not want to know how far it is."""


async def compare(
    workers: Workers,
    a: Path,
    b: Path,
    *,
    offset: int | None = None,
    progress: Callable[[float], None] | None = None,
    growing: Callable[[Rows], None] | None = None,
    stores: Stores = None,
) -> Comparison:
    """Compare B to A (videos or stills) in a worker; cancelling kills it. What was compared before is kept by content.

    `stores`: where a viewer has both decoded (`Clip.whole`), so that they are not decoded again.

    `offset` in frames of the common clock (see `Alignment`); None looks for one. `progress` gets 0…1; `growing` gets
    the rows measured so far, up to ten times a second.
    Raises CompareError `compare.no_overlap`, MediaError for files that cannot be read, and what `Workers.run` raises.
    """
    with tempfile.TemporaryDirectory(prefix="h3studio-") as folder:
        rows = Path(folder) / "rows"

        def told(fraction: float) -> None:
            if progress is not None:
                progress(fraction)
            if growing is not None and rows.exists():
                growing(read_rows(rows))

        kept = cache_dir() / "compare"
        return await workers.run(_work, a, b, offset, rows, kept, stores, timeout=TIMEOUT_S, progress=told)


def _work(
    progress: Progress, a: Path, b: Path, offset: int | None, rows: Path, folder: Path, stores: Stores
) -> Comparison:
    kept = Kept(folder, Comparison)
    key = kept.key(a, b, asked=offset)
    found = kept.get(key)
    if found is None:
        found = compare_files(a, b, offset, progress.set, rows, readable(stores))
        kept.put(key, found)
    # The same content may lie elsewhere by now.
    return found.model_copy(update={"a": a, "b": b})


def compare_files(
    a: Path,
    b: Path,
    offset: int | None = None,
    tell: Callable[[float], None] = unheard,
    rows: Path | None = None,
    stores: Stores = None,
) -> Comparison:
    """`compare` itself, blocking and without the cache. `tell` gets 0…1; `rows` is a file that rows are added to."""
    with closing(open_clips(a, b, stores)) as clips, RowWriter(rows) as out:
        if offset is not None:
            alignment = Alignment(offset_frames=offset, how="asked")
            measured = measure(clips, offset, tell, out)
            return _conclude(clips, alignment, measured, _sounds(clips))
        # Most pairs need no offset, so they are measured at none while it is looked for; others take a second pass.
        measured = measure(clips, 0, lambda fraction: tell(fraction / 2), out)
        sounds = _sounds(clips)
        alignment = _found_alignment(measured, clips.clock, sounds)
        if alignment.offset_frames:
            out.restart()
            measured = measure(clips, alignment.offset_frames, lambda fraction: tell((1 + fraction) / 2), out)
        tell(1.0)
        return _conclude(clips, alignment, measured, sounds)


def _sounds(clips: Clips) -> Sounds:
    with ThreadPoolExecutor(1) as beside:
        of_b = beside.submit(read_sound, clips.b, clips.line_b.start)
        return read_sound(clips.a, clips.line_a.start), of_b.result()


def _found_alignment(measured: Measured, clock: Clock, sounds: Sounds) -> Alignment:
    """By picture where pictures tell; by sound where they do not, or where they tell of another second.

    Sounds that are alike know the time better than pictures that were redrawn; a sound that is out of sync with its
    own pictures is so by less than a second.
    """
    by_picture = picture_offset(measured.whole_a, measured.whole_b)
    by_sound = _sound_offset(clock, *sounds)
    offset = by_picture if by_picture is not None else by_sound or 0
    if by_sound is not None and abs(offset - by_sound) > clock.fps:
        offset = by_sound
    return Alignment(offset_frames=offset, how="found") if offset else Alignment()


def _sound_offset(clock: Clock, a: Sound | None, b: Sound | None) -> int | None:
    """The offset at which the sounds agree; None when they do not tell."""
    if a is None or b is None or a.silent or b.silent:
        return None
    lag, correlation = sound_lag(a, b)
    offset = -round(lag * clock.fps)
    enough = len(clock.pairs(offset)[0]) >= min(len(clock.a), len(clock.b)) // 3
    return offset if correlation >= ALIKE and enough else None


def _conclude(clips: Clips, alignment: Alignment, measured: Measured, sounds: Sounds) -> Comparison:
    small_a, small_b = measured.small_a, measured.small_b
    mad, mse, ssim = (measured.column(name) for name in ("mad", "mse", "ssim"))
    evidence = verdict.Evidence(
        equal=not mad.any() and not mse.any(),
        mad=float(mad.mean()),
        fitted=float(measured.column("fitted").mean()),
        changed=float(np.percentile(measured.column("changed"), 95)),
        calm=float(measured.column("calm").mean()),
        relatedness=relatedness(small_a, small_b),
    )
    kind = verdict.judge(evidence)
    colour = colour_shift(measured.column("mean_a"), measured.column("mean_b"))
    sound = compare_sound(*sounds, picture_lag=-alignment.offset_frames / clips.clock.fps)
    frames = measured.per_frame(clips.clock)
    return Comparison(
        a=clips.a,
        b=clips.b,
        width=clips.line_a.size[0],
        height=clips.line_a.size[1],
        width_b=clips.line_b.size[0],
        height_b=clips.line_b.size[1],
        fps=clips.clock.fps,
        start_a=clips.line_a.start + float(clips.line_a.times[frames.a[0]]),
        frames_a=len(clips.line_a.times),
        frames_b=len(clips.line_b.times),
        pairing=clips.clock.pairing,
        alignment=alignment,
        kind=kind,
        mad=evidence.mad,
        mad_max=float(mad.max()),
        fitted=evidence.fitted,
        psnr=psnr(float(mse.mean())),
        psnr_min=psnr(float(mse.max())),
        ssim=float(ssim.mean()),
        ssim_min=float(ssim.min()),
        changed=evidence.changed,
        calm=evidence.calm,
        relatedness=evidence.relatedness,
        colour_shift=colour.delta_e,
        colour_directions=colour.directions,
        motion_kept=motion_kept(small_a, small_b),
        sound=sound,
        faults=_faults(clips, kind, measured, frames, sound),
        frames=frames,
    )


def _faults(
    clips: Clips, kind: verdict.Kind, measured: Measured, frames: PerFrame, sound: SoundComparison
) -> tuple[faults.Fault, ...]:
    self_a, self_b, luma_a, luma_b = (
        np.array(values) for values in (frames.self_a, frames.self_b, frames.luma_a, frames.luma_b)
    )
    found = faults.sound_fault(sound) + faults.frozen_fault(self_a, self_b)
    if kind != "unrelated":
        found += faults.dropped_fault(self_a, self_b, measured.small_a, measured.small_b)
        found += faults.flash_fault(luma_a, luma_b)
        found += faults.shape_fault(clips.line_a.aspect, clips.line_b.aspect)
    return tuple(fault.at_frame_of(frames.b) for fault in found)
