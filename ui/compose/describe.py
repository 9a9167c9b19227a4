"""Short lines about references: what a file is, what will be done to it, how full the tray is."""

from __future__ import annotations

from fractions import Fraction

from studio.contract import FPS, MediaFacts, Reference, Request, VideoFacts, planned
from studio.core.words import cut_seconds, tr

_SAME_RATE = 0.005


def facts_line(facts: MediaFacts) -> str:
    """What a file is: "1920 × 1080 · 59.94 fps · 15.08 s"."""
    if facts.video is not None:
        return " · ".join(_video_words(facts.video, facts.duration or facts.video.duration))
    if facts.image is not None:
        size = f"{facts.image.display_width} × {facts.image.display_height}"
        words = [size, facts.image.format.upper()]
        if facts.image.bit_depth > 8:
            words.append(tr("{bits} bit", bits=facts.image.bit_depth))
        return " · ".join(words)
    words = [tr("{seconds:sec} s", seconds=facts.duration or 0.0)]
    if facts.audio is not None:
        words += [f"{facts.audio.sample_rate / 1000:g} kHz", facts.audio.codec.upper()]
    return " · ".join(words)


def change_line(reference: Reference, facts: MediaFacts) -> str:
    """What will be done to it: "60 → 24 fps · 345 frames · 960 × 540 · turned upright". Empty when nothing changes."""
    if facts.video is not None:
        return _clip_changes(reference, facts, facts.video)
    if facts.image is not None:
        words = []
        if facts.image.orientation != 1:
            words.append(tr("turned upright"))
        if reference.crop is not None:
            plan = planned(reference, facts)
            words.append(tr("cropped to {width} × {height}", width=plan.width, height=plan.height))
        if facts.image.bit_depth > 8:
            words.append(tr("made 8 bit"))
        if facts.image.alpha:
            words.append(_ground_words(reference))
        return " · ".join(words)
    plan = planned(reference, facts)
    if plan.seconds < (facts.duration or 0.0):
        return tr("trimmed to {seconds:sec} s", seconds=plan.seconds)
    return ""


def seconds_sent(request: Request) -> tuple[float, float, float]:
    """Seconds of clips, of their kept soundtracks, and of sounds that will be sent: three budgets of 15 s."""
    clips = tracks = sounds = 0.0
    for reference in request.shot.sent():
        facts = request.facts_of(reference)
        if facts is None or facts.kind != reference.kind or reference.role == "driving":
            continue
        plan = planned(reference, facts)
        if reference.kind == "video":
            clips += plan.seconds
            tracks += plan.sound_seconds
        elif reference.kind == "audio":
            sounds += plan.seconds
    return clips, tracks, sounds


def _video_words(video: VideoFacts, seconds: float) -> list[str]:
    words = [
        f"{video.display_width} × {video.display_height}",
        tr("{fps:.4g} fps", fps=round(video.fps, 2)),
        tr("{seconds:sec} s", seconds=seconds),
    ]
    if video.vfr:
        words.append(tr("variable rate"))
    if video.transfer != "sdr":
        words.append("HDR")
    return words


def _clip_changes(reference: Reference, facts: MediaFacts, video: VideoFacts) -> str:
    plan = planned(reference, facts)
    words = []
    if abs(video.fps - FPS) > _SAME_RATE:
        words.append(tr("{fps:.4g} → 24 fps", fps=round(video.fps, 2)))
    elif video.vfr:
        words.append(tr("constant 24 fps"))
    words.append(tr("{frames} frames", frames=plan.frames))
    if (plan.width, plan.height) != facts.shown_size:
        words.append(f"{plan.width} × {plan.height}")
    if video.rotation or video.mirrored:
        words.append(tr("turned upright"))
    if Fraction(*video.sar) != 1:
        words.append(tr("square pixels"))
    if video.interlaced:
        words.append(tr("deinterlaced"))
    if video.transfer != "sdr":
        words.append(tr("HDR → SDR"))
    if video.alpha:
        words.append(_ground_words(reference))
    if facts.audio is not None and not reference.keep_sound:
        words.append(tr("sound dropped"))
    return " · ".join(words)


def _ground_words(reference: Reference) -> str:
    match reference.ground:
        case "#ffffff":
            return tr("laid over white")
        case "#000000":
            return tr("laid over black")
        case chosen:
            return tr("laid over {colour}", colour=chosen)


def plain_tag(tag: str) -> str:
    """A tag as it is said in a sentence: "<Video 1>" → "Video 1"."""
    return tag.strip("<>")


def budgets_line(request: Request) -> str:
    """How much of the 15 s of each kind is used: "clips 14.37 · soundtracks 14.37 of 15 s". Empty without any."""
    named = zip((tr("clips"), tr("soundtracks"), tr("sounds")), seconds_sent(request), strict=True)
    used = " · ".join(f"{name} {cut_seconds(seconds)}" for name, seconds in named if seconds)
    return tr("sent: {used} of {limit:g} s", used=used, limit=request.limits.reference_seconds_total) if used else ""
