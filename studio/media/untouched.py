"""Files that fit as they are: nothing is asked of them, and the server would read them right."""

from __future__ import annotations

from typing import Final

from studio.contract.facts import AudioFacts, ImageFacts, MediaFacts, VideoFacts
from studio.contract.limits import load_limits
from studio.contract.plan import SOUND_MIN_S, Planned
from studio.contract.shot import FPS, Reference
from studio.media import clip_writer, prepare_image
from studio.media.hdr import is_wide
from studio.media.receipts import SAME_S, asked_trim

MAX_S: Final = 15.0
_SOUND_LIMIT_BYTES: Final = load_limits().audio_bytes_max
# Floats may go over full scale, and readers of the rarer forms disagree about them.
_PLAIN_PCM: Final = frozenset({"pcm_s16le", "pcm_s24le"})
_WAV_MAX_RATE: Final = 48_000
# An MP3's length is told three ways (header, frames, samples); near the limit or apart from each other they cost a job.
_MP3_MAX_S: Final = 14.9
_MP3_AGREE_S: Final = 0.1


def fits_untouched(reference: Reference, facts: MediaFacts, planned: Planned) -> bool:
    """Whether the file itself can be sent."""
    if reference.crop is not None or asked_trim(reference, facts):
        return False
    if facts.video is not None:
        return planned.kind == "video" and _clip_fits(reference, facts, facts.video, planned)
    if facts.image is not None:
        return _still_fits(facts, facts.image, planned)
    return facts.audio is not None and _sound_fits(facts, facts.audio)


def _clip_fits(reference: Reference, facts: MediaFacts, video: VideoFacts, planned: Planned) -> bool:
    upright = video.rotation == 0 and not video.mirrored and video.sar == (1, 1) and not video.edit_list
    plain = video.pix_fmt == "yuv420p" and not is_wide(video.transfer, video.matrix)
    steady = not video.vfr and video.server_fps == FPS and video.frames == planned.frames
    return (
        facts.container == "mp4"
        and facts.size_bytes < clip_writer.LIMIT_BYTES
        and video.codec == "h264"
        and video.tracks == 1
        and upright
        and plain
        and steady
        and not video.interlaced
        and not video.full_range
        and (video.width, video.height) == (planned.width, planned.height)
        and max(video.duration, video.server_duration) <= MAX_S
        and _track_fits(reference, facts.audio, video)
    )


def _track_fits(reference: Reference, audio: AudioFacts | None, video: VideoFacts) -> bool:
    if audio is None:
        return True
    return (
        reference.keep_sound
        and audio.codec == "aac"
        and audio.tracks == 1
        and audio.channels <= 2
        and abs(audio.start) <= SAME_S
        and SOUND_MIN_S <= audio.duration <= MAX_S
        and audio.server_duration <= min(MAX_S, video.duration + SAME_S)
    )


def _still_fits(facts: MediaFacts, image: ImageFacts, planned: Planned) -> bool:
    return (
        (image.width, image.height) == (planned.width, planned.height)
        and image.format in ("jpeg", "png", "webp")
        and image.mode == "RGB"
        and image.bit_depth == 8
        and image.orientation == 1
        and image.frames == 1
        and not image.alpha
        and not image.icc
        and facts.size_bytes <= prepare_image.LIMIT_BYTES
    )


def _sound_fits(facts: MediaFacts, audio: AudioFacts) -> bool:
    if facts.size_bytes > _SOUND_LIMIT_BYTES or audio.channels > 2:
        return False
    longest = max(audio.duration, audio.server_duration)
    if facts.container == "wav":
        return audio.codec in _PLAIN_PCM and audio.sample_rate <= _WAV_MAX_RATE and longest <= MAX_S
    agree = abs(audio.duration - audio.server_duration) <= _MP3_AGREE_S
    return facts.container == "mp3" and audio.codec == "mp3" and longest <= _MP3_MAX_S and agree
