"""What the headers of a clip or sound say, without decoding any of it: a first answer, soon to be replaced."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from av.container import InputContainer
from av.video.stream import VideoStream

from studio.contract.facts import AudioFacts, MediaFacts, VideoFacts
from studio.contract.plan import even
from studio.contract.shot import FPS
from studio.media import sound
from studio.media.container import (
    container_name,
    open_media,
    picture_track,
    picture_tracks,
    promised_seconds,
    sound_track,
)
from studio.media.hdr import transfer_by_tag
from studio.media.sniff import display_matrices
from studio.media.upright import UPRIGHT, turn_of

_FIELDS_IN_TURN: Final = range(2, 6)  # FFmpeg's AVFieldOrder: 0 unknown, 1 progressive


def header_facts(path: Path) -> MediaFacts | None:
    """The facts of a clip or sound as its headers have them, `exact` False; None where they do not say a size or rate.

    A few milliseconds, whatever the file. Raises MediaError as `open_media` does.
    """
    with open_media(path, decode=False) as box:
        stream = picture_track(box)
        video = _video(path, box, stream) if stream is not None else None
        audio = _audio(box)
        stat = path.stat()
        if video is None and (stream is not None or audio is None):
            return None
        longest = max(part.duration for part in (video, audio) if part is not None)
        return MediaFacts(
            path=path,
            kind="audio" if video is None else "video",
            container=container_name(box),
            size_bytes=stat.st_size,
            mtime_ns=stat.st_mtime_ns,
            duration=longest if video is None else video.duration,
            video=video,
            audio=audio,
            exact=False,
        )


def _audio(box: InputContainer) -> AudioFacts | None:
    stream = sound_track(box)
    return None if stream is None else sound.audio_facts(box, stream, 0.0, promised_seconds(box, stream))


def _video(path: Path, box: InputContainer, stream: VideoStream) -> VideoFacts | None:
    context, seen = stream.codec_context, box.streams.video[0]
    seconds = promised_seconds(box, stream)
    frames = stream.frames or round(seconds * (stream.average_rate or stream.guessed_rate or FPS))
    if not (context.width and context.height and seconds and frames):
        return None
    matrix = display_matrices(path).get(stream.id)
    turn = turn_of(matrix) if matrix else UPRIGHT
    sar = stream.sample_aspect_ratio or 1
    width, height = context.width * float(sar), float(context.height)
    if turn.transposed:
        width, height = height, width
    return VideoFacts(
        codec=context.codec.canonical_name,
        width=context.width,
        height=context.height,
        display_width=even(width),
        display_height=even(height),
        rotation=turn.degrees,
        mirrored=turn.mirrored,
        sar=sar.as_integer_ratio(),
        fps=frames / seconds,
        server_fps=float(seen.base_rate or seen.guessed_rate or 0),
        frames=frames,
        duration=seconds,
        server_duration=promised_seconds(box, seen),
        interlaced=context.field_order in _FIELDS_IN_TURN,
        transfer=transfer_by_tag(context.color_trc),
        tracks=len(picture_tracks(box)),
    )
