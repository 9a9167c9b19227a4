"""A receipt: what preparing a reference changed, as codes with parameters; sentences are made where it is shown."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pydantic import BaseModel, ConfigDict

from studio.contract.facts import AudioFacts, ImageFacts, MediaFacts, VideoFacts
from studio.contract.plan import Planned
from studio.contract.shot import FPS, Reference
from studio.core.words import Message, Param

SAME_S: Final = 0.002
"""Times closer than this are the same moment: a trim or an offset of less is none."""

_EXIF_DEGREES: Final = {3: 180, 4: 180, 5: 270, 6: 90, 7: 90, 8: 270}


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True)


class Change(_Frozen):
    """One line of a receipt: a `change.…` code and the numbers that fill its sentence."""

    code: str
    params: dict[str, Param] = {}

    @property
    def message(self) -> Message:
        """The line as a sentence to be."""
        return Message(self.code, self.params)


class Side(_Frozen):
    """A file before or after: its facts without its place."""

    container: str
    size_bytes: int
    duration: float | None = None
    video: VideoFacts | None = None
    audio: AudioFacts | None = None
    image: ImageFacts | None = None

    @classmethod
    def of(cls, facts: MediaFacts) -> Side:
        """The side that `facts` describe."""
        return cls.model_validate(facts.model_dump(include=set(cls.model_fields)))


class Receipt(_Frozen):
    """What was done. Frame counts are at 24 fps for `frames_out`, the source's own for `frames_in`; 0 without picture.

    `frames_in` were shown in the trimmed range; `frames_dropped` of them are not in the upload, `frames_doubled` of the
    upload's repeat the one before.
    """

    changes: tuple[Change, ...]
    before: Side
    after: Side
    frames_in: int = 0
    frames_out: int = 0
    frames_dropped: int = 0
    frames_doubled: int = 0

    @property
    def untouched(self) -> bool:
        """Whether the file is sent as it is."""
        return self.changes == (UNTOUCHED,)


UNTOUCHED: Final = Change(code="change.untouched")


def asked_trim(reference: Reference, facts: MediaFacts) -> bool:
    """Whether the reference's in and out points cut anything off."""
    length = facts.duration or 0.0
    # A sound counts by its samples: three of them that are a millisecond long may be too much together.
    same = SAME_S if facts.video is not None else 1e-6
    return reference.start > same or (reference.end is not None and reference.end < length - same)


def clip_changes(reference: Reference, facts: MediaFacts, planned: Planned) -> Iterator[Change]:
    """What `prepare_video` does to a clip, in the order in which a person would ask."""
    video = facts.video
    if video is None:
        return
    if video.tracks > 1:
        yield _change("tracks", tracks=video.tracks, width=video.display_width, height=video.display_height)
    yield from _times(reference, facts, video, planned)
    yield from _shape(video)
    yield from _sizes(reference, video.display_width, video.display_height, planned)
    yield from _picture_form(reference, video)
    if video.codec != "h264" or facts.container != "mp4":
        yield _change("codec", from_codec=f"{video.codec} ({facts.container})", to_codec="H.264 (mp4)")
    yield from _soundtrack(reference, facts.audio, planned)


def _times(reference: Reference, facts: MediaFacts, video: VideoFacts, planned: Planned) -> Iterator[Change]:
    if asked_trim(reference, facts):
        end = planned.start + planned.seconds
        yield _change("trimmed", start=planned.start, end=end, frames=planned.frames)
    if video.start - planned.start > 1 / FPS:
        yield _change("filled", seconds=video.start - planned.start)
    if video.vfr:
        yield _change("vfr", to_fps=FPS)
    elif abs(video.fps - FPS) > 0.005:
        yield _change("rate", from_fps=round(video.fps, 3), to_fps=FPS)


def _shape(video: VideoFacts) -> Iterator[Change]:
    if video.rotation:
        yield _change("rotated", degrees=video.rotation)
    if video.mirrored:
        yield _change("mirrored")
    if video.sar != (1, 1):
        yield _change("sar", sar_width=video.sar[0], sar_height=video.sar[1])


def _sizes(reference: Reference, width: int, height: int, planned: Planned) -> Iterator[Change]:
    if reference.crop is not None:
        width, height = round(width * reference.crop.width), round(height * reference.crop.height)
        yield _change("cropped", width=width, height=height)
    if abs(width - planned.width) > 1 or abs(height - planned.height) > 1:
        yield _change("scaled", from_width=width, from_height=height, width=planned.width, height=planned.height)


def _picture_form(reference: Reference, video: VideoFacts) -> Iterator[Change]:
    if video.interlaced:
        yield _change("deinterlaced")
    if video.alpha:
        yield _laid_over(reference)
    if video.transfer != "sdr":
        yield _change("tone_mapped", transfer=video.transfer.upper())
    elif video.bit_depth > 8 or video.full_range or video.matrix not in (None, "bt709"):
        yield _change("colour")


def _soundtrack(reference: Reference, audio: AudioFacts | None, planned: Planned) -> Iterator[Change]:
    if audio is None:
        return
    if not reference.keep_sound:
        yield _change("sound_dropped")
    elif planned.sound_left_out:
        yield _change("sound_short", seconds=planned.sound_left_out)
    elif planned.sound_seconds:
        yield from sound_changes(audio)


def sound_changes(audio: AudioFacts) -> Iterator[Change]:
    """What becoming one track of 32 kHz stereo does to a sound."""
    if audio.tracks > 1:
        yield _change("sound_tracks", tracks=audio.tracks)
    if audio.sample_rate != 32_000:
        yield _change("sound_resampled", from_rate=audio.sample_rate, to_rate=32_000)
    if audio.channels > 2:
        yield _change("sound_channels", from_channels=audio.channels, to_channels=2)


def still_changes(reference: Reference, image: ImageFacts, planned: Planned, sent_as: str) -> Iterator[Change]:
    """What `prepare_image` does to a picture that is sent in the format `sent_as`."""
    if turned := _EXIF_DEGREES.get(image.orientation):
        yield _change("rotated", degrees=turned)
    if image.orientation in (2, 4, 5, 7):
        yield _change("mirrored")
    yield from _sizes(reference, image.display_width, image.display_height, planned)
    if image.bit_depth > 8:
        yield _change("depth", from_depth=image.bit_depth)
    elif image.mode not in ("RGB", "RGBA"):
        yield _change("mode", mode=image.mode)
    if image.icc:
        yield _change("icc")
    if image.alpha:
        yield _laid_over(reference)
    if image.frames > 1:
        yield _change("first_picture", frames=image.frames)
    if image.format != sent_as:
        yield _change("codec", from_codec=image.format.upper(), to_codec=sent_as.upper())


def _laid_over(reference: Reference) -> Change:
    match reference.ground:
        case "#000000":
            return _change("alpha.black")
        case "#ffffff":
            return _change("alpha.white")
        case chosen:
            return _change("alpha", ground=chosen)


def _change(code: str, **params: Param) -> Change:
    return Change(code=f"change.{code}", params=params)


def sound_changes_of(reference: Reference, facts: MediaFacts, seconds: float) -> Iterator[Change]:
    """What `prepare_sound` does to a sound of which `seconds` are sent."""
    if asked_trim(reference, facts):
        yield _change("sound_trimmed", seconds=seconds)
    if facts.audio is not None:
        yield from sound_changes(facts.audio)
        if facts.container != "wav" or facts.audio.codec != "pcm_s16le":
            yield _change("sound_codec", from_codec=facts.audio.codec, to_codec="WAV")
